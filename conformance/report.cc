#include "conformance/report.h"

#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace conformance {
namespace {

std::string Place(const ScriptResult& result) {
  return result.outcome.line == 0
             ? result.path
             : absl::StrCat(result.path, ":", result.outcome.line);
}

std::array<size_t, kVerdictCount> Count(
    const std::vector<ScriptResult>& results) {
  std::array<size_t, kVerdictCount> counts = {};
  for (const ScriptResult& result : results) {
    ++counts[static_cast<size_t>(result.outcome.verdict)];
  }
  return counts;
}

size_t Of(const std::array<size_t, kVerdictCount>& counts, Verdict verdict) {
  return counts[static_cast<size_t>(verdict)];
}

// "call 3, setting 1", the reasons in their order.
std::string SkipCounts(const std::vector<ScriptResult>& results) {
  std::array<size_t, kSkipReasonCount> counts = {};
  for (const ScriptResult& result : results) {
    if (result.outcome.verdict == Verdict::kSkip) {
      ++counts[static_cast<size_t>(result.outcome.skip)];
    }
  }
  std::vector<std::string> parts;
  for (int i = 0; i < kSkipReasonCount; ++i) {
    if (counts[i] == 0) continue;
    parts.push_back(absl::StrCat(SkipReasonName(static_cast<SkipReason>(i)),
                                 " ", counts[i]));
  }
  return absl::StrJoin(parts, ", ");
}

// Also for attributes.
std::string XmlText(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        // XML has no word for the other control characters.
        escaped += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? '?' : c;
    }
  }
  return escaped;
}

std::string JsonText(const std::string& text) {
  std::string escaped = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&escaped, "\\u%04x", c);
    } else {
      escaped += c;
    }
  }
  return escaped + "\"";
}

std::string Details(const Outcome& outcome) {
  return absl::StrJoin(outcome.details, "\n");
}

}  // namespace

std::string LinesFor(const ScriptResult& result) {
  const Outcome& outcome = result.outcome;
  std::string text;
  if (outcome.verdict != Verdict::kPass) {
    absl::StrAppend(&text, Place(result), ": ", VerdictName(outcome.verdict),
                    ": ");
    if (outcome.verdict == Verdict::kSkip) {
      absl::StrAppend(&text, SkipReasonName(outcome.skip), ": ");
    }
    absl::StrAppend(&text, outcome.message, "\n");
  } else if (!outcome.trace.empty()) {
    absl::StrAppend(&text, result.path, ": pass\n");
  }
  if (outcome.verdict == Verdict::kFail) {
    for (const std::string& line : outcome.details) {
      absl::StrAppend(&text, "    ", line, "\n");
    }
  }
  for (const std::string& line : outcome.trace) {
    absl::StrAppend(&text, "    ", line, "\n");
  }
  return text;
}

std::string Summary(const std::vector<ScriptResult>& results, double seconds) {
  const auto counts = Count(results);
  std::string text =
      absl::StrCat(results.size(), results.size() == 1 ? " script" : " scripts",
                   ": ", Of(counts, Verdict::kPass), " passed, ",
                   Of(counts, Verdict::kFail), " failed");
  if (const size_t n = Of(counts, Verdict::kUnexpectedPass); n > 0) {
    absl::StrAppend(&text, ", ", n, " passed unexpectedly");
  }
  if (const size_t n = Of(counts, Verdict::kExpectedFail); n > 0) {
    absl::StrAppend(&text, ", ", n, " failed as expected");
  }
  if (const size_t n = Of(counts, Verdict::kSkip); n > 0) {
    absl::StrAppend(&text, ", ", n, " skipped (", SkipCounts(results), ")");
  }
  absl::StrAppendFormat(&text, " in %.2f s", seconds);
  return text;
}

std::string JUnitXml(const std::vector<ScriptResult>& results) {
  const auto counts = Count(results);
  std::string xml = absl::StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite "
      "name=\"conformance\" tests=\"",
      results.size(), "\" failures=\"",
      Of(counts, Verdict::kFail) + Of(counts, Verdict::kUnexpectedPass),
      "\" skipped=\"",
      Of(counts, Verdict::kSkip) + Of(counts, Verdict::kExpectedFail), "\">\n");
  for (const ScriptResult& result : results) {
    const Outcome& outcome = result.outcome;
    absl::StrAppendFormat(&xml, "  <testcase name=\"%s\" time=\"%.3f\"",
                          XmlText(result.path), result.seconds);
    const std::string message =
        XmlText(absl::StrCat(Place(result), ": ", outcome.message));
    if (outcome.verdict == Verdict::kPass) {
      absl::StrAppend(&xml, "/>\n");
    } else if (IsGood(outcome.verdict)) {
      absl::StrAppend(&xml, "><skipped message=\"", message,
                      "\"/></testcase>\n");
    } else {
      absl::StrAppend(&xml, "><failure message=\"", message, "\">",
                      XmlText(Details(outcome)), "</failure></testcase>\n");
    }
  }
  return xml + "</testsuite>\n";
}

std::string Json(const std::vector<ScriptResult>& results) {
  std::vector<std::string> rows;
  for (const ScriptResult& result : results) {
    const Outcome& outcome = result.outcome;
    rows.push_back(
        absl::StrCat("  {\"script\": ", JsonText(result.path),
                     ", \"verdict\": ", JsonText(VerdictName(outcome.verdict)),
                     ", \"line\": ", outcome.line, ", \"skip_reason\": ",
                     outcome.verdict == Verdict::kSkip
                         ? JsonText(SkipReasonName(outcome.skip))
                         : "null",
                     ", \"message\": ", JsonText(outcome.message),
                     ", \"details\": ", JsonText(Details(outcome)),
                     absl::StrFormat(", \"seconds\": %.3f}", result.seconds)));
  }
  return absl::StrCat("[\n", absl::StrJoin(rows, ",\n"), "\n]\n");
}

}  // namespace conformance
