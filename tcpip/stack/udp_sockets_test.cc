#include "tcpip/stack/udp_sockets.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"

namespace tcpip {
namespace {

using absl::StatusCode;

const IpEndpoint kOwn = {Ip("10.0.0.2"), 53};
const IpEndpoint kPeer = {Ip("10.0.0.1"), 4000};
const IpEndpoint kPeer6 = {Ip("2001:db8::1"), 4000};
const IpEndpoint kAny = {Ip("0.0.0.0"), 53};
const IpEndpoint kAny6 = {Ip("::"), 53};
constexpr BindRules kReuseAddress = {.reuse_address = true};
constexpr BindRules kReusePort = {.reuse_port = true};
constexpr BindRules kOnly6 = {.v6_only = true};

class UdpSocketsTest : public testing::Test {
 protected:
  Stack& stack() { return host_.stack(); }
  SocketId Open(const UdpOpenOptions& options) {
    return stack().UdpOpen(options).value();
  }
  StatusCode TryOpen(const UdpOpenOptions& options) {
    return stack().UdpOpen(options).status().code();
  }
  StatusCode Connect(SocketId id, const std::optional<IpEndpoint>& remote) {
    return stack().UdpConnect(id, remote).code();
  }
  StatusCode Send(SocketId id, const std::optional<IpEndpoint>& to) {
    return stack().UdpSend(id, to, ToBytes("x")).code();
  }
  void Close(SocketId id) { ASSERT_TRUE(stack().Close(id, kTestStart).ok()); }
  // Datagrams that wait at the socket.
  int Heard(SocketId id) {
    int count = 0;
    while (stack().UdpRecv(id).value()) ++count;
    return count;
  }
  void Arrive(const IpEndpoint& from, const IpEndpoint& to = kOwn) {
    host_.Receive(MakeUdp({from, to}, ToBytes("x")));
  }

