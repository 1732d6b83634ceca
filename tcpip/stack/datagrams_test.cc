#include "tcpip/stack/datagrams.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"

namespace tcpip {
namespace {

const IpEndpoint kOwn = {Ip("10.0.0.2"), 53};
const IpEndpoint kPeer = {Ip("10.0.0.1"), 4000};
const IpEndpoint kOwn6 = {Ip("2001:db8::2"), 53};
const IpEndpoint kPeer6 = {Ip("2001:db8::1"), 4000};

class DatagramsTest : public testing::Test {
 protected:
  Stack& stack() { return host_.stack(); }
  SocketId OpenUdp(const UdpOpenOptions& options) {
    return stack().UdpOpen(options).value();
  }
  // The payload of the oldest datagram, or nothing.
  std::optional<Bytes> Read(SocketId id) {
    auto datagram = stack().UdpRecv(id);
    EXPECT_TRUE(datagram.ok());
    if (!datagram.ok() || !*datagram) return std::nullopt;
    return Flatten((*datagram)->payload);
  }
  absl::StatusCode Send(SocketId id, std::optional<IpEndpoint> to,
                        size_t size) {
    return stack().UdpSend(id, to, Bytes(size, 1), kTestStart).code();
  }

  Host host_{1, {.name = "x"}, {"10.0.0.2/24", "2001:db8::2/64"}};
};

TEST_F(DatagramsTest, ReceivesWithBothEndpointsEmptyOnesIncluded) {
  const SocketId id = OpenUdp({.local = {Ip("::"), 53}});
  host_.Receive(MakeUdp({kPeer, kOwn}, ToBytes("four")));
  host_.Receive(MakeUdp({kPeer6, kOwn6}, {}));
  auto first = stack().UdpRecv(id).value();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->source, kPeer);
  EXPECT_EQ(first->destination, kOwn);
  EXPECT_EQ(Flatten(first->payload), ToBytes("four"));
  auto second = stack().UdpRecv(id).value();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->source, kPeer6);
  EXPECT_EQ(second->payload.size(), 0u);
  EXPECT_FALSE(stack().UdpRecv(id).value());
  EXPECT_EQ(stack().Stats().udp_in_datagrams, 2u);
}

TEST_F(DatagramsTest, TheMostSpecificSocketGetsIt) {
  const SocketId any = OpenUdp({.local = {Ip("::"), 53}});
  const SocketId connected = OpenUdp({.local = kOwn, .remote = kPeer});
  const IpEndpoint other = {kPeer.address, 4001};
  host_.Receive(MakeUdp({kPeer, kOwn}, ToBytes("to connected")));
  host_.Receive(MakeUdp({other, kOwn}, ToBytes("to any")));
  EXPECT_EQ(Read(connected), ToBytes("to connected"));
  EXPECT_FALSE(Read(connected));
  EXPECT_EQ(Read(any), ToBytes("to any"));
}

TEST_F(DatagramsTest, AConnectedSocketHearsNobodyElse) {
  const SocketId id = OpenUdp({.local = kOwn, .remote = kPeer});
  host_.Receive(MakeUdp({{kPeer.address, 4001}, kOwn}, ToBytes("stranger")));
  EXPECT_FALSE(Read(id));
  EXPECT_EQ(host_.Dropped(DropReason::kUdpNoSocket), 1u);
}

TEST_F(DatagramsTest, ChecksumsAreVerifiedByTheRulesOfTheFamily) {
  const SocketId id = OpenUdp({.local = {Ip("::"), 53}});
  for (const FourTuple& from : {FourTuple{kPeer, kOwn}, {kPeer6, kOwn6}}) {
    const size_t ip_header = from.local.address.IsIpv4() ? 20 : 40;
    Bytes wrong = MakeUdp(from, ToBytes("x"));
    wrong.back() ^= 1;
    host_.Receive(wrong);
    EXPECT_FALSE(Read(id));
    Bytes none = MakeUdp(from, ToBytes("x"));
    StoreBe16(&none[ip_header + 6], 0);
    host_.Receive(none);
    EXPECT_EQ(Read(id).has_value(), from.local.address.IsIpv4());
  }
  EXPECT_EQ(host_.Dropped(DropReason::kUdpBadChecksum), 3u);
}

