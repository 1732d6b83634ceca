#include "conformance/flow_book.h"

#include <cstdint>
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
  book.OnSocket();
  EXPECT_NE(book.current().remote, first);
  book.OnAccept(first);
  EXPECT_EQ(book.current().remote, first);
}

TEST(FlowBookTest, APacketOfAnotherFlowMakesThatCurrent) {
  FlowBook book = Book();
  book.OnListen();
  const IpEndpoint first = book.OnInbound(kSynIn).remote;
  book.OnSocket();
  book.OnOutbound(Spec(Direction::kOutbound, TcpFlags::kAck, 1),
                  Sent({kLocal, 8080}, first, TcpFlags::kAck, 1));
  EXPECT_EQ(book.current().remote, first);
}

TEST(FlowBookTest, BindGivesThePort) {
  FlowBook book = Book();
  book.OnBind({kLocal, 99});
  book.OnListen();
  EXPECT_EQ(book.OnInbound(kSynIn).local.port, 99);
}

}  // namespace
}  // namespace conformance