  Host host_{1, {.name = "x"}, {"10.0.0.2/24", "2001:db8::2/64"}};
};

TEST_F(UdpSocketsTest, PortsConflictUntilClosed) {
  const SocketId id = Open({.local = kOwn});
  EXPECT_EQ(TryOpen({.local = kOwn}), StatusCode::kAlreadyExists);
  EXPECT_EQ(TryOpen({.local = kAny}), StatusCode::kAlreadyExists);
  EXPECT_EQ(TryOpen({.local = kOwn, .rules = kReuseAddress}),
            StatusCode::kAlreadyExists);
  Close(id);
  EXPECT_EQ(TryOpen({.local = kAny}), StatusCode::kOk);
}

// [RFC 3493 5.3] "::" is for IPv4, too, unless it says otherwise
TEST_F(UdpSocketsTest, OneSocketServesBothFamiliesOrEachHasItsOwn) {
  const SocketId both = Open({.local = kAny6});
  EXPECT_EQ(TryOpen({.local = kAny}), StatusCode::kAlreadyExists);
  Arrive(kPeer);
  Arrive(kPeer6, {Ip("2001:db8::2"), 53});
  EXPECT_EQ(Heard(both), 2);
  Close(both);
  const SocketId only6 = Open({.local = kAny6, .rules = kOnly6});
  const SocketId only4 = Open({.local = kAny});
  Arrive(kPeer);
  Arrive(kPeer6, {Ip("2001:db8::2"), 53});
  EXPECT_EQ(Heard(only4), 1);
  EXPECT_EQ(Heard(only6), 1);
}

struct FamilyCase {
  const char* local;
  BindRules rules;
  bool ipv4;  // it reaches
  bool ipv6;
};

TEST_F(UdpSocketsTest, ASocketReachesTheFamiliesItIsBoundTo) {
  const FamilyCase table[] = {
      {"0.0.0.0", {}, true, false},     {"::", {}, true, true},
      {"::", kOnly6, false, true},      {"10.0.0.2", {}, true, false},
      {"2001:db8::2", {}, false, true},
  };
  const auto code = [](bool reached) {
    return reached ? StatusCode::kOk : StatusCode::kInvalidArgument;
  };
  for (const FamilyCase& c : table) {
    for (const auto& [peer, reached] :
         {std::pair(kPeer, c.ipv4), std::pair(kPeer6, c.ipv6)}) {
      const IpEndpoint local = {Ip(c.local), 0};
      const SocketId id = Open({.local = local, .rules = c.rules});
      EXPECT_EQ(Send(id, peer), code(reached)) << c.local;
      EXPECT_EQ(Connect(id, peer), code(reached)) << c.local;
      EXPECT_EQ(TryOpen({.local = local, .remote = peer, .rules = c.rules}),
                code(reached))
          << c.local;
    }
  }
}

TEST_F(UdpSocketsTest, ConnectingChoosesTheSourceAndWhomItHears) {
  const SocketId id = Open({.local = kAny6});
  Arrive({kPeer.address, 4001});
  ASSERT_EQ(Connect(id, kPeer), StatusCode::kOk);
  EXPECT_EQ(*stack().GetTuple(id), (FourTuple{kOwn, kPeer}));
  EXPECT_EQ(Heard(id), 1) << "what waits stays";
  Arrive({kPeer.address, 4001});
  EXPECT_EQ(host_.Dropped(DropReason::kUdpNoSocket), 1u);
  Arrive(kPeer);
  EXPECT_EQ(Heard(id), 1);
  host_.Drain();
  // To its remote when nothing else is said, from the same address always.
  for (const std::optional<IpEndpoint>& to :
       {std::optional<IpEndpoint>(), {{kPeer.address, 9}}}) {
    ASSERT_EQ(Send(id, to), StatusCode::kOk);
    const Opened opened = tcpip::Open(host_.Drain().at(0));
    EXPECT_EQ(opened.ip.source, kOwn.address);
    EXPECT_EQ(LoadBe16(&opened.transport[2]), to.value_or(kPeer).port);
  }
}

TEST_F(UdpSocketsTest, ConnectingAgainAndDisconnecting) {
  const SocketId id = Open({.local = kAny6});
  ASSERT_EQ(Connect(id, kPeer), StatusCode::kOk);
  ASSERT_EQ(Connect(id, kPeer), StatusCode::kOk);  // again the same
  ASSERT_EQ(Connect(id, kPeer6), StatusCode::kOk);
  EXPECT_EQ(stack().GetTuple(id)->local.address, Ip("2001:db8::2"));
  Arrive(kPeer);
  EXPECT_EQ(Heard(id), 0);
  Arrive(kPeer6, {Ip("2001:db8::2"), 53});
  EXPECT_EQ(Heard(id), 1);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(Connect(id, std::nullopt), StatusCode::kOk);
    EXPECT_EQ(stack().GetTuple(id)->local, kAny6);
    EXPECT_EQ(Send(id, std::nullopt), StatusCode::kInvalidArgument);
    Arrive(kPeer);
    EXPECT_EQ(Heard(id), 1);
  }
}

TEST_F(UdpSocketsTest, AFailedConnectChangesNothing) {
  const SocketId other =
      Open({.local = kOwn, .remote = kPeer, .rules = kReuseAddress});
  const SocketId id = Open({.local = kOwn, .rules = kReuseAddress});
  EXPECT_EQ(Connect(id, kPeer), StatusCode::kAlreadyExists);
  EXPECT_EQ(Connect(id, IpEndpoint{kPeer.address, 0}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(Connect(id, IpEndpoint{Ip("192.0.2.1"), 1}),
            StatusCode::kUnavailable);
  EXPECT_EQ(Connect(id, IpEndpoint{Ip("224.0.0.1"), 1}),
            StatusCode::kInvalidArgument);
  Arrive({kPeer.address, 4001});
  EXPECT_EQ(Heard(id), 1);
  Arrive(kPeer);
  EXPECT_EQ(Heard(other), 1);
}

TEST_F(UdpSocketsTest, TheMostSpecificSocketHears) {
  const SocketId any = Open({.local = kAny6, .rules = kReuseAddress});
  const SocketId own = Open({.local = kOwn, .rules = kReuseAddress});
  const SocketId connected =
      Open({.local = kOwn, .remote = kPeer, .rules = kReuseAddress});
  Arrive(kPeer);
  EXPECT_EQ(Heard(connected), 1);
  Close(connected);
  Arrive(kPeer);
  EXPECT_EQ(Heard(own), 1);
  Close(own);
  Arrive(kPeer);
  EXPECT_EQ(Heard(any), 1);
  Close(any);
  Arrive(kPeer);
  EXPECT_EQ(host_.Dropped(DropReason::kUdpNoSocket), 1u);
}

TEST_F(UdpSocketsTest, SocketsOfOnePortShareItsPeers) {
  std::vector<SocketId> group;
  for (int i = 0; i < 4; ++i) {
    group.push_back(Open({.local = kAny6, .rules = kReusePort}));
  }
  EXPECT_EQ(TryOpen({.local = kAny6}), StatusCode::kAlreadyExists);
  std::set<int> hearers;
  for (uint16_t port = 1; port <= 64; ++port) {
    for (int i = 0; i < 3; ++i) Arrive({kPeer.address, port});
    for (int i = 0; i < 4; ++i) {
      const int heard = Heard(group[i]);
      EXPECT_TRUE(heard == 0 || heard == 3) << heard;
      if (heard == 3) hearers.insert(i);
    }
  }
  EXPECT_EQ(hearers.size(), 4u);
  // A connected one keeps its peer and no longer takes part.
  ASSERT_EQ(Connect(group[0], kPeer), StatusCode::kOk);
  for (uint16_t port = 1; port <= 64; ++port) Arrive({kPeer.address, port});
  EXPECT_EQ(Heard(group[0]), 0);
  Arrive(kPeer);
  EXPECT_EQ(Heard(group[0]), 1);
}

TEST_F(UdpSocketsTest, WhatCouldNotOpenLeavesNothing) {
  EXPECT_EQ(TryOpen({.local = {Ip("10.0.0.3"), 53}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(TryOpen({.local = kOwn, .remote = {{kPeer.address, 0}}}),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(TryOpen({.local = kOwn, .remote = {{Ip("192.0.2.1"), 1}}}),
            StatusCode::kUnavailable);
  EXPECT_EQ(stack().Stats().sockets, 0u);
  EXPECT_EQ(TryOpen({.local = kOwn}), StatusCode::kOk);
}

TEST_F(UdpSocketsTest, PortsOfOursAreChosenUntilThereAreNone) {
  StackConfig config;
  config.first_ephemeral_port = 40000;
  config.last_ephemeral_port = 40002;
  Host host(1, {.name = "x"}, {"10.0.0.2/24"}, config);
  const UdpOpenOptions any = {.local = {Ip("0.0.0.0"), 0},
                              .rules = kReuseAddress};
  std::set<uint16_t> ports;
  SocketId last;
  for (int i = 0; i < 3; ++i) {
    last = host.stack().UdpOpen(any).value();
    ports.insert(host.stack().GetTuple(last)->local.port);
  }
  EXPECT_EQ(ports, (std::set<uint16_t>{40000, 40001, 40002}));
  EXPECT_EQ(host.stack().UdpOpen(any).status().code(),
            StatusCode::kUnavailable);
  ASSERT_TRUE(host.stack().Close(last, kTestStart).ok());
  EXPECT_TRUE(host.stack().UdpOpen(any).ok());
}

}  // namespace
}  // namespace tcpip
