#include "tcpip/base/time.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(Duration, UnitsDifferByThousands) {
  EXPECT_EQ(Duration::Microseconds(1), Duration::Nanoseconds(1'000));
  EXPECT_EQ(Duration::Milliseconds(1), Duration::Microseconds(1'000));
  EXPECT_EQ(Duration::Seconds(1), Duration::Milliseconds(1'000));
}

TEST(Duration, ReadingACoarserUnitTruncates) {
  const Duration d = Duration::Nanoseconds(1'999'999);
  EXPECT_EQ(d.nanoseconds(), 1'999'999);
  EXPECT_EQ(d.microseconds(), 1'999);
  EXPECT_EQ(d.milliseconds(), 1);
}

TEST(Duration, AddsSubtractsAndScales) {
  Duration d = Duration::Milliseconds(5);
  EXPECT_EQ(d + Duration::Milliseconds(2), Duration::Milliseconds(7));
  EXPECT_EQ(d - Duration::Milliseconds(7), Duration::Milliseconds(-2));
  EXPECT_EQ(3 * d, d * 3);
  EXPECT_EQ(d / 2, Duration::Microseconds(2'500));
  d += Duration::Milliseconds(1);
  d -= Duration::Milliseconds(4);
  EXPECT_EQ(d, Duration::Milliseconds(2));
  EXPECT_LT(Duration::Zero(), d);
}

TEST(Instant, DifferencesAreDurations) {
  Instant t = Instant::FromNanoseconds(-5);
  EXPECT_EQ((t + Duration::Nanoseconds(8)) - t, Duration::Nanoseconds(8));
  EXPECT_EQ((t - Duration::Nanoseconds(1)).nanoseconds(), -6);
  t += Duration::Nanoseconds(5);
  EXPECT_EQ(t, Instant());
}

TEST(Instant, NeverIsLaterThanEverythingAndStaysNever) {
  const Instant never = Instant::Never();
  const Instant last =
      Instant::FromNanoseconds(std::numeric_limits<int64_t>::max() - 1);
  EXPECT_TRUE(never.IsNever());
  EXPECT_LT(last, never);
  EXPECT_TRUE((never + Duration::Seconds(1)).IsNever());
  EXPECT_TRUE((never - Duration::Seconds(1)).IsNever());
}

TEST(Instant, LongAgoIsBeforeEverythingElse) {
  EXPECT_LT(Instant::LongAgo(),
            Instant::FromNanoseconds(-std::numeric_limits<int64_t>::max()));
  EXPECT_LT(Instant::LongAgo(), Instant::Never());
}

TEST(Instant, ASumBeyondTheLastInstantIsNever) {
  const Duration longest =
      Duration::Nanoseconds(std::numeric_limits<int64_t>::max());
  EXPECT_TRUE((Instant::FromNanoseconds(1) + longest).IsNever());
  EXPECT_FALSE((Instant::FromNanoseconds(-1) + longest).IsNever());
}

}  // namespace
}  // namespace tcpip
