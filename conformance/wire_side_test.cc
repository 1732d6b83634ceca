#include "conformance/wire_side.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cursor.h"
#include "conformance/fake_host.h"
#include "conformance/lexer.h"
#include "conformance/parser_packets.h"
#include "gtest/gtest.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"

namespace conformance {
namespace {

using tcpip::Duration;
using tcpip::IpAddress;
using tcpip::IpEndpoint;
using tcpip::sim::Bytes;
using tcpip::wire::TcpFlags;

const IpAddress kLocal = IpAddress::Ipv4(192, 168, 0, 1);
const IpAddress kRemote = IpAddress::Ipv4(192, 0, 2, 1);
constexpr uint32_t kIsn = 9000;  // of the host

constexpr Duration Ms(int64_t ms) { return Duration::Milliseconds(ms); }
constexpr Window At(int64_t ms) { return {.from = Ms(ms), .until = Ms(ms)}; }

PacketSpec Packet(const std::string& text) {
  Lexer lexer(text, "linux");
  Cursor cursor(lexer);
  PacketSpec packet;
  EXPECT_TRUE(ParsePacket(cursor, packet)) << cursor.error();
  return packet;
}

std::string Said(const Ended& ended) { return ended ? ended->message : ""; }

// A listener of which a connection is established, numbers from 1 on.
class WireSideTest : public testing::Test {
 protected:
  WireSideTest() {
    flows_.OnListen();
    EXPECT_EQ(Said(wire_.Inject(Packet("< S 0:0(0) win 1000"))), "");
    peer_ = flows_.current().remote;
    host_.Sends(Ms(0), Segment(TcpFlags::kSyn | TcpFlags::kAck, 0, 0, 1));
    EXPECT_EQ(Said(wire_.Expect(Packet("> S. 0:0(0) ack 1"), At(0))), "");
  }

  Bytes Segment(int flags, uint32_t start, size_t length, uint32_t ack) {
    return tcpip::sim::Build(tcpip::sim::TcpPacket{.from = {kLocal, 8080},
                                                   .to = peer_,
                                                   .seq = kIsn + start,
                                                   .ack = ack,
                                                   .flags = TcpFlags(flags),
                                                   .options = {},
                                                   .payload = Bytes(length)});
  }
  Bytes Data(uint32_t start, size_t length, int more = 0) {
    return Segment(TcpFlags::kAck | more, start, length, 1);
  }
  std::string Expect(const std::string& text, const Window& window) {
    return Said(wire_.Expect(Packet(text), window));
  }

