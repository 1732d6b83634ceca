#include "tcpip/stack/stack.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip {
namespace {

using wire::TcpFlags;

const IpEndpoint kPeer = {Ip("10.0.0.1"), 4000};
const IpEndpoint kOwn = {Ip("10.0.0.2"), 80};

// A peer by hand, for one connection it opens.
class Peer {
 public:
  Peer(Host& host, const FourTuple& flow) : host_(host), flow_(flow) {}

  std::vector<Bytes> Send(int flags, const Bytes& payload = {}) {
    const Bytes packet = MakeTcp(flow_,
                                 {.seq = seq_,
                                  .ack = ack_,
                                  .flags = TcpFlags(flags),
                                  .window = 65535,
                                  .options = {}},
                                 payload);
    seq_ += static_cast<uint32_t>(payload.size()) +
            ((flags & (TcpFlags::kSyn | TcpFlags::kFin)) != 0);
    return host_.Exchange(packet);
  }
  // The three-way handshake; false when there is no SYN-ACK.
  bool Open() {
    const std::vector<Bytes> out = Send(TcpFlags::kSyn);
    if (out.size() != 1) return false;
    const Opened syn_ack = tcpip::Open(out[0]);
    if (syn_ack.Tcp().flags.ToString() != "S.") return false;
    ack_ = syn_ack.Tcp().seq + 1;
    Send(TcpFlags::kAck);
    return true;
  }

