#include "tcpip/stack/echo_paths.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

const IpAddress kRemote = IpAddress::Ipv4(10, 0, 0, 1);
constexpr Instant kStart = Instant::FromNanoseconds(1);

TEST(EchoPaths, AnAnswerTakesWhatIsKnownOfItsWayForAWhile) {
  EchoPaths paths({});
  EXPECT_EQ(paths.OnAnswer(7, kRemote, 1500, kStart), 1500u);
  paths.OnTooBig(kRemote, 1300, 1500, kStart);
  EXPECT_EQ(paths.OnAnswer(7, kRemote, 1500, kStart), 1300u);
  EXPECT_EQ(paths.OnAnswer(8, kRemote, 1500, kStart), 1300u);
  EXPECT_EQ(paths.OnAnswer(7, kRemote, 1280, kStart), 1280u);
  // [RFC 1191 6.3] [fault I11]
  const Instant later = kStart + ip::PathMtuLimits().lifetime;
  EXPECT_EQ(paths.OnAnswer(7, kRemote, 1500, later), 1500u);
}

// [RFC 5927 7] [fault X12]
TEST(EchoPaths, OnlyAnAnswerCanHaveBeenTooBig) {
  EchoPaths paths({});
  EXPECT_FALSE(paths.HasAnswered(7, kRemote));
  paths.OnAnswer(7, kRemote, 1500, kStart);
  EXPECT_TRUE(paths.HasAnswered(7, kRemote));
  EXPECT_FALSE(paths.HasAnswered(8, kRemote));
}

TEST(EchoPaths, WhatNoPathIsBelievedToRefusePassesAnywhere) {
  const EchoPaths paths({.floor_ipv4 = 600});
  EXPECT_TRUE(paths.PassesAnywhere(600, IpFamily::kIpv4));
  EXPECT_FALSE(paths.PassesAnywhere(601, IpFamily::kIpv4));
  EXPECT_TRUE(paths.PassesAnywhere(1280, IpFamily::kIpv6));
  EXPECT_FALSE(paths.PassesAnywhere(1281, IpFamily::kIpv6));
}

}  // namespace
}  // namespace tcpip
