#include "emulator/report.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace emulator {
namespace {

// By PathDrop, in the words of path_spec where it has one.
constexpr const char* kDropNames[kPathDropCount] = {
    "",     "mtu",   "fragments", "outage", "listed",
    "loss", "burst", "policed",   "queue",
};

}  // namespace

std::string ReportText(const PathCounters& counters) {
  std::string text = absl::StrCat("offered ", counters.offered, " packets, ",
                                  counters.offered_bytes, " bytes; passed ",
                                  counters.delivered, ", ",
                                  counters.delivered_bytes, " bytes");
  const char* separator = "; dropped: ";
  for (int reason = 0; reason < kPathDropCount; ++reason) {
    if (counters.dropped[reason] == 0) continue;
    absl::StrAppend(&text, separator, kDropNames[reason], " ",
                    counters.dropped[reason]);
    separator = ", ";
  }
  const struct {
    const char* what;
    uint64_t count;
  } others[] = {{"duplicated", counters.duplicated},
                {"held", counters.held},
                {"marked", counters.marked},
                {"corrupted", counters.corrupted}};
  for (const auto& other : others) {
    if (other.count != 0) {
      absl::StrAppend(&text, "; ", other.what, " ", other.count);
    }
  }
  return text;
}

}  // namespace emulator