 private:
  Host& host_;
  FourTuple flow_;
  uint32_t seq_ = 0x7ffffff0;
  uint32_t ack_ = 0;
};

TEST(Stack, AcceptsWhatAPeerOpensByHand) {
  Host host(1, {.name = "x"}, {"10.0.0.2/24"});
  Stack& stack = host.stack();
  const SocketId listener =
      stack.TcpListen({.local = {Ip("0.0.0.0"), 80}}).value();
  Peer peer(host, {kPeer, kOwn});
  ASSERT_TRUE(peer.Open());
  const SocketId id = stack.TcpAccept(listener).value();
  EXPECT_EQ(*stack.GetTuple(id), (FourTuple{kOwn, kPeer}));
  peer.Send(TcpFlags::kAck | TcpFlags::kPsh, ToBytes("hello"));
  EXPECT_EQ(Flatten(*stack.TcpRecv(id, 100, kTestStart)), ToBytes("hello"));
  stack.CheckInvariants();
}

TEST(Stack, IdsOfTheWrongKindAndStaleOnesAreErrors) {
  Host host(1, {.name = "x"}, {"10.0.0.2/24"});
  Stack& stack = host.stack();
  const SocketId listener = stack.TcpListen({.local = kOwn}).value();
  const SocketId udp = stack.UdpOpen({.local = kOwn}).value();
  const SocketId echo = stack.EchoOpen(kPeer.address).value();
  constexpr auto kWrong = absl::StatusCode::kFailedPrecondition;
  EXPECT_EQ(stack.TcpRecv(listener, 1, kTestStart).status().code(), kWrong);
  EXPECT_EQ(stack.TcpCloseWrite(udp, kTestStart).code(), kWrong);
  EXPECT_EQ(stack.TcpAccept(udp).status().code(), kWrong);
  EXPECT_EQ(stack.TcpGetInfo(echo).status().code(), kWrong);
  EXPECT_EQ(stack.UdpRecv(echo).status().code(), kWrong);
  EXPECT_EQ(stack.EchoRecv(listener).status().code(), kWrong);
  EXPECT_EQ(stack.TcpAccept(listener).status().code(),
            absl::StatusCode::kUnavailable);

  constexpr auto kStale = absl::StatusCode::kNotFound;
  for (const SocketId id : {listener, udp, echo}) {
    EXPECT_TRUE(stack.Close(id, kTestStart).ok());
    EXPECT_EQ(stack.Close(id, kTestStart).code(), kStale);
    EXPECT_EQ(stack.Abort(id, kTestStart).code(), kStale);
    EXPECT_EQ(stack.GetReadiness(id).status().code(), kStale);
    EXPECT_EQ(stack.GetTuple(id).status().code(), kStale);
  }
  EXPECT_EQ(stack.TcpAccept(listener).status().code(), kStale);
  EXPECT_EQ(stack.UdpRecv(udp).status().code(), kStale);
  EXPECT_EQ(stack.Stats().sockets, 0u);
}

TEST(Stack, UnknownInterfacesAreHarmless) {
  Host host(1, {.name = "x"}, {"10.0.0.2/24"});
  Packet packet = Packet::Copy(host.pool(), MakeUdp({kPeer, kOwn}, {}));
  host.stack().OnPackets(9, {&packet, 1}, kTestStart);
  PacketBatch batch;
  host.stack().DrainOutput(9, batch, 10, kTestStart);
  EXPECT_TRUE(batch.empty());
  EXPECT_FALSE(host.stack().HasOutput(9));
  EXPECT_EQ(host.stack().AddAddress(9, Net("10.0.0.9/24")).code(),
            absl::StatusCode::kNotFound);
}

TEST(Stack, ShowsItsInterfacesAndRoutes) {
  Host host(1, {.name = "nst0", .link = {.mtu = 1400}}, {"10.0.0.2/24"});
  ASSERT_TRUE(host.stack().AddRoute({Net("0.0.0.0/0"), host.link()}).ok());
  const std::vector<InterfaceInfo> interfaces = host.stack().Interfaces();
  ASSERT_EQ(interfaces.size(), 1u);
  EXPECT_EQ(interfaces[0].config.name, "nst0");
  EXPECT_EQ(interfaces[0].config.link.mtu, 1400u);
  EXPECT_EQ(interfaces[0].addresses, std::vector{Net("10.0.0.2/24")});
  const std::vector<Route> routes = host.stack().Routes();
  ASSERT_EQ(routes.size(), 2u);
  EXPECT_EQ(routes[0].destination, Net("10.0.0.0/24"));
  EXPECT_EQ(routes[1].destination, Net("0.0.0.0/0"));
}

TEST(Stack, DrainStopsAtTheMaximumAndKeepsTheRest) {
  Host host(1, {.name = "x"}, {"10.0.0.2/24"});
  for (int i = 0; i < 5; ++i) host.Receive(MakeUdp({kPeer, kOwn}, {}));
  PacketBatch batch;
  host.stack().DrainOutput(host.link(), batch, 3, kTestStart);
  EXPECT_EQ(batch.size(), 3u);
  EXPECT_TRUE(host.stack().HasOutput(host.link()));
  host.stack().DrainOutput(host.link(), batch, 3, kTestStart);
  EXPECT_EQ(batch.size(), 5u);
  EXPECT_FALSE(host.stack().HasOutput(host.link()));
}

// Any-address mode: connections to every address, but no faked pings.
// [fault I01]
// [RFC 9293 3.9.1.1 MUST-45]
TEST(Stack, AnyAddressModeTakesConnectionsToEveryone) {
  Host host(1, {.name = "tun", .any_address = true, .spoofing = true},
            {"10.0.0.2/24"});
  Stack& stack = host.stack();
  ASSERT_TRUE(stack.AddRoute({Net("0.0.0.0/0"), host.link()}).ok());
  const SocketId listener =
      stack.TcpListen({.local = {Ip("0.0.0.0"), 80}}).value();
  const IpEndpoint anyone = {Ip("198.51.100.7"), 80};
  Peer peer(host, {{Ip("192.0.2.9"), 5000}, anyone});
  ASSERT_TRUE(peer.Open());
  EXPECT_EQ(stack.GetTuple(stack.TcpAccept(listener).value())->local, anyone);

  EXPECT_TRUE(
      host.Exchange(MakeIcmp({Ip("192.0.2.9"), anyone.address, 1}, 8, 1, {}))
          .empty());
  EXPECT_EQ(
      host.Exchange(MakeIcmp({Ip("192.0.2.9"), kOwn.address, 1}, 8, 1, {}))
          .size(),
      1u);
  // Spoofing: we may speak for others, too.
  EXPECT_TRUE(stack
                  .TcpConnect({.remote = {Ip("192.0.2.9"), 80},
                               .local = IpEndpoint{anyone.address, 0}},
                              kTestStart)
                  .ok());
}

// [fault F17] A stack talking to itself, through a loopback its owner turns
// around: its own addresses are reached without a packet on the device.
TEST(Stack, ConnectsToItselfOverTheLoopback) {
  for (const char* address : {"127.0.0.1", "::1", "10.0.0.2", "2001:db8::2"}) {
    Host host(1, {.name = "nst0"}, {"10.0.0.2/24", "2001:db8::2/64"});
    Stack& stack = host.stack();
    const InterfaceId lo =
        stack.AddInterface({.name = "lo",
                            .link = {.mtu = 65535, .tx = kAllOffloads},
                            .loopback = true});
    ASSERT_TRUE(stack.AddAddress(lo, Net("127.0.0.1/8")).ok());
    ASSERT_TRUE(stack.AddAddress(lo, Net("::1/128")).ok());
    const IpEndpoint server = {Ip(address), 80};
    const SocketId listener = stack.TcpListen({.local = server}).value();
    const SocketId client =
        stack.TcpConnect({.remote = server}, kTestStart).value();
    const auto turn = [&stack, lo] {
      PacketBatch batch;
      do {
        batch.clear();
        stack.DrainOutput(lo, batch, 64, kTestStart);
        for (Packet& packet : batch) packet.set_ingress(kTestStart);
        stack.OnPackets(lo, batch, kTestStart);
      } while (!batch.empty());
    };
    turn();
    const SocketId accepted = stack.TcpAccept(listener).value();
    EXPECT_TRUE(stack.TcpSendCopy(client, ToBytes("me"), kTestStart).ok());
    turn();
    EXPECT_EQ(Flatten(*stack.TcpRecv(accepted, 10, kTestStart)), ToBytes("me"))
        << address;
    const SocketId udp = stack.UdpOpen({.local = server}).value();
    EXPECT_TRUE(stack.UdpSend(udp, server, ToBytes("I")).ok());
    const SocketId echo = stack.EchoOpen(server.address).value();
    EXPECT_TRUE(stack.EchoSend(echo, 1, 56, kTestStart).ok());
    turn();
    EXPECT_EQ(Flatten((*stack.UdpRecv(udp))->payload), ToBytes("I")) << address;
    EXPECT_TRUE(stack.EchoRecv(echo)->has_value()) << address;
    EXPECT_FALSE(stack.HasOutput(host.link()));
    for (const SocketId id : {client, accepted, listener, udp, echo}) {
      EXPECT_TRUE(stack.Abort(id, kTestStart).ok());
      turn();
    }
    stack.CheckInvariants();
    EXPECT_EQ(stack.Stats().sockets, 0u);
    EXPECT_EQ(host.pool().stats().live, 0u);
  }
}

// [fault C20] the one tuple is both ends
TEST(Stack, ASelfConnectionWorks) {
  Host lo(1, {.name = "lo", .link = {.mtu = 65535}, .loopback = true},
          {"127.0.0.1/8"});
  Stack& stack = lo.stack();
  const IpEndpoint self = {Ip("127.0.0.1"), 5555};
  const SocketId id =
      stack.TcpConnect({.remote = self, .local = self}, kTestStart).value();
  const auto turn = [&lo] {
    int packets = 0;
    for (std::vector<Bytes> out = lo.Drain(); !out.empty(); out = lo.Drain()) {
      packets += static_cast<int>(out.size());
      if (packets > 100) break;
      for (const Bytes& packet : out) lo.Receive(packet);
    }
    return packets;
  };
  EXPECT_LT(turn(), 20);
  EXPECT_TRUE(stack.GetReadiness(id)->connected);
  EXPECT_TRUE(stack.TcpSendCopy(id, ToBytes("echo"), kTestStart).ok());
  EXPECT_LT(turn(), 20);
  EXPECT_EQ(Flatten(*stack.TcpRecv(id, 10, kTestStart)), ToBytes("echo"));
}

// A host with a listener, a connection and a datagram socket: something to
// break.
class Garbage : public testing::Test {
 protected:
  Garbage() {
    Stack& stack = host_.stack();
    EXPECT_TRUE(stack.TcpListen({.local = {Ip("::"), 80}}).ok());
    EXPECT_TRUE(stack.UdpOpen({.local = {Ip("::"), 53}}).ok());
    EXPECT_TRUE(Peer(host_, {kPeer, kOwn}).Open());
    baseline_ = host_.pool().stats().live;
  }

