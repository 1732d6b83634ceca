#include "tools/sim/report_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace tcpip::sim {
namespace {

// How many failures are told before it is enough.
constexpr size_t kMaxFailures = 5;

// Of a line for a run: a metric, and its name where there is little room.
struct Column {
  const char* metric;
  const char* head;
};
constexpr Column kColumns[] = {{"time", "time"},
                               {"goodput", "goodput"},
                               {"segments lost", "lost"},
                               {"sent again, fast", "fast"},
                               {"sent again, timeout", "timeout"},
                               {"sent again needlessly", "needless"},
                               {"timeouts", "timeouts"},
                               {"RTT p50", "RTT p50"}};

std::string Again(const RunReport& report, const std::string& flags) {
  return absl::StrCat("  bazel run --config=opt //tools:sim -- ", flags,
                      "--seeds 1 --seed ", report.seed, " --plot seed",
                      report.seed, ".svg\n");
}

size_t CountGood(std::span<const RunReport> reports) {
  return static_cast<size_t>(std::count_if(
      reports.begin(), reports.end(),
      [](const RunReport& report) { return report.succeeded(); }));
}

// "client: not done" of "client: not done; ".
absl::string_view WithoutTail(absl::string_view problem) {
  const size_t last = problem.find_last_not_of("; \n");
  return problem.substr(0, last == problem.npos ? 0 : last + 1);
}

}  // namespace

std::string Completion(std::span<const RunReport> reports) {
  const size_t good = CountGood(reports);
  const bool all = good == reports.size();
  if (reports.size() == 1) {
    return absl::StrCat("seed ", reports[0].seed,
                        all ? ": complete" : ": not complete");
  }
  return absl::StrCat(reports.size(), " runs, seeds ", reports.front().seed,
                      " to ", reports.back().seed, ": ",
                      all ? "all" : absl::StrCat(good), " complete");
}

std::string TimeText(const RunReport& report) {
  const Metric& time = MetricNamed("time");
  return absl::StrCat(ToText(time, time.of(report)), " ", time.unit);
}

std::string RunLines(std::span<const RunReport> reports) {
  std::string text = absl::StrFormat("%6s", "seed");
  for (const Column& column : kColumns) {
    absl::StrAppendFormat(&text, "%10s", column.head);
  }
  absl::StrAppendFormat(&text, "\n%6s", "");
  for (const Column& column : kColumns) {
    absl::StrAppendFormat(&text, "%10s", MetricNamed(column.metric).unit);
  }
  text += "\n";
  for (const RunReport& report : reports) {
    absl::StrAppendFormat(&text, "%6d", report.seed);
    for (const Column& column : kColumns) {
      const Metric& metric = MetricNamed(column.metric);
      absl::StrAppendFormat(&text, "%10s", ToText(metric, metric.of(report)));
    }
    absl::StrAppend(&text, report.succeeded() ? "" : "  failed", "\n");
  }
  return text;
}

std::string SpreadTable(std::span<const RunReport> reports) {
  std::string text;
  if (reports.size() == 1) {
    for (const Metric& metric : Metrics()) {
      absl::StrAppendFormat(&text, "%-23s%7s %10s\n", metric.name, metric.unit,
                            ToText(metric, metric.of(reports[0])));
    }
    return text;
  }
  const auto good = CountGood(reports);
  if (good == 0) return "No run succeeded: there are no figures.\n";
  const std::string of =
      good == reports.size() ? "" : absl::StrCat("of the ", good, " complete");
  absl::StrAppendFormat(&text, "%-30s %10s %10s %10s\n", of, "min", "median",
                        "max");
  for (const Metric& metric : Metrics()) {
    const Spread spread = SpreadOf(reports, metric);
    absl::StrAppendFormat(&text, "%-23s%7s %10s %10s %10s\n", metric.name,
                          metric.unit, ToText(metric, spread.min),
                          ToText(metric, spread.median),
                          ToText(metric, spread.max));
  }
  return text;
}

std::string WorstRun(std::span<const RunReport> reports,
                     const std::string& flags) {
  std::string text;
  const RunReport* worst = nullptr;
  size_t failures = 0;
  for (const RunReport& report : reports) {
    if (report.succeeded()) continue;
    if (worst == nullptr) worst = &report;
    if (++failures > kMaxFailures) continue;
    absl::StrAppend(&text, "seed ", report.seed,
                    " failed: ", WithoutTail(report.problem), "\n");
  }
  if (failures > kMaxFailures) {
    absl::StrAppend(&text, "and ", failures - kMaxFailures, " more\n");
  }
  if (worst != nullptr) {
    return absl::StrCat(text, "To see the first of them:\n",
                        Again(*worst, flags));
  }
  if (reports.size() < 2) return "";
  worst = &*std::max_element(
      reports.begin(), reports.end(),
      [](const RunReport& a, const RunReport& b) { return a.took < b.took; });
  return absl::StrCat("Slowest is seed ", worst->seed, " with ",
                      TimeText(*worst), ". To see it:\n", Again(*worst, flags));
}

}  // namespace tcpip::sim