  FakeHost host_;
  FlowBook flows_{{.local = kLocal, .remote = kRemote}};
  Journal journal_{100};
  WireSide wire_{host_, flows_, journal_, {}};
  IpEndpoint peer_;
};

TEST_F(WireSideTest, InjectsTheNumbersOfTheFlow) {
  EXPECT_EQ(Said(wire_.Inject(Packet("< P. 1:11(10) ack 1 win 500"))), "");
  const auto read = tcpip::sim::Read(host_.injected().back());
  ASSERT_TRUE(read && read->tcp);
  EXPECT_EQ(read->tcp->header.ack, kIsn + 1);
  EXPECT_EQ(read->tcp->payload.size(), 10u);
  EXPECT_EQ(journal_.lines().back(), "0.000000 < P. 1:11(10) ack 1 win 500");
}

TEST_F(WireSideTest, WhatCannotBeSentIsNotSent) {
  const size_t before = host_.injected().size();
  const Ended tunnel = wire_.Inject(Packet("< gre: . 1:1(0) ack 1 win 5"));
  ASSERT_TRUE(tunnel);
  EXPECT_EQ(tunnel->skip, SkipReason::kTunnel);
  const Ended echo =
      wire_.Inject(Packet("< . 1:1(0) ack 1 win 5 <nop,nop,TS val 1 ecr 77>"));
  ASSERT_TRUE(echo);
  EXPECT_EQ(echo->verdict, Verdict::kFail);
  EXPECT_EQ(host_.injected().size(), before);
}

TEST_F(WireSideTest, APacketHasToLeaveAtItsTime) {
  for (const int64_t at : {10, 20, 30, 40, 50}) {
    host_.Sends(Ms(at), Data(1, 5));
  }
  EXPECT_EQ(Expect("> . 1:6(5) ack 1", At(10)), "");
  EXPECT_EQ(Expect("> . 1:6(5) ack 1", At(21)),
            "wrong packet: it was sent at 0.020000 instead of 0.021000");
  Window slack = At(31);
  slack.slack = Ms(1);
  EXPECT_EQ(Expect("> . 1:6(5) ack 1", slack), "");
  EXPECT_EQ(Expect("> . 1:6(5) ack 1", {.from = Ms(1), .until = Ms(39)}),
            "no packet was sent by 0.039000");
  EXPECT_EQ(Expect("> . 1:6(5) ack 1", {.from = Ms(30), .until = Ms(40)}), "");
  EXPECT_EQ(Expect("> . 1:6(5) ack 1", {.any = true}), "");
}

TEST_F(WireSideTest, SegmentsInARowAreWhatIsExpectedInOne) {
  for (const uint32_t start : {1u, 101u, 201u, 301u}) {
    host_.Sends(Ms(10), Data(start, 100));
  }
  EXPECT_EQ(Expect("> . 1:201(200) ack 1", At(10)), "");
  EXPECT_EQ(Expect("> . 201:301(100) ack 1", At(10)), "");
  EXPECT_EQ(Expect("> . 301:501(200) ack 1", At(10)),
            "wrong packet: length is 100 instead of 200");
}

TEST_F(WireSideTest, WhatDoesNotJoinIsComparedNext) {
  host_.Sends(Ms(10), Data(1, 100));
  host_.Sends(Ms(10), Data(301, 100));
  EXPECT_EQ(Expect("> . 1:201(200) ack 1", At(10)),
            "wrong packet: length is 100 instead of 200");
  EXPECT_EQ(Expect("> . 301:401(100) ack 1", At(10)), "");
  EXPECT_EQ(Said(wire_.CheckLeftovers()), "");
}

TEST_F(WireSideTest, SegmentsStayApartWhereTheRulesSaySo) {
  WireSide strict(host_, flows_, journal_, {.strict_segments = true});
  host_.Sends(Ms(10), Data(1, 100));
  host_.Sends(Ms(10), Data(101, 100));
  EXPECT_EQ(Said(strict.Expect(Packet("> . 1:201(200) ack 1"), At(10))),
            "wrong packet: length is 100 instead of 200");
}

TEST_F(WireSideTest, ASegmentOfAnotherFlowIsWrongThoughItsNumbersAreNot) {
  peer_.port = static_cast<uint16_t>(peer_.port + 1);
  host_.Sends(Ms(10), Data(1, 5));
  EXPECT_NE(Expect("> . 1:6(5) ack 1", At(10)).find("it is of another flow"),
            std::string::npos);
  peer_ = {IpAddress::Ipv4(192, 0, 2, 2), flows_.current().remote.port};
  host_.Sends(Ms(10), Data(1, 5));
  EXPECT_NE(Expect("> . 1:6(5) ack 1", At(10)).find("it is of another flow"),
            std::string::npos);
}

TEST_F(WireSideTest, DatagramsAndErrorsHaveTheirFlowToo) {
  const auto datagram = [](const IpEndpoint& to) {
    return tcpip::sim::Build(tcpip::sim::UdpPacket{
        .from = {kLocal, 8080}, .to = to, .payload = Bytes(9)});
  };
  host_.Sends(Ms(10), datagram(peer_));
  EXPECT_EQ(Expect("> udp (9)", At(10)), "");
  host_.Sends(Ms(10), datagram({kRemote, 7}));
  EXPECT_EQ(Expect("> udp (9)", At(10)),
            "wrong packet: it is of another flow, 192.168.0.1:8080 -> "
            "192.0.2.1:7, than the one under test");
  const auto error = [](const IpAddress& to) {
    return tcpip::sim::Build(
        tcpip::sim::IcmpPacket{.from = kLocal, .to = to, .type = 3, .code = 3});
  };
  host_.Sends(Ms(10), error(kRemote));
  EXPECT_EQ(Expect("> icmp 3 port_unreachable", At(10)), "");
  host_.Sends(Ms(10), error(IpAddress::Ipv4(192, 0, 2, 2)));
  EXPECT_NE(Expect("> icmp 3 3", At(10)).find("it is of another flow"),
            std::string::npos);
}

TEST_F(WireSideTest, AFaultIsToldWhateverIsExpected) {
  Bytes damaged = Data(1, 5);
  damaged.back() = 1;
  host_.Sends(Ms(10), damaged);
  EXPECT_EQ(Expect("> . 1:6(5) ack 1 <...>", At(10)),
            "wrong packet: a wrong checksum; payload that is not zeros");
  host_.Sends(Ms(10), Bytes(7));
  EXPECT_NE(Expect("> . 1:6(5) ack 1 <...>", At(10)).find("7 bytes"),
            std::string::npos);
}

TEST_F(WireSideTest, WhatNobodyExpectedIsLeftOver) {
  EXPECT_EQ(Said(wire_.CheckLeftovers()), "");
  host_.Sends(Ms(10), Data(1, 5));
  EXPECT_EQ(Said(wire_.CheckLeftovers()), "") << "it comes later";
  host_.AdvanceTo(Ms(10));
  const Ended left = wire_.CheckLeftovers();
  ASSERT_TRUE(left);
  EXPECT_EQ(left->verdict, Verdict::kFail);
  EXPECT_NE(left->details.at(0).find(" . 1:6(5) ack 1"), std::string::npos)
      << left->details.at(0);
}

TEST_F(WireSideTest, WhatWasPutBackIsLeftOver) {
  host_.Sends(Ms(10), Data(1, 100));
  host_.Sends(Ms(10), Data(301, 100));
  EXPECT_NE(Expect("> . 1:201(200) ack 1", At(10)), "");
  EXPECT_EQ(Said(wire_.CheckLeftovers()),
            "a packet that nothing in the script expects");
}

}  // namespace
}  // namespace conformance
