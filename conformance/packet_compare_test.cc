#include "conformance/packet_compare.h"

#include <functional>
#include <string>

#include "gtest/gtest.h"

namespace conformance {
namespace {

using tcpip::wire::TcpFlags;

PacketSpec Data(uint32_t start, uint16_t length) {
  TcpSpec tcp;
  tcp.ports = PortsSpec{8080, 40000};
  tcp.flags = TcpFlags(TcpFlags::kAck);
  tcp.start = start;
  tcp.length = length;
  tcp.end = start + length;
  tcp.ack = 1;
  tcp.window = 500;
  tcp.options = {option::Nop{}, option::Nop{}, option::Timestamps{10, 20}};
  PacketSpec packet;
  packet.direction = Direction::kOutbound;
  packet.ip = {.ecn = IpSpec::Ecn::kNone, .tos = 0, .ttl = 64};
  packet.transport = tcp;
  return packet;
}

TcpSpec& Tcp(PacketSpec& packet) { return std::get<TcpSpec>(packet.transport); }

TEST(PacketCompareTest, AnEqualPacketDiffersInNothing) {
  EXPECT_EQ(Difference(Data(1, 100), Data(1, 100), {}), "");
}

struct Change {
  std::string name;
  std::function<void(PacketSpec&)> apply;
  std::string says;
};

class OneFieldTest : public testing::TestWithParam<Change> {};

TEST_P(OneFieldTest, IsNamedWithBothValues) {
  PacketSpec seen = Data(1, 100);
  GetParam().apply(seen);
  EXPECT_EQ(Difference(Data(1, 100), seen, {}), GetParam().says);
}

INSTANTIATE_TEST_SUITE_P(
    , OneFieldTest,
    testing::Values(
        Change{"Flags",
               [](PacketSpec& p) {
                 Tcp(p).flags = Tcp(p).flags.With(TcpFlags::kPsh);
               },
               "flags is P. instead of ."},
        Change{"Sequence", [](PacketSpec& p) { Tcp(p).start = 2; },
               "seq is 2 instead of 1"},
        Change{"Length", [](PacketSpec& p) { Tcp(p).length = 99; },
               "length is 99 instead of 100"},
        Change{"Acknowledgment", [](PacketSpec& p) { Tcp(p).ack = 7; },
               "ack is 7 instead of 1"},
        Change{"NoAcknowledgment", [](PacketSpec& p) { Tcp(p).ack.reset(); },
               "ack is none instead of 1"},
        Change{"Window", [](PacketSpec& p) { Tcp(p).window = 501; },
               "win is 501 instead of 500"},
        Change{"Ports", [](PacketSpec& p) { Tcp(p).ports->source = 1; },
               "source port is 1 instead of 8080"},
        Change{"Ttl", [](PacketSpec& p) { p.ip.ttl = 63; },
               "ttl is 63 instead of 64"},
        Change{"Ecn", [](PacketSpec& p) { p.ip.ecn = IpSpec::Ecn::kCe; },
               "ECN is ce instead of noecn"},
        Change{"Echo",
               [](PacketSpec& p) {
                 Tcp(p).options->back() = option::Timestamps{10, 21};
               },
               "options is <nop,nop,TS val 10 ecr 21> instead of "
               "<nop,nop,TS val 10 ecr 20>"},
        Change{"Kind", [](PacketSpec& p) { p.transport = UdpSpec{}; },
               "packet is UDP instead of TCP"}),
    [](const auto& info) { return info.param.name; });

TEST(PacketCompareTest, WhatTheScriptLeavesOutIsNotLookedAt) {
  PacketSpec expected = Data(1, 100);
  expected.ip = {};
  Tcp(expected).window.reset();
  Tcp(expected).options.reset();
  Tcp(expected).ports.reset();
  PacketSpec seen = Data(1, 100);
  seen.ip.ttl = 1;
  Tcp(seen).window = 1;
  Tcp(seen).options = {option::Mss{1}};
  Tcp(seen).ports->source = 9;
  EXPECT_EQ(Difference(expected, seen, {}), "");
}

TEST(PacketCompareTest, NoListMeansNoOptions) {
  PacketSpec expected = Data(1, 100);
  Tcp(expected).options.emplace();
  EXPECT_NE(Difference(expected, Data(1, 100), {}), "");
}

TEST(PacketCompareTest, AsASetOrderAndPaddingDoNotMatter) {
  PacketSpec seen = Data(1, 100);
  Tcp(seen).options = {option::Timestamps{10, 20}, option::Eol{}};
  EXPECT_NE(Difference(Data(1, 100), seen, {}), "");
  EXPECT_EQ(Difference(Data(1, 100), seen, {.options_as_set = true}), "");
  Tcp(seen).options->push_back(option::Mss{5});
  EXPECT_NE(Difference(Data(1, 100), seen, {.options_as_set = true}), "");
}

TEST(PacketCompareTest, EitherCapableCodepointIsNotNone) {
  PacketSpec expected = Data(1, 1);
  expected.ip.ecn = IpSpec::Ecn::kEither;
  PacketSpec seen = Data(1, 1);
  EXPECT_NE(Difference(expected, seen, {}), "");
  seen.ip.ecn = IpSpec::Ecn::kEct1;
  EXPECT_EQ(Difference(expected, seen, {}), "");
}

TEST(PacketCompareTest, TimestampsAndWindowsMayBeIgnored) {
  PacketSpec seen = Data(1, 100);
  Tcp(seen).options->back() = option::Timestamps{99, 98};
  Tcp(seen).window = 1;
  EXPECT_EQ(Difference(Data(1, 100), seen,
                       {.ignore_windows = true, .check_timestamps = false}),
            "");
}

TEST(JoinTest, SegmentsThatFollowEachOtherBecomeOne) {
  PacketSpec seen = Data(1, 100);
  PacketSpec last = Data(201, 40);
  Tcp(last).flags = Tcp(last).flags.With(TcpFlags::kPsh);
  ASSERT_TRUE(Join(seen, Data(101, 100), 100));
  ASSERT_TRUE(Join(seen, last, 100));
  EXPECT_EQ(Tcp(seen).length, 240);
  EXPECT_EQ(Tcp(seen).end, 241u);
  EXPECT_TRUE(Tcp(seen).flags.psh());
}

TEST(JoinTest, AHoleOrAnotherHeaderKeepsThemApart) {
  PacketSpec seen = Data(1, 100);
  EXPECT_FALSE(Join(seen, Data(102, 100), 100));
  PacketSpec other = Data(101, 100);
  Tcp(other).ack = 2;
  EXPECT_FALSE(Join(seen, other, 100));
  EXPECT_FALSE(Join(seen, Data(101, 101), 100)) << "longer than the first";
  EXPECT_EQ(Tcp(seen).length, 100);
}

TEST(JoinTest, NothingFollowsAShorterSegment) {
  PacketSpec seen = Data(1, 100);
  ASSERT_TRUE(Join(seen, Data(101, 50), 100));
  EXPECT_FALSE(Join(seen, Data(151, 50), 100));
}

template <typename Transport>
std::string DifferenceOf(const Transport& expected, const Transport& seen) {
  PacketSpec a;
  a.transport = expected;
  PacketSpec b;
  b.transport = seen;
  return Difference(a, b, {});
}

TEST(PacketCompareTest, PortsOfDatagramsAreComparedWhereTheyAreGiven) {
  const UdpSpec seen = {.ports = PortsSpec{53, 99}, .length = 8};
  EXPECT_EQ(DifferenceOf(UdpSpec{.ports = {}, .length = 8}, seen), "");
  EXPECT_EQ(DifferenceOf(seen, seen), "");
  EXPECT_EQ(
      DifferenceOf(UdpSpec{.ports = PortsSpec{54, 98}, .length = 8}, seen),
      "source port is 53 instead of 54, destination port is 99 instead of 98");
}

TEST(PacketCompareTest, AQuoteIsComparedWhereItIsGiven) {
  const auto icmp = [](Echoed echoed) {
    IcmpSpec spec;
    spec.type = "unreachable";
    spec.echoed = echoed;
    return spec;
  };
  const IcmpSpec seen = icmp(EchoedUdp{100});
  EXPECT_EQ(DifferenceOf(icmp({}), seen), "");
  EXPECT_EQ(DifferenceOf(seen, seen), "");
  EXPECT_EQ(DifferenceOf(icmp(EchoedUdp{7}), seen),
            "quote is [udp (100)] instead of [udp (7)]");
  EXPECT_EQ(DifferenceOf(icmp(EchoedTcp{1, 2, 1}), seen),
            "quote is [udp (100)] instead of [1:2(1)]");
  EXPECT_EQ(DifferenceOf(seen, icmp({})),
            "quote is none instead of [udp (100)]");
}

}  // namespace
}  // namespace conformance
