#include "emulator/path_spec.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "emulator/path_words.h"
#include "emulator/quantity.h"

namespace emulator {
namespace {

using tcpip::Duration;
using Values = std::span<const absl::string_view>;

// What most packets are at the largest, where no MTU says less.
constexpr uint32_t kUsualPacket = 1500;

absl::Status Wrong(absl::string_view said, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("\"", said, "\": ", why));
}

std::string WordList() {
  return absl::StrJoin(PathWords(), ", ",
                       [](std::string* out, const PathWord& word) {
                         absl::StrAppend(out, word.name);
                       });
}

const PathWord* FindWord(absl::string_view name) {
  const std::span<const PathWord> words = PathWords();
  const auto found =
      std::find_if(words.begin(), words.end(),
                   [name](const PathWord& w) { return w.name == name; });
  return found == words.end() ? nullptr : &*found;
}

absl::Status ReadWord(absl::string_view part, const PathWord& word,
                      Values values, PathConfig& to) {
  if (values.size() >= word.least && values.size() <= word.most &&
      word.read(values, to)) {
    return absl::OkStatus();
  }
  return Wrong(part,
               absl::StrCat("write it like \"", word.name,
                            word.example.empty() ? "" : " ", word.example, "\"",
                            word.range.empty() ? "" : ", ", word.range));
}

// Words that mean nothing beside the others would be believed to have meant
// something.
absl::Status CheckTogether(const PathConfig& config,
                           const std::set<absl::string_view>& said) {
  for (const absl::string_view word : {"queue", "mark"}) {
    if (said.contains(word) && config.rate.IsZero()) {
      return Wrong(word, "means nothing without \"rate\"");
    }
  }
  if (config.reorder && config.jitter == Duration::Zero()) {
    return Wrong("reorder", "means nothing without \"jitter\"");
  }
  const uint32_t packet = std::min(config.max_packet_bytes, kUsualPacket);
  const auto too_small = [packet](absl::string_view word,
                                  absl::string_view what) {
    return Wrong(word, absl::StrCat(what, " below one packet, here ", packet,
                                    "B, lets none pass"));
  };
  if (config.queue_bytes < packet) return too_small("queue", "a limit");
  if (said.contains("police") && config.police.burst_bytes < packet) {
    return too_small("police", "a burst");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PathConfig> ParsePathSpec(absl::string_view text) {
  PathConfig config;
  std::set<absl::string_view> said;
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return config;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    part = absl::StripAsciiWhitespace(part);
    const std::vector<absl::string_view> tokens =
        absl::StrSplit(part, absl::ByAnyChar(" \t\n"), absl::SkipEmpty());
    if (tokens.empty()) {
      return Wrong(text, "there is nothing before or behind a comma");
    }
    const PathWord* const word = FindWord(tokens[0]);
    if (word == nullptr) {
      return Wrong(part, absl::StrCat("a path is made of ", WordList()));
    }
    if (!said.insert(word->name).second) return Wrong(part, "was said before");
    const absl::Status status =
        ReadWord(part, *word, Values(tokens).subspan(1), config);
    if (!status.ok()) return status;
  }
  const absl::Status together = CheckTogether(config, said);
  if (!together.ok()) return together;
  return config;
}

std::string ToText(const PathConfig& config) {
  std::vector<std::string> parts;
  for (const PathWord& word : PathWords()) {
    const std::optional<std::string> values = word.write(config);
    if (!values) continue;
    parts.push_back(
        absl::StrCat(word.name, values->empty() ? "" : " ", *values));
  }
  return absl::StrJoin(parts, ", ");
}

absl::StatusOr<Duration> ParseDuration(absl::string_view text) {
  const std::optional<uint64_t> ns =
      ParseQuantity(text, kTimes, std::numeric_limits<int64_t>::max());
  if (!ns) return Wrong(text, "write it like \"7.5ms\"");
  return Duration::Nanoseconds(static_cast<int64_t>(*ns));
}

}  // namespace emulator
