#include "tcpip/stack/tcp_input.h"

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"

namespace tcpip {
namespace {

const FourTuple kFromPeer = {{Ip("10.0.0.1"), 1000}, {Ip("10.0.0.2"), 80}};

Bytes Transport(const Bytes& payload = ToBytes("payload")) {
  return Open(MakeTcp(kFromPeer,
                      {.seq = 7,
                       .ack = 9,
                       .flags = wire::TcpFlags::kAck,
                       .window = 1234,
                       .options = {}},
                      payload))
      .transport;
}

ip::InboundIp Facts(size_t size) {
  return {.source = kFromPeer.local.address,
          .destination = kFromPeer.remote.address,
          .protocol = 6,
          .header_size = 20,
          .size = static_cast<uint32_t>(20 + size)};
}

ParsedTcp Parse(SlabPool& pool, const Bytes& transport) {
  Packet packet = Packet::Copy(pool, transport);
  return ParseTcpPacket(packet, Facts(transport.size()));
}

TEST(ParseTcpPacket, TurnsAPacketIntoASegment) {
  SlabPool pool;
  Packet packet = Packet::Copy(pool, Transport());
  packet.set_ingress(kTestStart);
  packet.offload().gso_size = 3;
  ip::InboundIp ip = Facts(packet.size());
  ip.tos = 0xb8 | 3;  // congestion experienced
  const ParsedTcp parsed = ParseTcpPacket(packet, ip);
  ASSERT_FALSE(parsed.drop);
  // The flow as we see it.
  EXPECT_EQ(parsed.tuple, (FourTuple{kFromPeer.remote, kFromPeer.local}));
  EXPECT_EQ(parsed.segment.seq, tcp::SeqNum(7));
  EXPECT_EQ(parsed.segment.ack, tcp::SeqNum(9));
  EXPECT_EQ(parsed.segment.wnd.field(), 1234);
  EXPECT_EQ(packet.size() - parsed.header_size, ToBytes("payload").size());
  EXPECT_EQ(parsed.segment.gso_size, 3);
  EXPECT_EQ(parsed.segment.ingress, kTestStart);
  EXPECT_TRUE(parsed.segment.congestion_experienced);
}

TEST(ParseTcpPacket, OnlyBothEcnBitsMeanCongestion) {
  SlabPool pool;
  for (const uint8_t tos : {0, 1, 2, 0xfc}) {
    Packet packet = Packet::Copy(pool, Transport());
    ip::InboundIp ip = Facts(packet.size());
    ip.tos = tos;
    EXPECT_FALSE(ParseTcpPacket(packet, ip).segment.congestion_experienced);
  }
}

// [RFC 9293 3.1 MUST-3]
TEST(ParseTcpPacket, EveryFlippedBitIsSeen) {
  SlabPool pool;
  Bytes transport = Transport();
  for (size_t i = 0; i < transport.size(); ++i) {
    transport[i] ^= 1;
    EXPECT_TRUE(Parse(pool, transport).drop) << "byte " << i;
    transport[i] ^= 1;
  }
}

TEST(ParseTcpPacket, TrustsALinkThatVouches) {
  SlabPool pool;
  Bytes transport = Transport();
  transport.back() ^= 1;
  for (const ChecksumState state :
       {ChecksumState::kVerified, ChecksumState::kPartial}) {
    Packet packet = Packet::Copy(pool, transport);
    packet.offload().checksum = state;
    EXPECT_FALSE(ParseTcpPacket(packet, Facts(transport.size())).drop);
  }
  EXPECT_EQ(Parse(pool, transport).drop, DropReason::kTcpBadChecksum);
}

// [fault I15] every data offset with every length
TEST(ParseTcpPacket, NoDataOffsetGetsOutOfBounds) {
  SlabPool pool;
  for (int words = 0; words < 16; ++words) {
    for (size_t size = 0; size <= 70; ++size) {
      Bytes transport = Transport(Bytes(60, 1));
      transport[12] = static_cast<uint8_t>(words << 4);
      transport.resize(size);
      Packet packet = Packet::Copy(pool, transport);
      packet.offload().checksum = ChecksumState::kVerified;
      const ParsedTcp parsed = ParseTcpPacket(packet, Facts(size));
      const size_t header = static_cast<size_t>(words) * 4;
      const bool good = header >= 20 && header <= size;
      EXPECT_EQ(!parsed.drop, good) << words << " words, " << size;
      if (good) {
        EXPECT_EQ(parsed.header_size, header);
      } else {
        EXPECT_EQ(parsed.drop, DropReason::kTcpTruncated);
      }
    }
  }
}

// Says `flags` to the host's port 80 from `port`, and opens the answer.
std::optional<Opened> Say(Host& host, uint16_t port, wire::TcpFlags flags,
                          uint32_t seq = 7, uint32_t ack = 0) {
  const auto answers = host.Exchange(
      MakeTcp({{Ip("10.0.0.1"), port}, {Ip("10.0.0.2"), 80}},
              {.seq = seq, .ack = ack, .flags = flags, .options = {}}));
  if (answers.empty()) return std::nullopt;
  return Open(answers.front());
}

TEST(TcpInput, EveryDropAtAListenerHasItsOwnReason) {
  StackConfig config;
  config.max_sockets = 3;
  config.tcp.max_half_open = 1;
  Host host(1, {.name = "x"}, {"10.0.0.2/24"}, config);
  const TcpListenOptions one = {.local = {Ip("10.0.0.2"), 80}, .backlog = 0};
  ASSERT_TRUE(host.stack().TcpListen(one).ok());

  EXPECT_FALSE(Say(host, 1000, wire::TcpFlags::kRst));
  EXPECT_EQ(host.Dropped(DropReason::kTcpNotForListen), 1u);
  const auto syn_ack = Say(host, 1000, wire::TcpFlags::kSyn);
  ASSERT_TRUE(syn_ack);
  EXPECT_FALSE(Say(host, 1001, wire::TcpFlags::kSyn));
  EXPECT_EQ(host.Dropped(DropReason::kTcpTooManyHalfOpen), 1u);
  EXPECT_EQ(host.stack().Stats().tcp_listen_overflows, 0u);

  Say(host, 1000, wire::TcpFlags::kAck, 8, syn_ack->Tcp().seq + 1);
  EXPECT_EQ(host.stack().Stats().tcp_curr_estab, 1u);
  EXPECT_FALSE(Say(host, 1002, wire::TcpFlags::kSyn));
  EXPECT_EQ(host.Dropped(DropReason::kTcpAcceptQueueFull), 1u);
  EXPECT_EQ(host.stack().Stats().tcp_listen_overflows, 1u);

  ASSERT_TRUE(host.stack().UdpOpen({.local = {Ip("10.0.0.2"), 53}}).ok());
  EXPECT_FALSE(Say(host, 1003, wire::TcpFlags::kSyn));
  EXPECT_EQ(host.Dropped(DropReason::kTcpTooManySockets), 1u);
}

// An ICMP unreachable about the host's SYN.
class NoticeTest : public testing::Test {
 protected:
  NoticeTest() {
    id_ = host_.stack()
              .TcpConnect({.remote = kFromPeer.local}, kTestStart)
              .value();
    syn_ = host_.Drain().at(0);
  }

