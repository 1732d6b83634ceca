// Packets too big for the path, from the router's message to what leaves next:
// two stacks on a wire that narrows, in virtual time.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/stack/stack.h"
#include "tcpip/stack/stack_fixture.h"

namespace tcpip {
namespace {

struct Variant {
  const char* name;
  const char* server;
  bool offload;
};

const Variant kVariants[] = {{"Ipv4Plain", "10.0.0.2", false},
                             {"Ipv6Plain", "2001:db8::2", false},
                             {"Ipv4Offloading", "10.0.0.2", true},
                             {"Ipv6Offloading", "2001:db8::2", true}};

InterfaceConfig LinkOf(const Variant& variant) {
  return {.name = "nst0",
          .link = {.tx = variant.offload ? kAllOffloads : LinkOffloads{}}};
}

class PathMtu : public testing::TestWithParam<Variant> {
 protected:
  PathMtu() : pair_(LinkOf(GetParam())), remote_{Ip(GetParam().server), 80} {
    listener_ = b().TcpListen({.local = remote_}).value();
  }

  bool v4() const { return remote_.address.IsIpv4(); }
  uint32_t headers() const { return v4() ? 40 : 60; }
  Stack& a() { return pair_.a().stack(); }
  Stack& b() { return pair_.b().stack(); }

  // From now on what is larger on the wire is dropped, and reported if
  // `reports`.
  void Narrow(uint32_t mtu, bool reports = true) {
    pair_.set_filter([this, mtu, reports](const Packet& packet) {
      const uint16_t gso_size = packet.offload().gso_size;
      const Bytes bytes = Flatten(packet);
      const size_t size =
          gso_size == 0
              ? bytes.size()
              : bytes.size() - Open(bytes).TcpPayload().size() + gso_size;
      largest_ = std::max(largest_, size);
      // [fault I12] the SYN's, too
      EXPECT_TRUE(!v4() || (bytes[6] & 0x40) != 0) << "without DF";
      if (size <= mtu) return true;
      ++dropped_;
      if (reports) reports_.push_back(MakeTooBig(bytes, mtu));
      return false;
    });
  }

  bool RunUntil(const std::function<bool()>& done) {
    return pair_.RunUntil([this, &done] {
      for (const Bytes& report : reports_)
        pair_.a().Receive(report, pair_.now());
      reports_.clear();
      return done();
    });
  }

  // Sends `size` bytes and checks that they arrive.
  void Send(const StackPair::Ends& ends, size_t size) {
    Bytes data(size);
    for (size_t i = 0; i < size; ++i) data[i] = static_cast<uint8_t>(i * 7 / 3);
    ASSERT_EQ(*a().TcpSendCopy(ends.client, data, pair_.now()), size);
    Bytes heard;
    ASSERT_TRUE(RunUntil([&] {
      const Bytes more = Flatten(*b().TcpRecv(ends.server, size, pair_.now()));
      heard.insert(heard.end(), more.begin(), more.end());
      return heard.size() >= size;
    }));
    EXPECT_EQ(heard, data);
  }

  // A segment of ours is under way; its packet as it left.
  Bytes InFlight(Host& host, SocketId id, size_t size) {
    EXPECT_TRUE(host.stack().TcpSendCopy(id, Bytes(size, 1), pair_.now()).ok());
    return host.Drain(pair_.now()).at(0);
  }

