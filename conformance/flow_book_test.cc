#include "conformance/flow_book.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/testing/packet_builder.h"

namespace conformance {
namespace {

using tcpip::IpAddress;
using tcpip::IpEndpoint;
using tcpip::wire::TcpFlags;

const IpAddress kLocal = IpAddress::Ipv4(192, 168, 0, 1);
const IpAddress kRemote = IpAddress::Ipv4(192, 0, 2, 1);

FlowBook Book(uint32_t shift = 0) {
  return FlowBook(
      {.local = kLocal, .remote = kRemote, .remote_isn_shift = shift});
}

PacketSpec Spec(Direction direction, int flags, uint32_t start) {
  TcpSpec tcp;
  tcp.flags = TcpFlags(flags);
  tcp.start = tcp.end = start;
  PacketSpec packet;
  packet.direction = direction;
  packet.transport = tcp;
  return packet;
}

PacketSpec WithPorts(PacketSpec packet, uint16_t source, uint16_t destination) {
  std::get<TcpSpec>(packet.transport).ports = PortsSpec{source, destination};
  return packet;
}

const PacketSpec kAckOut = Spec(Direction::kOutbound, TcpFlags::kAck, 1);
const PacketSpec kSynIn = Spec(Direction::kInbound, TcpFlags::kSyn, 0);

std::vector<uint8_t> Sent(const IpEndpoint& from, const IpEndpoint& to,
                          int flags, uint32_t seq) {
  return tcpip::sim::Build(tcpip::sim::TcpPacket{.from = from,
                                                 .to = to,
                                                 .seq = seq,
                                                 .flags = TcpFlags(flags),
                                                 .options = {}});
}

TEST(FlowBookTest, ASynToAListenerBeginsAFlow) {
  FlowBook book = Book();
  book.OnListen();
  const uint16_t before = book.current().remote.port;
  const FlowMap& flow = book.OnInbound(kSynIn);
  EXPECT_NE(flow.remote.port, before);
  EXPECT_EQ(flow.local, (IpEndpoint{kLocal, 8080}));
  EXPECT_TRUE(flow.remote_seq.known());
}

TEST(FlowBookTest, ALaterSynIsOfTheSameFlow) {
  FlowBook book = Book();
  book.OnListen();
  const uint16_t port = book.OnInbound(kSynIn).remote.port;
  EXPECT_EQ(book.OnInbound(kSynIn).remote.port, port);
}

TEST(FlowBookTest, TheShiftMovesTheLiveIsn) {
  FlowBook book = Book(0xffffffff);
  book.OnListen();
  const FlowMap& flow = book.OnInbound(kSynIn);
  EXPECT_EQ(flow.remote_seq.ToLive(0, true), 0xffffffffu);
  EXPECT_EQ(flow.remote_seq.ToLive(1, false), 0u);
}

TEST(FlowBookTest, LearnsPortAndIsnOfAConnectingHost) {
  FlowBook book = Book();
  book.OnConnect({kRemote, 8080});
  const FlowMap& flow = book.OnOutbound(
      Spec(Direction::kOutbound, TcpFlags::kSyn, 50),
      Sent({kLocal, 33333}, {kRemote, 8080}, TcpFlags::kSyn, 9000));
  EXPECT_EQ(flow.local.port, 33333);
  EXPECT_EQ(flow.local_seq.ToScript(9000, true), 50u);
  EXPECT_EQ(flow.local_seq.ToScript(9001, false), 1u);
}

TEST(FlowBookTest, AnAcceptedFlowIsTheOneUnderTest) {
  FlowBook book = Book();
  book.OnListen();
  const IpEndpoint first = book.OnInbound(kSynIn).remote;
  book.OnSocket(false);
  EXPECT_NE(book.current().remote, first);
  book.OnAccept(first);
  EXPECT_EQ(book.current().remote, first);
}

TEST(FlowBookTest, APacketOfAnotherFlowIsNotTheOneUnderTest) {
  FlowBook book = Book();
  book.OnListen();
  const IpEndpoint first = book.OnInbound(kSynIn).remote;
  book.OnSocket(false);
  const IpEndpoint second = book.current().remote;
  book.OnOutbound(kAckOut, Sent({kLocal, 8080}, first, TcpFlags::kAck, 1));
  EXPECT_EQ(book.current().remote, second);
  EXPECT_FALSE(book.IsCurrent({{kLocal, 8080}, first}));
  EXPECT_TRUE(book.IsCurrent({{kLocal, 8080}, second}));
}

TEST(FlowBookTest, APacketThatIsExpectedWithPortsMakesTheirFlowCurrent) {
  FlowBook book = Book();
  book.OnListen();
  const IpEndpoint first = book.OnInbound(kSynIn).remote;
  book.OnSocket(false);
  book.OnOutbound(WithPorts(kAckOut, 8080, first.port),
                  Sent({kLocal, 8080}, first, TcpFlags::kAck, 1));
  EXPECT_EQ(book.current().remote, first);
}

TEST(FlowBookTest, APacketWithPortsGoesOnWithTheirFlow) {
  FlowBook book = Book(7);
  book.OnListen();
  book.OnInbound(WithPorts(kSynIn, 1000, 8080));
  book.OnInbound(WithPorts(kSynIn, 1001, 8080));
  const FlowMap& flow = book.OnInbound(
      WithPorts(Spec(Direction::kInbound, TcpFlags::kAck, 1), 1000, 8080));
  EXPECT_EQ(flow.remote.port, 1000);
  EXPECT_TRUE(flow.remote_seq.known());
  EXPECT_EQ(flow.remote_seq.ToLive(1, false), 8u);
}

TEST(FlowBookTest, ASynWithTheSamePortsLaterBeginsAnew) {
  FlowBook book = Book();
  book.OnListen();
  book.OnInbound(WithPorts(kSynIn, 1000, 8080));
  book.OnOutbound(Spec(Direction::kOutbound, TcpFlags::kSyn, 0),
                  Sent({kLocal, 8080}, {kRemote, 1000}, TcpFlags::kSyn, 5000));
  book.OnInbound(WithPorts(kSynIn, 1001, 8080));
  EXPECT_FALSE(book.OnInbound(WithPorts(kSynIn, 1000, 8080)).local_seq.known());
}

PacketSpec Datagram(std::optional<PortsSpec> ports) {
  PacketSpec packet;
  packet.transport = UdpSpec{.ports = ports, .length = 9};
  return packet;
}

TEST(FlowBookTest, ADatagramHasThePortsItSays) {
  FlowBook book = Book();
  book.OnSocket(true);
  const FlowMap& flow = book.OnInbound(Datagram(PortsSpec{53, 99}));
  EXPECT_EQ(flow.remote.port, 53);
  EXPECT_EQ(flow.local.port, 99);
}

TEST(FlowBookTest, TheHostsOwnPortIsLearntFromItsFirstDatagram) {
  FlowBook book = Book();
  book.OnSocket(true);
  const IpEndpoint other = {IpAddress::Ipv4(192, 0, 2, 9), 7};
  book.OnSendTo(other);
  book.OnOutbound(Datagram(std::nullopt),
                  tcpip::sim::Build(tcpip::sim::UdpPacket{
                      .from = {kLocal, 33333}, .to = other}));
  EXPECT_EQ(book.current().local.port, 33333);
  EXPECT_EQ(book.current().remote, other);
}

TEST(FlowBookTest, APortThatTheScriptBoundIsNotLearnt) {
  FlowBook book = Book();
  book.OnSocket(false);
  book.OnBind({kLocal, 99});
  book.OnConnect({kRemote, 8080});
  book.OnOutbound(Spec(Direction::kOutbound, TcpFlags::kSyn, 0),
                  Sent({kLocal, 98}, {kRemote, 8080}, TcpFlags::kSyn, 1));
  EXPECT_EQ(book.current().local.port, 99);
}

TEST(FlowBookTest, AStreamDoesNotFollowTheAddressOfSendto) {
  FlowBook book = Book();
  book.OnListen();
  const IpEndpoint peer = book.OnInbound(kSynIn).remote;
  book.OnAccept(peer);
  book.OnSendTo({kRemote, 8080});
  EXPECT_EQ(book.current().remote, peer);
}

TEST(FlowBookTest, WhatHasNoPortsIsKnownByItsAddresses) {
  const FlowBook book = Book();
  EXPECT_TRUE(book.IsCurrent({{kLocal, 0}, {kRemote, 0}}));
  EXPECT_FALSE(book.IsCurrent({{kLocal, 0}, {kLocal, 0}}));
  EXPECT_FALSE(book.IsCurrent({{kRemote, 0}, {kRemote, 0}}));
}

TEST(FlowBookTest, BindGivesThePort) {
  FlowBook book = Book();
  book.OnBind({kLocal, 99});
  book.OnListen();
  EXPECT_EQ(book.OnInbound(kSynIn).local.port, 99);
}

}  // namespace
}  // namespace conformance