  bool Refused() { return host_.stack().GetReadiness(id_)->closed; }
  void Report(uint8_t type, uint8_t code) {
    host_.Receive(
        MakeIcmp({Ip("10.0.0.254"), Ip("10.0.0.2"), 1}, type, 0, syn_, code));
  }

  Host host_{1, {.name = "x"}, {"10.0.0.2/24"}};
  SocketId id_;
  Bytes syn_;
};

// [RFC 9293 3.9.2.2 MUST-54]
TEST_F(NoticeTest, AnUnreachableEndsAConnectionThatHasNotBegun) {
  Report(3, 1);
  EXPECT_TRUE(Refused());
  EXPECT_EQ(*host_.stack().TcpGetError(id_), tcp::TcpError::kUnreachable);
  EXPECT_EQ(host_.stack().Stats().tcp_attempt_fails, 1u);
  EXPECT_EQ(host_.stack().Stats().icmp_soft_errors, 0u);
}

// [RFC 5927 4.1] a guess that misses the sequence number changes nothing
TEST_F(NoticeTest, AForgedUnreachableIsIgnored) {
  syn_[27] ^= 1;
  Report(3, 1);
  EXPECT_FALSE(Refused());
  EXPECT_EQ(host_.Dropped(DropReason::kIcmpIgnored), 1u);
}

// [RFC 9293 3.9.2.2 MUST-55]
TEST_F(NoticeTest, OtherErrorsAndOtherFlowsAreIgnored) {
  Report(4, 0);    // source quench [RFC 6633 3]
  Report(5, 1);    // redirect
  Report(3, 200);  // a code that nobody has defined
  syn_[21] ^= 1;   // another port
  Report(3, 1);
  EXPECT_FALSE(Refused());
  EXPECT_EQ(host_.Dropped(DropReason::kIcmpIgnored), 4u);
}

// An error goes to the sender of the packet it quotes, and nowhere else.
TEST(Notice, AnErrorAboutAPacketOfAnotherAddressIsIgnored) {
  Host host(1, {.name = "x"}, {"10.0.0.2/24", "10.0.0.3/24"});
  const SocketId id =
      host.stack()
          .TcpConnect({.remote = {Ip("10.0.0.1"), 80}}, kTestStart)
          .value();
  const Bytes syn = host.Drain().at(0);
  host.Receive(MakeIcmp({Ip("10.0.0.254"), Ip("10.0.0.3"), 1}, 3, 0, syn, 1));
  EXPECT_FALSE(host.stack().GetReadiness(id)->closed);
}

struct ErrorCase {
  bool v4;
  uint8_t type;
  uint8_t code;
  tcp::TcpError want;
};

// What connect() fails with on Linux: ENETUNREACH, EHOSTUNREACH, ECONNREFUSED,
// EPROTO.
const ErrorCase kErrorCases[] = {
    {true, 3, 0, tcp::TcpError::kNetUnreachable},
    {true, 3, 1, tcp::TcpError::kUnreachable},
    {true, 3, 2, tcp::TcpError::kProtocol},
    {true, 3, 3, tcp::TcpError::kRefused},
    {true, 3, 5, tcp::TcpError::kNetUnreachable},
    {true, 3, 6, tcp::TcpError::kNetUnreachable},
    {true, 3, 7, tcp::TcpError::kUnreachable},
    {true, 3, 10, tcp::TcpError::kUnreachable},
    {true, 3, 11, tcp::TcpError::kNetUnreachable},
    {true, 3, 12, tcp::TcpError::kUnreachable},
    {true, 3, 13, tcp::TcpError::kUnreachable},
    {true, 11, 0, tcp::TcpError::kUnreachable},
    {true, 12, 0, tcp::TcpError::kProtocol},
    {false, 1, 0, tcp::TcpError::kNetUnreachable},
    {false, 1, 1, tcp::TcpError::kUnreachable},
    {false, 1, 3, tcp::TcpError::kUnreachable},
    {false, 1, 4, tcp::TcpError::kRefused},
    {false, 3, 0, tcp::TcpError::kUnreachable},
    {false, 4, 1, tcp::TcpError::kProtocol},
};

TEST(Notice, TheCodeDecidesWhatConnectFailsWith) {
  for (const ErrorCase& c : kErrorCases) {
    Host host(1, {.name = "x"}, {"10.0.0.2/24", "2001:db8::2/64"});
    const IpAddress peer = Ip(c.v4 ? "10.0.0.1" : "2001:db8::1");
    const IpAddress own = Ip(c.v4 ? "10.0.0.2" : "2001:db8::2");
    const SocketId id =
        host.stack().TcpConnect({.remote = {peer, 80}}, kTestStart).value();
    const Bytes syn = host.Drain().at(0);
    const auto protocol = static_cast<uint8_t>(c.v4 ? 1 : 58);
    host.Receive(MakeIcmp({peer, own, protocol}, c.type, 0, syn, c.code));
    EXPECT_EQ(*host.stack().TcpGetError(id), c.want)
        << int{c.type} << "/" << int{c.code};
  }
}

}  // namespace
}  // namespace tcpip
