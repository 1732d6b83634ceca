#include "tools/sim/quantity.h"

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

TEST(Quantity, TimesHaveUnits) {
  EXPECT_EQ(ParseTime("100ms"), Duration::Milliseconds(100));
  EXPECT_EQ(ParseTime("7.5ms"), Duration::Microseconds(7'500));
  EXPECT_EQ(ParseTime("0.001us"), Duration::Nanoseconds(1));
  EXPECT_EQ(ParseTime("0s"), Duration::Zero());
}

TEST(Quantity, RatesAreInBits) {
  EXPECT_EQ(ParseRate("100Mbps"), Bandwidth::MegabitsPerSecond(100));
  EXPECT_EQ(ParseRate("2.5Gbps"), Bandwidth::MegabitsPerSecond(2'500));
  EXPECT_EQ(ParseRate("64kbps"), Bandwidth::BitsPerSecond(64'000));
}

TEST(Quantity, SizesKnowThousandsFrom1024) {
  EXPECT_EQ(ParseSize("5MB"), 5'000'000u);
  EXPECT_EQ(ParseSize("5MiB"), 5u << 20);
  EXPECT_EQ(ParseSize("1500B"), 1500u);
  EXPECT_EQ(ParseSize("0.5KiB"), 512u);
}

TEST(Quantity, SharesArePerMillion) {
  EXPECT_EQ(ParseShare("1%"), 10'000u);
  EXPECT_EQ(ParseShare("0.0001%"), 1u);
  EXPECT_EQ(ParseShare("100%"), 1'000'000u);
}

TEST(Quantity, CountsHaveNone) {
  EXPECT_EQ(ParseCount("50"), 50u);
  EXPECT_EQ(ParseCount("50s"), std::nullopt);
}

TEST(Quantity, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "s", "5", "-5ms", "+5ms", "5 ms", "5ms ", "5.ms", ".5ms", "5m",
        "1e3ms", "5.5.5ms", "99999999999999999999s", "9999999999999s",
        "0.0001us", "0.00000000000000000000001s", "ms5"}) {
    EXPECT_EQ(ParseTime(text), std::nullopt) << text;
  }
  EXPECT_EQ(ParseShare("100.0001%"), std::nullopt);
  EXPECT_EQ(ParseShare("0.00001%"), std::nullopt);
  EXPECT_EQ(ParseSize("0.5B"), std::nullopt);
}

}  // namespace
}  // namespace tcpip::sim