  StackPair pair_;
  IpEndpoint remote_;
  SocketId listener_;
  std::vector<Bytes> reports_;
  size_t largest_ = 0;
  int dropped_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Paths, PathMtu, testing::ValuesIn(kVariants),
                         [](const auto& i) { return i.param.name; });

// [fault I11, S08] [RFC 1191 6.4] all arrives, without a cut of the window
TEST_P(PathMtu, ATransferGoesOnWhenThePathNarrows) {
  const StackPair::Ends ends = pair_.Connect(listener_, remote_);
  Send(ends, 50'000);
  const uint32_t cwnd = a().TcpGetInfo(ends.client)->cwnd;
  Narrow(1410);
  Send(ends, 200'000);
  EXPECT_GT(dropped_, 0);
  EXPECT_GT(a().Stats().icmp_path_mtu_reports, 0u);
  const tcp::TcpInfo info = *a().TcpGetInfo(ends.client);
  EXPECT_EQ(info.smss, 1410 - headers() - 12);
  EXPECT_EQ(info.timeouts, 0u);
  EXPECT_EQ(info.fast_recoveries, 0u);
  EXPECT_GE(info.cwnd, cwnd);
  // Nothing larger leaves any more.
  largest_ = 0;
  Send(ends, 50'000);
  EXPECT_EQ(largest_, 1410u);
}

// [fault I11] for ten minutes; the peer is told what our link takes all along
TEST_P(PathMtu, NewConnectionsStartWithWhatIsKnown) {
  Narrow(1400);
  Send(pair_.Connect(listener_, remote_), 20'000);
  const int dropped = dropped_;
  const auto smss_of_next = [this] {
    const StackPair::Ends ends = pair_.Connect(listener_, remote_);
    EXPECT_EQ(b().TcpGetInfo(ends.server)->smss, 1500 - headers() - 12);
    return a().TcpGetInfo(ends.client)->smss;
  };
  EXPECT_EQ(smss_of_next(), 1400 - headers() - 12);
  EXPECT_EQ(dropped_, dropped);
  pair_.RunFor(Duration::Seconds(601));
  EXPECT_EQ(smss_of_next(), 1500 - headers() - 12);
}

// Routers report seldom; whoever was not told looks when its timer expires.
TEST_P(PathMtu, OneConnectionLearnsForAll) {
  const StackPair::Ends told = pair_.Connect(listener_, remote_);
  const StackPair::Ends untold = pair_.Connect(listener_, remote_);
  Narrow(1400);
  Send(told, 20'000);
  Narrow(1400, /*reports=*/false);
  Send(untold, 20'000);
  EXPECT_EQ(a().TcpGetInfo(untold.client)->smss, 1400 - headers() - 12);
}

// The listener's end, on the SYN of a peer behind a path that is known.
TEST_P(PathMtu, AcceptedConnectionsStartWithWhatIsKnown) {
  const IpEndpoint back = {
      a().GetTuple(pair_.Connect(listener_, remote_).client)->local.address,
      81};
  const SocketId udp =
      b().UdpOpen({.local = {remote_.address, 9}, .remote = back}).value();
  ASSERT_TRUE(b().UdpSend(udp, std::nullopt, Bytes(1300)).ok());
  const Bytes sent = pair_.b().Drain(pair_.now()).at(0);
  pair_.b().Receive(MakeTooBig(sent, 1300), pair_.now());
  const StackPair::Ends ends = pair_.Connect(listener_, remote_);
  EXPECT_EQ(b().TcpGetInfo(ends.server)->smss, 1300 - headers() - 12);
}

struct ReportCase {
  const char* name;
  int64_t seq_shift;  // of the quoted sequence number, from the segment's
  uint32_t mtu;
  uint32_t want_v4;  // the path's MTU afterwards
  uint32_t want_v6;
};

// [fault X12] [RFC 5927 7] 1000 bytes are in flight
const ReportCase kReports[] = {
    {"good", 0, 1400, 1400, 1400},
    {"last byte", 999, 1400, 1400, 1400},
    {"just after", 1000, 1400, 1500, 1500},
    {"just before", -1, 1400, 1500, 1500},
    {"far ahead", 1 << 20, 1400, 1500, 1500},
    {"other half", int64_t{1} << 31, 1400, 1500, 1500},
    {"none", 0, 0, 552, 1280},
    {"forty", 0, 40, 552, 1280},
    {"sixty-eight", 0, 68, 552, 1280},
    {"one below", 0, 1279, 1279, 1280},
    {"seventy thousand", 0, 70'000, 1500, 1500},
};

TEST_P(PathMtu, OnlyCredibleReportsAreBelieved) {
  for (const ReportCase& c : kReports) {
    StackPair pair(LinkOf(GetParam()));
    const SocketId listener =
        pair.b().stack().TcpListen({.local = remote_}).value();
    const StackPair::Ends ends = pair.Connect(listener, remote_);
    pair.RunFor(Duration::Seconds(1));
    Bytes sent = InFlight(pair.a(), ends.client, 1000);
    const size_t seq = (v4() ? 20 : 40) + 4;
    StoreBe32(&sent[seq],
              LoadBe32(&sent[seq]) + static_cast<uint32_t>(c.seq_shift));
    // In IPv4 the upper half of the word means nothing.
    const uint32_t mtu = v4() ? std::min(c.mtu, 65535u) : c.mtu;
    pair.a().Receive(MakeTooBig(sent, mtu), pair.now());
    const uint32_t want = v4() ? c.want_v4 : c.want_v6;
    EXPECT_EQ(pair.a().stack().TcpGetInfo(ends.client)->smss,
              want - headers() - 12)
        << c.name;
    pair.a().stack().CheckInvariants();
  }
}

// [fault X12] [RFC 9293 3.9.2.2 MUST-56] counted, never a reset
TEST_P(PathMtu, AnUnreachableDoesNotEndAConnection) {
  const StackPair::Ends ends = pair_.Connect(listener_, remote_);
  pair_.RunFor(Duration::Seconds(1));
  const Bytes sent = InFlight(pair_.a(), ends.client, 100);
  const IpFields ip = {remote_.address,
                       a().GetTuple(ends.client)->local.address,
                       static_cast<uint8_t>(v4() ? 1 : 58)};
  for (uint8_t code = 0; code < 16; ++code) {
    if (v4() && code == 4) continue;  // too big
    pair_.a().Receive(MakeIcmp(ip, v4() ? 3 : 1, 0, sent, code), pair_.now());
  }
  EXPECT_FALSE(a().GetReadiness(ends.client)->closed);
  EXPECT_EQ(a().Stats().icmp_soft_errors, v4() ? 13u : 7u);
  pair_.RunFor(Duration::Seconds(1));
  EXPECT_EQ(b().TcpRecv(ends.server, 1000, pair_.now())->size(), 100u);
}

// [fault L14] the link itself may change
TEST_P(PathMtu, ConnectionsFollowTheLink) {
  const StackPair::Ends ends = pair_.Connect(listener_, remote_);
  Narrow(1300, /*reports=*/false);
  const InterfaceId link = pair_.a().link();
  LinkCapabilities capabilities = LinkOf(GetParam()).link;
  capabilities.mtu = 1300;
  a().SetCapabilities(link, capabilities, pair_.now());
  Send(ends, 50'000);
  EXPECT_EQ(dropped_, 0);
  EXPECT_EQ(largest_, 1300u);
  Narrow(1500);
  capabilities.mtu = 1500;
  a().SetCapabilities(link, capabilities, pair_.now());
  Send(ends, 50'000);
  EXPECT_EQ(largest_, 1500u);
}

// [fault L02] [fault L14] its offloads, too, however far a connection has come
TEST_P(PathMtu, ConnectionsFollowWhatTheLinkCanDo) {
  struct Row {
    const char* name;
    Duration after;  // the SYN arrives after 5 ms, the SYN-ACK after 10
    bool at_listener;
  };
  for (const Row& row :
       {Row{"SYN-SENT", Duration::Milliseconds(7), false},
        Row{"SYN-RECEIVED", Duration::Milliseconds(7), true},
        Row{"ESTABLISHED", Duration::Milliseconds(100), false}}) {
    SCOPED_TRACE(row.name);
    StackPair pair(LinkOf(GetParam()));
    const SocketId listener =
        pair.b().stack().TcpListen({.local = remote_}).value();
    const SocketId client =
        pair.a().stack().TcpConnect({.remote = remote_}, pair.now()).value();
    pair.RunFor(row.after);
    Host& changed = row.at_listener ? pair.b() : pair.a();
    const LinkOffloads tx = GetParam().offload ? LinkOffloads{} : kAllOffloads;
    changed.stack().SetCapabilities(changed.link(), {.mtu = 1400, .tx = tx},
                                    pair.now());
    pair.RunFor(Duration::Milliseconds(100));
    const auto server = pair.b().stack().TcpAccept(listener);
    ASSERT_TRUE(server.ok());
    size_t largest = 0;
    pair.set_filter([&largest, &tx](const Packet& packet) {
      if (packet.size() < 1000) return true;  // an ACK of the other side
      largest = std::max(largest, packet.size());
      EXPECT_EQ(packet.offload().checksum == ChecksumState::kPartial,
                tx.checksum);
      return true;
    });
    const SocketId sender = row.at_listener ? *server : client;
    ASSERT_TRUE(
        changed.stack().TcpSendCopy(sender, Bytes(60000), pair.now()).ok());
    pair.RunFor(Duration::Milliseconds(100));
    if (tx.checksum) {
      EXPECT_GT(largest, 1500u);
    } else {
      EXPECT_EQ(largest, 1400u);
    }
  }
}

// [fault L14] [RFC 8200 5] below 1280 bytes IPv4 follows and IPv6 rests
TEST_P(PathMtu, ALinkTooSmallForIpv6CarriesIpv4Only) {
  const StackPair::Ends ends = pair_.Connect(listener_, remote_);
  pair_.RunFor(Duration::Seconds(1));
  const SocketId udp =
      a().UdpOpen({.local = {IpAddress::Any(remote_.address.family()), 9}})
          .value();
  const InterfaceId link = pair_.a().link();
  LinkCapabilities capabilities = LinkOf(GetParam()).link;
  capabilities.mtu = 576;
  a().SetCapabilities(link, capabilities, pair_.now());
  const absl::Status sent = a().UdpSend(udp, remote_, Bytes(1000));
  for (const Bytes& packet : pair_.a().Drain(pair_.now())) {
    EXPECT_LE(packet.size(), 576u);
  }
  Narrow(576, /*reports=*/false);
  const absl::Status dialled =
      a().TcpConnect({.remote = remote_}, pair_.now()).status();
  const uint64_t ignored = pair_.a().Dropped(DropReason::kIpNotOurs);
  if (v4()) {
    EXPECT_TRUE(sent.ok() && dialled.ok());
    Send(ends, 50'000);
    EXPECT_EQ(dropped_, 0);
    EXPECT_EQ(largest_, 576u);
    return;
  }
  for (const absl::Status& refused : {sent, dialled}) {
    EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable) << refused;
    EXPECT_NE(refused.message().find("576"), std::string::npos) << refused;
  }
  const Bytes data(1000, 1);
  ASSERT_TRUE(a().TcpSendCopy(ends.client, data, pair_.now()).ok());
  pair_.RunFor(Duration::Milliseconds(100));
  EXPECT_EQ(largest_, 0u);
  EXPECT_GT(pair_.a().Dropped(DropReason::kNoRoute), 0u);
  const IpEndpoint own = {a().GetTuple(ends.client)->local.address, 9};
  pair_.a().Receive(MakeUdp({remote_, own}, {1}), pair_.now());
  EXPECT_EQ(pair_.a().Dropped(DropReason::kIpNotOurs), ignored + 1);
  // What was open goes on when the link grows again.
  capabilities.mtu = 1500;
  a().SetCapabilities(link, capabilities, pair_.now());
  Narrow(1500);
  EXPECT_TRUE(a().UdpSend(udp, remote_, Bytes(1000)).ok());
  EXPECT_TRUE(pair_.RunUntil(
      [&] { return !b().TcpRecv(ends.server, 1000, pair_.now())->empty(); }));
}

// [fault I11] [fault X12] they are as large as the ping, and cut where it is
// known that they must be
TEST_P(PathMtu, EchoRepliesFollowThePath) {
  const IpAddress own = Ip(v4() ? "10.0.0.1" : "2001:db8::1");
  const IpAddress& peer = remote_.address;
  Host& host = pair_.a();
  const auto ping = [&](uint16_t id) {
    std::vector<Bytes> reply = host.Exchange(
        MakeIcmp({peer, own, static_cast<uint8_t>(v4() ? 1 : 58)},
                 v4() ? 8 : 128, uint32_t{id} << 16 | 1, Bytes(1400)));
    for (const Bytes& part : reply) {
      EXPECT_EQ(v4() && (part[6] & 0x40) != 0, v4() && reply.size() == 1);
    }
    return reply;
  };
  const std::vector<Bytes> sent = ping(7);
  ASSERT_EQ(sent.size(), 1u);
  // Nothing of that identifier has left.
  Bytes forged = sent[0];
  forged[v4() ? 24 : 44] ^= 1;
  host.Receive(MakeTooBig(forged, 1300));
  EXPECT_EQ(host.Dropped(DropReason::kIcmpIgnored), 1u);
  EXPECT_EQ(ping(7).size(), 1u);
  host.Receive(MakeTooBig(sent[0], 1300));
  EXPECT_EQ(host.stack().Stats().icmp_path_mtu_reports, 1u);
  for (const uint16_t id : {7, 8}) {
    const std::vector<Bytes> parts = ping(id);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_LE(parts[0].size(), 1300u);
  }
  // Whoever has us answer in the name of another does not narrow his paths.
  const SocketId udp =
      a().UdpOpen({.local = {IpAddress::Any(peer.family()), 9}}).value();
  EXPECT_EQ(a().UdpGetPathMtu(udp, remote_).value(), 1500u);
}

TEST_P(PathMtu, EchoRepliesKnowWhatOthersHaveLearnt) {
  const IpAddress own = Ip(v4() ? "10.0.0.1" : "2001:db8::1");
  const SocketId udp =
      a().UdpOpen({.local = {IpAddress::Any(own.family()), 9}}).value();
  ASSERT_TRUE(a().UdpSend(udp, remote_, Bytes(1400)).ok());
  pair_.a().Receive(MakeTooBig(pair_.a().Drain().at(0), 1300));
  EXPECT_EQ(pair_.a()
                .Exchange(MakeIcmp(
                    {remote_.address, own, static_cast<uint8_t>(v4() ? 1 : 58)},
                    v4() ? 8 : 128, 1, Bytes(1400)))
                .size(),
            2u);
}

// [fault U14] the user of a datagram socket can read what fits
TEST_P(PathMtu, DatagramsKnowThePath) {
  const SocketId udp =
      a().UdpOpen({.local = {IpAddress::Any(remote_.address.family()), 9},
                   .settings = {.dont_fragment = true}})
          .value();
  const auto send = [&](size_t size) {
    return a().UdpSend(udp, remote_, Bytes(size));
  };
  const size_t fits = 1400 - (headers() - 20) - 8;
  ASSERT_TRUE(send(fits + 1).ok());
  const Bytes sent = pair_.a().Drain(pair_.now()).at(0);
  // From a port that nobody has: ignored.
  Bytes forged = sent;
  forged[headers() - 20] ^= 1;
  pair_.a().Receive(MakeTooBig(forged, 1400), pair_.now());
  EXPECT_EQ(pair_.a().Dropped(DropReason::kIcmpIgnored), 1u);
  EXPECT_TRUE(send(fits + 1).ok());
  pair_.a().Receive(MakeTooBig(sent, 1400), pair_.now());
  const absl::Status refused = send(fits + 1);
  EXPECT_FALSE(refused.ok());
  EXPECT_NE(refused.message().find("1400"), std::string::npos) << refused;
  EXPECT_TRUE(send(fits).ok());
}

// [fault I11] [fault X12] to whom and from where a socket sends besides its
// peer and the address it is bound to
TEST_P(PathMtu, AReportIsBelievedAboutAllThatASocketSends) {
  const IpAddress own = Ip(v4() ? "10.0.0.1" : "2001:db8::1");
  const IpAddress other = Ip(v4() ? "10.0.0.3" : "2001:db8::3");
  const IpAddress peer = Ip(v4() ? "10.0.0.7" : "2001:db8::7");
  ASSERT_TRUE(a().AddAddress(pair_.a().link(), {other, 24}).ok());
  const SocketId connected =
      a().UdpOpen({.local = {own, 53}, .remote = IpEndpoint{peer, 7}}).value();
  const SocketId bound = a().UdpOpen({.local = {own, 54}}).value();
  const SocketId moved =
      a().UdpOpen({.local = {own, 55}, .remote = remote_}).value();
  struct Row {
    const char* name;
    SocketId socket;
    std::optional<IpEndpoint> to;
    UdpControl control = {};
    uint32_t mtu;
  };
  for (const Row& row : {Row{"connected", connected, remote_, {}, 1400},
                         Row{"bound", bound, remote_, {.source = other}, 1350},
                         Row{"moved", moved, std::nullopt, {}, 1300}}) {
    ASSERT_TRUE(a().UdpSend(row.socket, row.to, Bytes(1200), row.control).ok());
    const Bytes sent = pair_.a().Drain(pair_.now()).at(0);
    if (row.socket == moved) {
      ASSERT_TRUE(a().UdpConnect(moved, IpEndpoint{peer, 7}).ok());
    }
    pair_.a().Receive(MakeTooBig(sent, row.mtu), pair_.now());
    EXPECT_EQ(*a().UdpGetPathMtu(row.socket, remote_), row.mtu) << row.name;
  }
}

// [fault X12] whoever knows the port of a socket without a peer knows nothing
// of whom it speaks to
TEST_P(PathMtu, ReportsAboutStrangersAreNotBelieved) {
  const IpEndpoint own = {
      a().GetTuple(pair_.Connect(listener_, remote_).client)->local.address, 9};
  const SocketId udp = a().UdpOpen({.local = own}).value();
  ASSERT_TRUE(a().UdpSend(udp, remote_, Bytes(1300)).ok());
  const Bytes sent = pair_.a().Drain(pair_.now()).at(0);
  const uint64_t ignored = pair_.a().Dropped(DropReason::kIcmpIgnored);
  for (uint16_t i = 1; i <= 10'000; ++i) {
    const IpAddress stranger =
        v4() ? IpAddress::Ipv4(192, 168, static_cast<uint8_t>(i >> 8),
                               static_cast<uint8_t>(i))
             : Ip("2001:db8:1::" + std::to_string(i / 100) + ":" +
                  std::to_string(i % 100));
    const Bytes forged = MakeUdp({own, {stranger, 80}}, Bytes(1300));
    pair_.a().Receive(MakeTooBig(forged, 1280), pair_.now());
  }
  EXPECT_EQ(a().Stats().icmp_path_mtu_reports, 0u);
  EXPECT_EQ(pair_.a().Dropped(DropReason::kIcmpIgnored), ignored + 10'000);
  EXPECT_EQ(*a().UdpGetPathMtu(udp, remote_), 1500u);
  pair_.a().Receive(MakeTooBig(sent, 1280), pair_.now());
  EXPECT_EQ(*a().UdpGetPathMtu(udp, remote_), 1280u);
}

// [fault X12] and no more at once than the limit allows
TEST_P(PathMtu, ReportsAboutDatagramsAreLimited) {
  StackPair pair(LinkOf(GetParam()), {.path_mtu_reports_per_second = 10});
  Stack& stack = pair.a().stack();
  const SocketId udp =
      stack
          .UdpOpen({.local = {IpAddress::Any(remote_.address.family()), 9},
                    .remote = remote_})
          .value();
  ASSERT_TRUE(stack.UdpSend(udp, std::nullopt, Bytes(1300)).ok());
  const Bytes sent = pair.a().Drain(pair.now()).at(0);
  for (int i = 0; i < 15; ++i) {
    pair.a().Receive(MakeTooBig(sent, 1280), pair.now());
  }
  EXPECT_EQ(stack.Stats().icmp_path_mtu_reports, 10u);
  EXPECT_EQ(pair.a().Dropped(DropReason::kIcmpIgnored), 5u);
  pair.RunFor(Duration::Seconds(1));
  pair.a().Receive(MakeTooBig(sent, 1280), pair.now());
  EXPECT_EQ(stack.Stats().icmp_path_mtu_reports, 11u);
}

TEST_P(PathMtu, PingsKnowThePath) {
  const SocketId echo = a().EchoOpen(remote_.address).value();
  ASSERT_TRUE(a().EchoSend(echo, 1, 1400, pair_.now()).ok());
  const Bytes sent = pair_.a().Drain(pair_.now()).at(0);
  Bytes forged = sent;
  forged[headers() - 20 + 5] ^= 1;  // another identifier
  pair_.a().Receive(MakeTooBig(forged, 1400), pair_.now());
  EXPECT_EQ(a().Stats().icmp_path_mtu_reports, 0u);
  pair_.a().Receive(MakeTooBig(sent, 1400), pair_.now());
  EXPECT_EQ(a().Stats().icmp_path_mtu_reports, 1u);
  ASSERT_TRUE(a().EchoSend(echo, 2, 1400, pair_.now()).ok());
  const std::vector<Bytes> fragments = pair_.a().Drain(pair_.now());
  EXPECT_EQ(fragments.size(), 2u);
  for (const Bytes& fragment : fragments) EXPECT_LE(fragment.size(), 1400u);
}

// [RFC 1122 4.1.3.3] as ECONNREFUSED: once, and only where it can be told whom
// it is about
TEST_P(PathMtu, AConnectedUdpSocketHearsOfARefusalOnce) {
  const IpAddress any = IpAddress::Any(remote_.address.family());
  const SocketId connected =
      a().UdpOpen({.local = {any, 9}, .remote = remote_}).value();
  const SocketId open = a().UdpOpen({.local = {any, 10}}).value();
  for (const bool by_send : {true, false}) {
    ASSERT_TRUE(a().UdpSend(connected, std::nullopt, {}).ok());
    ASSERT_TRUE(a().UdpSend(open, remote_, {}).ok());
    pair_.RunFor(Duration::Seconds(1));
    EXPECT_TRUE(a().GetReadiness(connected)->readable);
    EXPECT_FALSE(a().GetReadiness(open)->readable);
    const absl::Status heard = by_send
                                   ? a().UdpSend(connected, std::nullopt, {})
                                   : a().UdpRecv(connected).status();
    EXPECT_EQ(heard.code(), absl::StatusCode::kAborted);
    EXPECT_FALSE(a().GetReadiness(connected)->readable);
    EXPECT_TRUE(a().UdpRecv(connected).ok());
    EXPECT_TRUE(a().UdpRecv(open).ok());
  }
  EXPECT_EQ(a().Stats().icmp_soft_errors, 4u);
}

}  // namespace
}  // namespace tcpip
