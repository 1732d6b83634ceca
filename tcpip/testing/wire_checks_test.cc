#include "tcpip/testing/wire_checks.h"

#include <string>

#include "gtest/gtest.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip::sim {
namespace {

using wire::TcpFlags;

const IpEndpoint kA = *IpEndpoint::Parse("10.0.0.1:4000");
const IpEndpoint kB = *IpEndpoint::Parse("10.0.0.2:80");

// a has sent SYN with seq 100, b SYN-ACK with seq 500; both offered scale 2.
// Windows below are 1000 << 2.
class Checks : public testing::Test {
 protected:
  void SetUp() override {
    wire::TcpOptions options;
    options.window_scale = 2;
    SendBoth({.from = kA,
              .to = kB,
              .seq = 100,
              .flags = TcpFlags::kSyn,
              .options = options});
    SendBoth({.from = kB,
              .to = kA,
              .seq = 500,
              .ack = 101,
              .flags = TcpFlags::kSyn | TcpFlags::kAck,
              .window = 4000,
              .options = options});
    SendBoth(FromA());
    SendBoth(FromB());
  }

  static TcpPacket FromA() {
    return {.from = kA,
            .to = kB,
            .seq = 101,
            .ack = 501,
            .flags = TcpFlags::kAck,
            .window = 1000};
  }
  static TcpPacket FromB() {
    return {.from = kB,
            .to = kA,
            .seq = 501,
            .ack = 101,
            .flags = TcpFlags::kAck,
            .window = 1000};
  }

  std::string Send(const TcpPacket& packet) {
    return checks_.OnSent(Build(packet));
  }
  void Deliver(const TcpPacket& packet) { checks_.OnDelivered(Build(packet)); }
  void SendBoth(const TcpPacket& packet) {
    EXPECT_EQ(Send(packet), "");
    Deliver(packet);
  }

  WireChecks checks_{1500};
};

TEST_F(Checks, OrdinarySegmentsPass) {
  TcpPacket data = FromA();
  data.payload = Bytes(1460);
  EXPECT_EQ(Send(data), "");
}

TEST_F(Checks, GarbageIsSeen) {
  EXPECT_NE(checks_.OnSent(Bytes(3)), "");
  Bytes packet = Build(FromA());
  packet.back() ^= 1;
  EXPECT_NE(checks_.OnSent(packet).find("checksum"), std::string::npos);
}

TEST_F(Checks, APacketAboveTheMtuIsSeen) {
  TcpPacket data = FromA();
  data.payload = Bytes(1461);
  EXPECT_NE(Send(data), "");
}

TEST_F(Checks, FragmentsAreOfOtherTransportsAndOfTheRightSizes) {
  IpFragment part = {.from = *IpAddress::Parse("10.0.0.1"),
                     .to = *IpAddress::Parse("10.0.0.2"),
                     .more = true,
                     .data = Bytes(1480)};
  EXPECT_EQ(checks_.OnSent(Build(part)), "");
  part.protocol = wire::kTcp;
  EXPECT_NE(checks_.OnSent(Build(part)), "");
  part.protocol = wire::kUdp;
  for (const size_t size : {1479u, 1488u}) {
    part.data.resize(size);
    EXPECT_NE(checks_.OnSent(Build(part)), "") << size;
  }
}

TEST_F(Checks, OnlySynAndRstMayLackAck) {
  TcpPacket packet = FromA();
  packet.flags = TcpFlags::kFin;
  EXPECT_NE(Send(packet), "");
  packet.flags = TcpFlags::kRst;
  EXPECT_EQ(Send(packet), "");
}

TEST_F(Checks, TheRightEdgeMayStayOrMoveRight) {
  TcpPacket packet = FromA();
  packet.ack += 400;
  packet.window -= 100;
  EXPECT_EQ(Send(packet), "");  // the same edge
  packet.window += 1;
  EXPECT_EQ(Send(packet), "");
  packet.window -= 1;
  EXPECT_NE(Send(packet), "");
}

TEST_F(Checks, DataEndsAtTheEdgeTheSenderHasHeardOf) {
  TcpPacket data = FromA();
  data.seq = 101 + 4000 - 100;
  data.payload = Bytes(100);
  EXPECT_EQ(Send(data), "");
  data.payload = Bytes(101);
  EXPECT_NE(Send(data), "");

  // What b has sent counts once it has arrived.
  TcpPacket update = FromB();
  update.window = 1001;
  EXPECT_EQ(Send(update), "");
  EXPECT_NE(Send(data), "");
  Deliver(update);
  EXPECT_EQ(Send(data), "");
}

TEST_F(Checks, AnAckOfDataNeverSentOpensNoWindow) {
  TcpPacket lie = FromB();
  for (const uint32_t ack : {102u, 101u + 0x80000000, 100u - 0x7fffffff}) {
    lie.ack = ack;
    Deliver(lie);
  }
  TcpPacket data = FromA();
  data.payload = Bytes(1000);
  EXPECT_EQ(Send(data), "");
  data.seq = 101 + 4000;
  EXPECT_NE(Send(data), "");
}

TEST_F(Checks, AProbeOfOneByteMayGoBeyondTheEdge) {
  TcpPacket probe = FromA();
  probe.seq = 101 + 4000;
  probe.payload = Bytes(1);
  EXPECT_EQ(Send(probe), "");
  probe.payload = Bytes(2);
  EXPECT_NE(Send(probe), "");
}

TEST_F(Checks, ANewConnectionOnTheSamePortsStartsAfresh) {
  SendBoth({.from = kA,
            .to = kB,
            .seq = 0x80000000,
            .flags = TcpFlags::kSyn,
            .window = 10});
  SendBoth({.from = kB,
            .to = kA,
            .seq = 5,
            .ack = 0x80000001,
            .flags = TcpFlags::kSyn | TcpFlags::kAck,
            .window = 10});
  TcpPacket data = FromA();
  data.seq = 0x80000001;
  data.ack = 6;
  data.window = 10;  // not scaled: nobody has offered it
  data.payload = Bytes(10);
  EXPECT_EQ(Send(data), "");
  data.payload = Bytes(11);
  EXPECT_NE(Send(data), "");
}

}  // namespace
}  // namespace tcpip::sim
