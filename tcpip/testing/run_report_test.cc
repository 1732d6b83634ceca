#include "tcpip/testing/run_report.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

std::vector<Duration> OneTo(int64_t n) {
  std::vector<Duration> values;
  for (int64_t i = n; i >= 1; --i) values.push_back(Duration::Microseconds(i));
  return values;
}

TEST(Percentile, IsTheNearestRank) {
  EXPECT_EQ(Percentile(OneTo(100), 50).microseconds(), 50);
  EXPECT_EQ(Percentile(OneTo(100), 99).microseconds(), 99);
  EXPECT_EQ(Percentile(OneTo(100), 100).microseconds(), 100);
  EXPECT_EQ(Percentile(OneTo(7), 50).microseconds(), 4);
  EXPECT_EQ(Percentile(OneTo(7), 90).microseconds(), 7);
  EXPECT_EQ(Percentile(OneTo(1), 1).microseconds(), 1);
  EXPECT_EQ(Percentile({}, 50), Duration::Zero());
}

TEST(SpreadOf, KnowsTheLeastTheMiddleAndTheMost) {
  const Spread odd = SpreadOf(std::vector<int64_t>{9, 1, 5});
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.median, 5);
  EXPECT_EQ(odd.max, 9);
  EXPECT_EQ(SpreadOf(std::vector<int64_t>{4, 1, 3, 2}).median, 2);
  EXPECT_EQ(SpreadOf(std::vector<int64_t>{}).max, 0);
}

TEST(SpreadOf, LeavesOutRunsThatFailed) {
  const std::vector<RunReport> reports = {
      {.took = Duration::Milliseconds(10)},
      {.problem = "not done", .took = Duration::Seconds(300)},
      {.took = Duration::Milliseconds(20)},
  };
  EXPECT_EQ(SpreadOf(reports, MetricNamed("time")).max, 20'000);
}

TEST(Metrics, AreIntegersWithUnits) {
  const RunReport run = {.bytes = 1'000'000,
                         .took = Duration::Milliseconds(2'000),
                         .flow = {.retrans_fast = 3, .timeouts = 2},
                         .rtt_p90 = Duration::Milliseconds(7)};
  EXPECT_EQ(MetricNamed("time").of(run), 2'000'000);
  EXPECT_EQ(MetricNamed("goodput").of(run), 4'000);
  EXPECT_EQ(MetricNamed("goodput").unit, std::string("kbit/s"));
  EXPECT_EQ(MetricNamed("sent again, fast").of(run), 3);
  EXPECT_EQ(MetricNamed("timeouts").of(run), 2);
  EXPECT_EQ(MetricNamed("RTT p90").of(run), 7'000);
}

// Microseconds, so that a run of less than a millisecond has a time.
TEST(Metrics, ATimeIsWrittenInMillisecondsWithDecimals) {
  const Metric& time = MetricNamed("time");
  EXPECT_EQ(ToText(time, 2'215'007), "2215.007");
  EXPECT_EQ(ToText(time, 15), "0.015");
  EXPECT_EQ(Whole(time, 2'215'007), 2215);
  EXPECT_EQ(ToText(MetricNamed("timeouts"), 15), "15");
  EXPECT_EQ(Whole(MetricNamed("timeouts"), 15), 15);
}

TEST(Metrics, ARunThatFailedHasNoGoodput) {
  EXPECT_EQ(MetricNamed("goodput").of({.problem = "not done",
                                       .bytes = 1'000,
                                       .took = Duration::Seconds(5)}),
            0);
}

TEST(Metrics, ARunThatTookNoTimeHasNoGoodput) {
  EXPECT_EQ(MetricNamed("goodput").of({.bytes = 5}), 0);
}

}  // namespace
}  // namespace tcpip::sim