TEST_F(DatagramsTest, BytesBehindTheDatagramAreCutOff) {
  const SocketId id = OpenUdp({.local = kOwn});
  Bytes transport = Open(MakeUdp({kPeer, kOwn}, ToBytes("good"))).transport;
  transport.insert(transport.end(), 6, 0xee);
  host_.Receive(MakeIp({kPeer.address, kOwn.address, 17}, transport));
  EXPECT_EQ(Read(id), ToBytes("good"));
}

TEST_F(DatagramsTest, AFullQueueDropsCounted) {
  const SocketId id = OpenUdp({.local = kOwn, .receive_queue_bytes = 10'000});
  for (int i = 0; i < 50; ++i) {
    host_.Receive(MakeUdp({kPeer, kOwn}, ToBytes("x")));
  }
  int read = 0;
  while (Read(id)) ++read;
  EXPECT_GE(read, 3);
  EXPECT_EQ(host_.Dropped(DropReason::kUdpQueueFull), 50u - read);
}

TEST_F(DatagramsTest, SendsFromTheRightAddress) {
  const SocketId id = OpenUdp({.local = {Ip("::"), 53}});
  for (const IpEndpoint& to : {kPeer, kPeer6}) {
    ASSERT_TRUE(stack().UdpSend(id, to, ToBytes("answer"), kTestStart).ok());
    const std::vector<Bytes> out = host_.Drain();
    ASSERT_EQ(out.size(), 1u);
    const Opened opened = Open(out[0]);
    EXPECT_EQ(opened.ip.source, to == kPeer ? kOwn.address : kOwn6.address);
    EXPECT_EQ(opened.ip.destination, to.address);
    EXPECT_TRUE(opened.transport_checksum_good);
    EXPECT_EQ(LoadBe16(&opened.transport[0]), 53);
    EXPECT_EQ(LoadBe16(&opened.transport[2]), 4000);
  }
}

// [fault U10] too large is an error at once, whatever the limit
TEST_F(DatagramsTest, SizesAreChecked) {
  const SocketId id = OpenUdp({.local = {Ip("::"), 53}});
  EXPECT_EQ(Send(id, kPeer, 0), absl::StatusCode::kOk);
  EXPECT_EQ(Send(id, kPeer, 65507), absl::StatusCode::kOk);
  EXPECT_EQ(Send(id, kPeer6, 65527), absl::StatusCode::kOk);
  EXPECT_EQ(Send(id, kPeer, 65508), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Send(id, kPeer6, 65528), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Send(id, std::nullopt, 1), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Send(id, IpEndpoint{kPeer.address, 0}, 1),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Send(id, IpEndpoint{Ip("192.0.2.1"), 1}, 1),
            absl::StatusCode::kUnavailable);
}

TEST_F(DatagramsTest, TheLargestDatagramsPassWhereTheMtuAllows) {
  Host lo(1, {.name = "lo", .mtu = 65575, .loopback = true},
          {"127.0.0.1/8", "::1/128"});
  const SocketId id = lo.stack().UdpOpen({.local = {Ip("::"), 53}}).value();
  for (const auto& [to, most] :
       {std::pair(Ip("127.0.0.1"), 65507), std::pair(Ip("::1"), 65527)}) {
    const IpEndpoint remote = {to, 53};
    EXPECT_TRUE(
        lo.stack().UdpSend(id, remote, Bytes(most, 7), kTestStart).ok());
    EXPECT_EQ(
        lo.stack().UdpSend(id, remote, Bytes(most + 1, 7), kTestStart).code(),
        absl::StatusCode::kInvalidArgument);
    for (const Bytes& packet : lo.Drain()) lo.Receive(packet);
    const auto datagram = lo.stack().UdpRecv(id).value();
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->payload.size(), static_cast<size_t>(most));
  }
}

// Back-pressure is an answer, never a silent drop.
TEST_F(DatagramsTest, AFullSendQueueIsAnError) {
  StackConfig config;
  config.max_control_packets = 4;
  Host host(1, {.name = "x"}, {"10.0.0.2/24"}, config);
  const SocketId id = host.stack().UdpOpen({.local = kOwn}).value();
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(host.stack().UdpSend(id, kPeer, {}, kTestStart).ok());
  }
  EXPECT_EQ(host.stack().UdpSend(id, kPeer, {}, kTestStart).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(host.Drain().size(), 4u);
  EXPECT_TRUE(host.stack().UdpSend(id, kPeer, {}, kTestStart).ok());
}

TEST_F(DatagramsTest, PortsConflictUntilClosed) {
  const SocketId id = OpenUdp({.local = kOwn});
  EXPECT_EQ(stack().UdpOpen({.local = kOwn}).status().code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(stack().UdpOpen({.local = {Ip("0.0.0.0"), 53}}).status().code(),
            absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE(stack().Close(id, kTestStart).ok());
  EXPECT_TRUE(stack().UdpOpen({.local = {Ip("0.0.0.0"), 53}}).ok());
  const SocketId chosen = OpenUdp({.local = {Ip("0.0.0.0"), 0}});
  EXPECT_GE(stack().GetTuple(chosen)->local.port, 32768);
}

TEST_F(DatagramsTest, ReadableIsReportedOncePerArrivalAfterADrain) {
  const SocketId id = OpenUdp({.local = kOwn});
  EXPECT_FALSE(stack().NextReady());
  for (int round = 0; round < 2; ++round) {
    host_.Receive(MakeUdp({kPeer, kOwn}, ToBytes("1")));
    host_.Receive(MakeUdp({kPeer, kOwn}, ToBytes("2")));
    const auto event = stack().NextReady();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->socket, id);
    EXPECT_TRUE(event->readiness.readable);
    EXPECT_FALSE(stack().NextReady());
    EXPECT_TRUE(Read(id) && Read(id));
  }
}

class PingTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Families, PingTest,
                         testing::Values("10.0.0.2", "2001:db8::2"),
                         [](const auto& i) {
                           return Ip(i.param).IsIpv4() ? "Ipv4" : "Ipv6";
                         });

TEST_P(PingTest, AnotherStackAnswersInTheTimeOfTheWire) {
  StackPair pair({.name = "x"});
  pair.set_delay(Duration::Milliseconds(7));
  Stack& a = pair.a().stack();
  const SocketId id = a.EchoOpen(Ip(GetParam())).value();
  const SocketId other = a.EchoOpen(Ip(GetParam())).value();
  ASSERT_TRUE(a.EchoSend(id, 3, 56, pair.now()).ok());
  ASSERT_TRUE(a.EchoSend(id, 4, 1400, pair.now()).ok());
  ASSERT_TRUE(a.EchoSend(id, 5, 20000, pair.now()).ok());
  EXPECT_EQ(a.EchoSend(id, 6, 65528, pair.now()).code(),
            absl::StatusCode::kInvalidArgument);
  pair.RunFor(Duration::Milliseconds(20));
  EXPECT_EQ(a.NextReady()->socket, id);
  for (const auto& [seq, size] :
       {std::pair(3, 56), std::pair(4, 1400), std::pair(5, 20000)}) {
    const auto reply = a.EchoRecv(id).value();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->seq, seq);
    EXPECT_EQ(reply->payload_bytes, static_cast<size_t>(size));
    EXPECT_EQ(reply->source, Ip(GetParam()));
    EXPECT_EQ(reply->ttl, 64);
    EXPECT_EQ(reply->rtt, Duration::Milliseconds(14));
  }
  EXPECT_FALSE(a.EchoRecv(id).value());
  EXPECT_FALSE(a.EchoRecv(other).value());
  EXPECT_TRUE(a.Close(id, pair.now()).ok());
  ASSERT_TRUE(a.EchoSend(other, 1, 0, pair.now()).ok());
  pair.RunFor(Duration::Milliseconds(20));
  EXPECT_TRUE(a.EchoRecv(other).value());
}

TEST_F(DatagramsTest, AnUnaskedEchoReplyIsIgnored) {
  host_.Receive(MakeIcmp({kPeer.address, kOwn.address, 1}, 0, 0x00010002, {}));
  EXPECT_EQ(host_.Dropped(DropReason::kIcmpIgnored), 1u);
}

}  // namespace
}  // namespace tcpip
