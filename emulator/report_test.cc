#include "emulator/report.h"

#include "gtest/gtest.h"

namespace emulator {
namespace {

TEST(Report, MentionsOnlyWhatHappened) {
  PathCounters counters = {.offered = 30,
                           .offered_bytes = 4200,
                           .delivered = 30,
                           .delivered_bytes = 4200};
  EXPECT_EQ(ReportText(counters),
            "offered 30 packets, 4200 bytes; passed 30, 4200 bytes");
  counters.dropped[static_cast<int>(PathDrop::kRandom)] = 1;
  counters.dropped[static_cast<int>(PathDrop::kQueueFull)] = 2;
  counters.marked = 4;
  EXPECT_EQ(ReportText(counters),
            "offered 30 packets, 4200 bytes; passed 30, 4200 bytes; "
            "dropped: loss 1, queue 2; marked 4");
}

TEST(Report, HasANameForEveryReason) {
  for (int reason = 1; reason < kPathDropCount; ++reason) {
    PathCounters counters;
    counters.dropped[reason] = 7;
    EXPECT_EQ(ReportText(counters).find("dropped:  7"), std::string::npos);
    EXPECT_NE(ReportText(counters).find(" 7"), std::string::npos);
  }
}

}  // namespace
}  // namespace emulator