  void Feed(const Bytes& packet) {
    host_.Receive(packet);
    host_.stack().CheckInvariants();
    if (++fed_ % 50 == 0) host_.Drain();
  }

  Host host_{1, {.name = "x"}, {"10.0.0.2/24", "2001:db8::2/64"}};
  size_t baseline_;
  int fed_ = 0;
};

TEST_F(Garbage, RandomBytesAreDropped) {
  SeededRng rng(1);
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes(rng.Below(200));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.Next());
    if (!bytes.empty() && rng.Below(4) != 0) {
      bytes[0] = rng.Below(2) == 0 ? 0x45 : 0x60;
    }
    Feed(bytes);
  }
  EXPECT_EQ(host_.stack().Stats().udp_in_datagrams, 0u);
  host_.Drain();
  EXPECT_EQ(host_.pool().stats().live, baseline_);
}

// Packets that were good, with a few bytes changed and lengths cut, and the
// checksums vouched for so that the damage gets far.
TEST_F(Garbage, DamagedPacketsNeverCrash) {
  SeededRng rng(2);
  const IpEndpoint own6 = {Ip("2001:db8::2"), 80};
  const IpEndpoint peer6 = {Ip("2001:db8::1"), 4000};
  Bytes options(40);
  wire::TcpOptions all;
  all.mss = 1400;
  all.window_scale = 9;
  all.sack_permitted = true;
  all.timestamps = wire::TcpTimestamps{1, 2};
  options.resize(wire::EmitTcpOptions(all, options));
  const wire::TcpHeader header = {.seq = 0x7ffffff1,
                                  .ack = 5,
                                  .flags = TcpFlags::kAck,
                                  .window = 100,
                                  .options = options};
  const Bytes originals[] = {
      MakeTcp({kPeer, kOwn}, header, ToBytes("data")),
      MakeTcp({peer6, own6}, header, ToBytes("data")),
      MakeUdp({kPeer, {kOwn.address, 53}}, ToBytes("data")),
      MakeIcmp({kPeer.address, kOwn.address, 1}, 3, 0,
               MakeTcp({kOwn, kPeer}, header)),
      MakeIcmp({peer6.address, own6.address, 58}, 128, 1, ToBytes("data")),
  };
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes = originals[rng.Below(std::size(originals))];
    for (uint32_t n = 1 + rng.Below(4); n > 0; --n) {
      bytes[rng.Below(static_cast<uint32_t>(bytes.size()))] =
          static_cast<uint8_t>(rng.Next());
    }
    if (rng.Below(4) == 0) {
      bytes.resize(rng.Below(static_cast<uint32_t>(bytes.size()) + 1));
    }
    if (bytes.size() >= 20 && bytes[0] >> 4 == 4) {
      const size_t size = std::min<size_t>((bytes[0] & 0xf) * 4, bytes.size());
      StoreBe16(&bytes[10], 0);
      StoreBe16(&bytes[10], SumBytes(ByteSpan(bytes).first(size)).Checksum());
    }
    Packet packet = Packet::Copy(host_.pool(), bytes);
    packet.offload().checksum = ChecksumState::kVerified;
    packet.offload().gso_size = static_cast<uint16_t>(rng.Below(3));
    packet.set_ingress(kTestStart);
    host_.stack().OnPackets(host_.link(), {&packet, 1}, kTestStart);
    host_.stack().CheckInvariants();
    if (i % 50 == 0) host_.Drain();
  }
}

}  // namespace
}  // namespace tcpip
