#include "emulator/policer.h"

#include "gtest/gtest.h"

namespace emulator {
namespace {

using tcpip::Bandwidth;
using tcpip::Duration;
using tcpip::Instant;

constexpr Instant kStart = Instant::FromNanoseconds(5'000'000'000);

Duration Ms(int64_t n) { return Duration::Milliseconds(n); }

// 1500 bytes take a millisecond.
constexpr PolicerConfig kTwoPackets = {.rate = Bandwidth::MegabitsPerSecond(12),
                                       .burst_bytes = 3000};

TEST(Policer, WithoutARateEverythingPasses) {
  Policer policer({});
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(policer.Passes(65535, kStart));
}

TEST(Policer, ABurstPassesAndWhatExceedsItDoesNot) {
  Policer policer(kTwoPackets);
  EXPECT_TRUE(policer.Passes(1500, kStart));
  EXPECT_TRUE(policer.Passes(1500, kStart));
  EXPECT_FALSE(policer.Passes(1500, kStart));
  EXPECT_FALSE(policer.Passes(1, kStart));
}

TEST(Policer, TokensComeBackAtTheRateAndNoMoreThanTheBucketHolds) {
  Policer policer(kTwoPackets);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(policer.Passes(1500, kStart));
  const Instant almost = kStart + Ms(1) - Duration::Nanoseconds(1);
  EXPECT_FALSE(policer.Passes(1500, almost));
  EXPECT_TRUE(policer.Passes(1500, kStart + Ms(1)));
  const Instant later = kStart + Ms(1000);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(policer.Passes(1500, later));
  EXPECT_FALSE(policer.Passes(1500, later));
}

TEST(Policer, WhatIsDroppedCostsNoTokens) {
  Policer policer(kTwoPackets);
  EXPECT_TRUE(policer.Passes(1500, kStart));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(policer.Passes(1503, kStart));
  EXPECT_TRUE(policer.Passes(1500, kStart));
}

TEST(Policer, PassesTheRateOverALongTime) {
  Policer policer(kTwoPackets);
  int passed = 0;
  for (int i = 0; i < 100'000; ++i) {
    passed += policer.Passes(1500, kStart + Duration::Microseconds(100) * i);
  }
  EXPECT_NEAR(passed, 10'000 + 1, 1);
}

}  // namespace
}  // namespace emulator
