#include "tcpip/base/units.h"

#include <limits>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

constexpr uint64_t kMax64 = std::numeric_limits<uint64_t>::max();
constexpr Duration kLongest =
    Duration::Nanoseconds(std::numeric_limits<int64_t>::max());

TEST(Bandwidth, BitsAndBytesPerSecondDifferByEight) {
  EXPECT_EQ(Bandwidth::BytesPerSecond(125'000), Bandwidth::BitsPerSecond(1e6));
  EXPECT_EQ(Bandwidth::MegabitsPerSecond(8).bytes_per_second(), 1'000'000u);
  EXPECT_LT(Bandwidth::BitsPerSecond(7), Bandwidth::BytesPerSecond(1));
}

TEST(Bandwidth, TransmitTimeRoundsUp) {
  // 1500 bytes at 10 Mbit/s take 1.2 ms.
  EXPECT_EQ(Bandwidth::MegabitsPerSecond(10).TransmitTime(1500),
            Duration::Microseconds(1'200));
  // 8 bits at 3 bit/s take 2.66... s.
  EXPECT_EQ(Bandwidth::BitsPerSecond(3).TransmitTime(1),
            Duration::Nanoseconds(2'666'666'667));
}

TEST(Bandwidth, NothingTakesNoTimeAndRateZeroTakesForEver) {
  EXPECT_EQ(Bandwidth::Zero().TransmitTime(0), Duration::Zero());
  EXPECT_EQ(Bandwidth::Zero().TransmitTime(1), kLongest);
  EXPECT_TRUE((Instant::FromNanoseconds(1) + kLongest).IsNever());
}

TEST(Bandwidth, BytesInRoundsDown) {
  EXPECT_EQ(Bandwidth::MegabitsPerSecond(10).BytesIn(Duration::Milliseconds(1)),
            1'250u);
  EXPECT_EQ(Bandwidth::BitsPerSecond(15).BytesIn(Duration::Seconds(1)), 1u);
  EXPECT_EQ(Bandwidth::BitsPerSecond(15).BytesIn(Duration::Zero()), 0u);
}

TEST(Bandwidth, FromTransferInvertsTransmitTime) {
  EXPECT_EQ(Bandwidth::FromTransfer(1'250'000, Duration::Seconds(1)),
            Bandwidth::MegabitsPerSecond(10));
  EXPECT_EQ(Bandwidth::FromTransfer(3, Duration::Nanoseconds(1)),
            Bandwidth::BitsPerSecond(24'000'000'000));
}

TEST(Bandwidth, ScalesByARatio) {
  const Bandwidth rate = Bandwidth::BitsPerSecond(1'000);
  EXPECT_EQ(rate.Scaled(5, 4), Bandwidth::BitsPerSecond(1'250));
  EXPECT_EQ(rate.Scaled(1, 3), Bandwidth::BitsPerSecond(333));
}

TEST(Bandwidth, ExtremesSaturateInsteadOfWrapping) {
  const Bandwidth fastest = Bandwidth::BitsPerSecond(kMax64);
  EXPECT_EQ(Bandwidth::BytesPerSecond(kMax64), fastest);
  EXPECT_EQ(Bandwidth::MegabitsPerSecond(kMax64), fastest);
  EXPECT_EQ(Bandwidth::FromTransfer(kMax64, Duration::Nanoseconds(1)), fastest);
  EXPECT_EQ(fastest.Scaled(2, 1), fastest);
  EXPECT_EQ(fastest.BytesIn(kLongest), kMax64);
  EXPECT_EQ(Bandwidth::BitsPerSecond(1).TransmitTime(kMax64), kLongest);
  EXPECT_EQ(fastest.TransmitTime(1), Duration::Nanoseconds(1));
}

// 100 Gbit/s for an hour, beyond 64 bits before the division.
TEST(Bandwidth, LargeProductsAreExact) {
  const Bandwidth rate = Bandwidth::MegabitsPerSecond(100'000);
  EXPECT_EQ(rate.BytesIn(Duration::Seconds(3'600)), 45'000'000'000'000u);
  EXPECT_EQ(rate.TransmitTime(45'000'000'000'000), Duration::Seconds(3'600));
}

}  // namespace
}  // namespace tcpip
