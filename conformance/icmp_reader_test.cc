#include "conformance/icmp_reader.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/testing/packet_builder.h"

namespace conformance {
namespace {

using tcpip::IpAddress;
using tcpip::IpEndpoint;
using tcpip::IpFamily;
using tcpip::sim::Bytes;
using tcpip::wire::TcpFlags;

const IpEndpoint kFrom4 = {IpAddress::Ipv4(192, 0, 2, 1), 40000};
const IpEndpoint kTo4 = {IpAddress::Ipv4(192, 168, 0, 1), 8080};
const IpEndpoint kFrom6 = {*IpAddress::Parse("2001:db8::1"), 40000};
const IpEndpoint kTo6 = {*IpAddress::Parse("2001:db8::2"), 8080};

FlowMap Flow() {
  FlowMap flow(true);
  flow.remote_seq.Learn(0, 9000);
  return flow;
}

// An error of these numbers about `packet`, of which `kept` bytes are quoted.
IcmpSpec ErrorAbout(IpFamily family, uint8_t type, uint8_t code,
                    const Bytes& packet, size_t kept) {
  Bytes message = {type, code, 0, 0, 0, 0, 0, 0};
  message.insert(message.end(), packet.begin(),
                 packet.begin() + static_cast<ptrdiff_t>(kept));
  return ReadIcmp(family, message, Flow());
}

Bytes Segment(const IpEndpoint& from, const IpEndpoint& to, int flags,
              uint32_t seq, size_t payload) {
  return tcpip::sim::Build(tcpip::sim::TcpPacket{.from = from,
                                                 .to = to,
                                                 .seq = seq,
                                                 .flags = TcpFlags(flags),
                                                 .options = {},
                                                 .payload = Bytes(payload)});
}

TEST(IcmpReaderTest, ASegmentIsQuotedByTheScriptsNumbers) {
  const Bytes packet = Segment(kFrom4, kTo4, TcpFlags::kAck, 9001, 100);
  const IcmpSpec icmp =
      ErrorAbout(IpFamily::kIpv4, 3, 3, packet, packet.size());
  EXPECT_EQ(icmp.type, "unreachable");
  EXPECT_EQ(icmp.code, "port_unreachable");
  EXPECT_EQ(icmp.echoed, Echoed(EchoedTcp{1, 101, 100}));
}

TEST(IcmpReaderTest, AQuotedSynHasItsAbsoluteNumber) {
  const Bytes packet = Segment(kFrom6, kTo6, TcpFlags::kSyn, 9000, 0);
  EXPECT_EQ(ErrorAbout(IpFamily::kIpv6, 1, 4, packet, packet.size()).echoed,
            Echoed(EchoedTcp{0, 0, 0}));
}

// [RFC 792] an error has to quote no more than 8 bytes of the transport.
TEST(IcmpReaderTest, AQuoteThatIsCutTellsWhatHeadersSay) {
  const Bytes packet = Segment(kFrom4, kTo4, TcpFlags::kAck, 9001, 100);
  EXPECT_EQ(ErrorAbout(IpFamily::kIpv4, 3, 3, packet, 28).echoed,
            Echoed(EchoedTcp{1, 101, 100}));
  EXPECT_EQ(ErrorAbout(IpFamily::kIpv4, 3, 3, packet, 27).echoed,
            Echoed(EchoedRaw{27}));
  EXPECT_EQ(ErrorAbout(IpFamily::kIpv4, 3, 3, packet, 0).echoed,
            Echoed(EchoedRaw{0}));
}

TEST(IcmpReaderTest, ADatagramIsQuotedByItsLength) {
  const auto datagram = [](const IpEndpoint& from, const IpEndpoint& to) {
    return tcpip::sim::Build(
        tcpip::sim::UdpPacket{.from = from, .to = to, .payload = Bytes(100)});
  };
  const Bytes v4 = datagram(kFrom4, kTo4);
  EXPECT_EQ(ErrorAbout(IpFamily::kIpv4, 3, 3, v4, v4.size()).echoed,
            Echoed(EchoedUdp{100}));
  const Bytes v6 = datagram(kFrom6, kTo6);
  EXPECT_EQ(ErrorAbout(IpFamily::kIpv6, 1, 4, v6, 48).echoed,
            Echoed(EchoedUdp{100}));
}

TEST(IcmpReaderTest, AnEchoHasItsIdAndItsLength) {
  const Bytes message = {8, 0, 0, 0, 0x12, 0x34, 0, 1, 0, 0, 0};
  const IcmpSpec icmp = ReadIcmp(IpFamily::kIpv4, message, Flow());
  EXPECT_EQ(icmp.type, "echo_request");
  EXPECT_EQ(icmp.id, 0x1234);
  EXPECT_EQ(icmp.echoed, Echoed(EchoedRaw{3}));
}

TEST(IcmpReaderTest, WhatIsTooShortSaysSo) {
  EXPECT_EQ(ReadIcmp(IpFamily::kIpv4, Bytes{3, 3, 0}, Flow()).type,
            "cut_short");
}

TEST(IcmpReaderTest, NumbersAndLeftOutCodesHaveTheNamesThatAreSeen) {
  const auto named = [](IpFamily family, const char* type, const char* code) {
    IcmpSpec icmp;
    icmp.type = type;
    icmp.code = code;
    icmp = WithUsualNames(family, icmp);
    return icmp.type + " " + icmp.code;
  };
  EXPECT_EQ(named(IpFamily::kIpv4, "3", "3"), "unreachable port_unreachable");
  EXPECT_EQ(named(IpFamily::kIpv6, "1", "4"), "unreachable port_unreachable");
  EXPECT_EQ(named(IpFamily::kIpv4, "unreachable", ""),
            "unreachable net_unreachable");
  EXPECT_EQ(named(IpFamily::kIpv4, "unreachable", "no_such"),
            "unreachable no_such");
}

}  // namespace
}  // namespace conformance
