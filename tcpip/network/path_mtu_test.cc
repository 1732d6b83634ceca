#include "tcpip/network/path_mtu.h"

#include <optional>

#include "gtest/gtest.h"

namespace tcpip::ip {
namespace {

constexpr uint32_t kLink = 1500;
const Instant kStart = Instant::FromNanoseconds(1'000'000'000);
const IpAddress kPeer4 = IpAddress::Ipv4(192, 0, 2, 1);
const IpAddress kPeer6 = IpAddress::Parse("2001:db8::1").value();

IpAddress Peer(uint32_t i) {
  return IpAddress::Ipv4(10, static_cast<uint8_t>(i >> 16),
                         static_cast<uint8_t>(i >> 8), static_cast<uint8_t>(i));
}

struct ReportCase {
  const char* name;
  uint32_t reported;
  uint32_t link_mtu;
  uint32_t want_v4;  // of Find() afterwards
  uint32_t want_v6;
};

// [fault X12] [RFC 1191 5] [RFC 8201 4]
const ReportCase kReports[] = {
    {"an old router says nothing", 0, kLink, 552, 1280},
    {"a liar", 40, kLink, 552, 1280},
    {"IPv4's least", 68, kLink, 552, 1280},
    {"below the floor", 551, kLink, 552, 1280},
    {"above it", 576, kLink, 576, 1280},
    {"below IPv6's least", 1279, kLink, 1279, 1280},
    {"IPv6's least", 1280, kLink, 1280, 1280},
    {"a tunnel", 1410, kLink, 1410, 1410},
    {"the link's own", 1500, kLink, 1500, 1500},
    {"more than the link's", 70'000, kLink, 1500, 1500},
    {"the largest number", UINT32_MAX, kLink, 1500, 1500},
    {"a link below the floor", 100, 296, 296, 296},
};

TEST(PathMtuCache, BelievesWhatIsCredible) {
  for (const ReportCase& c : kReports) {
    PathMtuCache cache({});
    for (const bool v4 : {true, false}) {
      const IpAddress& peer = v4 ? kPeer4 : kPeer6;
      const uint32_t want = v4 ? c.want_v4 : c.want_v6;
      const auto believed =
          cache.OnTooBig(peer, c.reported, c.link_mtu, kStart);
      EXPECT_EQ(believed.has_value(), want < c.link_mtu) << c.name;
      EXPECT_EQ(believed.value_or(c.link_mtu), want) << c.name;
      EXPECT_EQ(cache.Find(peer, c.link_mtu), want) << c.name;
    }
  }
}

// [fault X12] settable, but never below what every link takes
TEST(PathMtuCache, TheFloorIsASetting) {
  PathMtuCache low({.floor_ipv4 = 0});
  EXPECT_EQ(low.OnTooBig(kPeer4, 40, kLink, kStart), 68u);
  EXPECT_EQ(low.OnTooBig(kPeer6, 40, kLink, kStart), 1280u);
  PathMtuCache high({.floor_ipv4 = 1000});
  EXPECT_EQ(high.OnTooBig(kPeer4, 576, kLink, kStart), 1000u);
}

// [RFC 8201 4] nor does a larger report keep the smaller estimate alive
TEST(PathMtuCache, AnEstimateOnlyFallsWhileItLasts) {
  PathMtuCache cache({});
  EXPECT_EQ(cache.OnTooBig(kPeer4, 1400, kLink, kStart), 1400u);
  const Instant later = kStart + Duration::Seconds(300);
  EXPECT_EQ(cache.OnTooBig(kPeer4, 1450, kLink, later), 1400u);
  EXPECT_EQ(cache.NextDeadline(), kStart + Duration::Seconds(600));
  EXPECT_EQ(cache.OnTooBig(kPeer4, 1300, kLink, later), 1300u);
  EXPECT_EQ(cache.NextDeadline(), later + Duration::Seconds(600));
  EXPECT_EQ(cache.Find(Peer(1), kLink), kLink);  // nobody else's
}

// [fault I11]
TEST(PathMtuCache, ForgetsAfterTenMinutes) {
  PathMtuCache cache({});
  EXPECT_TRUE(cache.NextDeadline().IsNever());
  cache.OnTooBig(Peer(1), 1400, kLink, kStart);
  cache.OnTooBig(Peer(2), 1400, kLink, kStart + Duration::Seconds(1));
  cache.OnTooBig(Peer(1), 1400, kLink, kStart + Duration::Seconds(2));
  const Instant due = kStart + Duration::Seconds(601);
  EXPECT_EQ(cache.NextDeadline(), due);
  cache.OnTimer(due - Duration::Nanoseconds(1));
  EXPECT_EQ(cache.size(), 2u);
  cache.OnTimer(due);
  EXPECT_EQ(cache.Find(Peer(2), kLink), kLink);
  EXPECT_EQ(cache.Find(Peer(1), kLink), 1400u);
  cache.OnTimer(due + Duration::Seconds(1));
  EXPECT_TRUE(cache.empty());
  EXPECT_TRUE(cache.NextDeadline().IsNever());
}

TEST(PathMtuCache, TheOldestHasToGo) {
  PathMtuCache cache({.max_entries = 100});
  for (uint32_t i = 0; i < 1000; ++i) {
    cache.OnTooBig(Peer(i), 1400, kLink, kStart);
    // The first is told of again and again.
    cache.OnTooBig(Peer(0), 1400, kLink, kStart);
  }
  EXPECT_EQ(cache.size(), 100u);
  EXPECT_EQ(cache.Find(Peer(0), kLink), 1400u);
  EXPECT_EQ(cache.Find(Peer(1), kLink), kLink);
  EXPECT_EQ(cache.Find(Peer(901), kLink), 1400u);
  EXPECT_EQ(cache.Find(Peer(900), kLink), kLink);
}

}  // namespace
}  // namespace tcpip::ip
