#include "tcpip/testing/packet_matchers.h"

#include <vector>

#include "gtest/gtest.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip::sim {
namespace {

using testing::ElementsAre;
using testing::Ge;
using testing::Not;

Bytes Packet() {
  return Build(TcpPacket{.from = *IpEndpoint::Parse("10.0.0.1:1"),
                         .to = *IpEndpoint::Parse("10.0.0.2:2"),
                         .seq = 10,
                         .ack = 20,
                         .flags = wire::TcpFlags::kPsh | wire::TcpFlags::kAck,
                         .window = 30,
                         .payload = Bytes(40)});
}

TEST(TcpSegment, MatchesEveryPart) {
  const Bytes packet = Packet();
  EXPECT_THAT(packet, TcpSegment());
  EXPECT_THAT(packet, TcpSegment(Flags("P."), Seq(10), Ack(20), Window(30),
                                 Len(Ge(40))));
  EXPECT_THAT(packet, TcpSegment(Options(wire::TcpOptions())));
  EXPECT_THAT(packet, Not(TcpSegment(Flags("."))));
  EXPECT_THAT(packet, Not(TcpSegment(Flags("P."), Seq(11))));
  EXPECT_THAT(packet, Not(TcpSegment(Ack(10))));
  EXPECT_THAT(packet, Not(TcpSegment(Window(31))));
  EXPECT_THAT(packet, Not(TcpSegment(Len(41))));
  EXPECT_THAT((std::vector{packet, packet}),
              ElementsAre(TcpSegment(Seq(10)), TcpSegment(Len(40))));
}

TEST(TcpSegment, MatchesNothingElse) {
  EXPECT_THAT(Bytes(), Not(TcpSegment()));
  EXPECT_THAT(Build(UdpPacket{.from = *IpEndpoint::Parse("10.0.0.1:1"),
                              .to = *IpEndpoint::Parse("10.0.0.2:2")}),
              Not(TcpSegment()));
  Bytes damaged = Packet();
  damaged.back() ^= 1;
  EXPECT_THAT(damaged, Not(TcpSegment()));
}

TEST(TcpSegment, SaysWhatThePacketIs) {
  testing::StringMatchResultListener listener;
  EXPECT_FALSE(
      testing::ExplainMatchResult(TcpSegment(Seq(11)), Packet(), &listener));
  EXPECT_NE(listener.str().find("10.0.0.1:1 > 10.0.0.2:2: P. seq 10 ack 20"),
            std::string::npos)
      << listener.str();
}

}  // namespace
}  // namespace tcpip::sim
