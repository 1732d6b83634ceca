#include "tcpip/stack/tcp_flows.h"

#include <set>

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"

namespace tcpip {
namespace {

class TcpFlowsTest : public testing::Test {
 protected:
  TcpFlowsTest() {
    link_ = context_.interfaces.Add({.name = "x"});
    for (const char* address : {"10.0.0.2/24", "2001:db8::2/64"}) {
      EXPECT_TRUE(context_.interfaces.AddAddress(link_, Net(address)).ok());
    }
  }

  static StackConfig Config() {
    StackConfig config;
    config.first_ephemeral_port = 50000;
    config.last_ephemeral_port = 50009;
    config.max_sockets = 40;
    return config;
  }

  absl::StatusCode Connect(const IpEndpoint& remote,
                           std::optional<IpEndpoint> local = std::nullopt) {
    return flows_.Connect({remote, local}, kTestStart).status().code();
  }
  absl::StatusCode Listen(const IpEndpoint& local, BindRules rules = {}) {
    return flows_.Listen({.local = local, .rules = rules}).status().code();
  }
  uint16_t PortOf(SocketId id) {
    const Socket& socket = *context_.sockets.Find(id);
    if (const auto* listen = socket.As<ListenSocket>()) {
      return listen->local.port;
    }
    return socket.As<TcpSocket>()->tuple.local.port;
  }

  SlabPool pool_;
  SeededRng rng_{1};
  StackContext context_{Config(), pool_, rng_, kTestStart};
  TcpFlows flows_{context_, rng_};
  InterfaceId link_;
  const IpEndpoint peer_ = {Ip("10.0.0.1"), 443};
};

TEST_F(TcpFlowsTest, EachConnectionToARemoteHasItsOwnPort) {
  std::set<uint16_t> ports;
  for (int i = 0; i < 10; ++i) {
    const auto id = flows_.Connect({peer_}, kTestStart);
    ASSERT_TRUE(id.ok());
    EXPECT_TRUE(ports.insert(PortOf(*id)).second);
  }
  EXPECT_EQ(*ports.begin(), 50000);
  EXPECT_EQ(*ports.rbegin(), 50009);
  EXPECT_EQ(Connect(peer_), absl::StatusCode::kUnavailable);
  // Another remote may share them.
  EXPECT_EQ(Connect({peer_.address, 444}), absl::StatusCode::kOk);
}

// [fault C24]
TEST_F(TcpFlowsTest, ListenersAndConnectionsDoNotGetEachOthersPorts) {
  std::set<uint16_t> listening;
  for (int i = 0; i < 5; ++i) {
    const auto id = flows_.Listen({.local = {Ip("0.0.0.0"), 0}});
    ASSERT_TRUE(id.ok());
    EXPECT_TRUE(listening.insert(PortOf(*id)).second);
  }
  for (int i = 0; i < 5; ++i) {
    const auto id = flows_.Connect({peer_}, kTestStart);
    ASSERT_TRUE(id.ok());
    EXPECT_FALSE(listening.contains(PortOf(*id)));
  }
  EXPECT_EQ(Listen({Ip("0.0.0.0"), 0}), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Connect(peer_), absl::StatusCode::kUnavailable);
}

// [RFC 9293 3.9.1.1 MUST-43] both, although only one is the default
TEST_F(TcpFlowsTest, AChosenAddressIsUsed) {
  ASSERT_TRUE(context_.interfaces.AddAddress(link_, Net("10.0.0.4/24")).ok());
  for (const char* address : {"10.0.0.2", "10.0.0.4"}) {
    const IpEndpoint local = {Ip(address), 1234};
    const auto id = flows_.Connect({peer_, local}, kTestStart);
    ASSERT_TRUE(id.ok());
    EXPECT_EQ(context_.sockets.Find(*id)->As<TcpSocket>()->tuple.local, local);
  }
}

TEST_F(TcpFlowsTest, AChosenTupleIsTakenOnce) {
  const IpEndpoint local = {Ip("10.0.0.2"), 1234};
  EXPECT_EQ(Connect(peer_, local), absl::StatusCode::kOk);
  EXPECT_EQ(Connect(peer_, local), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Connect({peer_.address, 444}, local), absl::StatusCode::kOk);
}

// [RFC 9293 3.9.1.1 MUST-42]
TEST_F(TcpFlowsTest, APortThatDialsCanBeListenedOn) {
  const IpEndpoint local = {Ip("10.0.0.2"), 1234};
  EXPECT_EQ(Connect(peer_, local), absl::StatusCode::kOk);
  EXPECT_EQ(Listen(local), absl::StatusCode::kOk);
}

TEST_F(TcpFlowsTest, OpensSayWhyTheyCannot) {
  EXPECT_EQ(Connect({peer_.address, 0}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Connect({Ip("192.0.2.1"), 80}), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Connect(peer_, IpEndpoint{Ip("10.0.0.3"), 0}),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Connect({Ip("10.0.0.2"), 80}), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Listen({Ip("10.0.0.3"), 80}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(context_.sockets.size(), 0u);
}

// [RFC 9293 3.9.1.1 MUST-41]
TEST_F(TcpFlowsTest, ListenersDoNotOverlap) {
  EXPECT_EQ(Listen({Ip("10.0.0.2"), 80}), absl::StatusCode::kOk);
  EXPECT_EQ(Listen({Ip("10.0.0.2"), 80}), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Listen({Ip("0.0.0.0"), 80}), absl::StatusCode::kAlreadyExists);
  // [RFC 3493 5.3] "::" takes IPv4, too, unless it says not to
  EXPECT_EQ(Listen({Ip("::"), 80}), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Listen({Ip("::"), 80}, {.v6_only = true}), absl::StatusCode::kOk);
  EXPECT_EQ(context_.sockets.size(), 2u);
}

TEST_F(TcpFlowsTest, AClosedListenersPortIsFreeAtOnce) {
  const SocketId id = flows_.Listen({.local = {Ip("0.0.0.0"), 80}}).value();
  flows_.Close(*context_.sockets.Find(id), kTestStart);
  EXPECT_EQ(context_.sockets.Find(id), nullptr);
  EXPECT_EQ(Listen({Ip("10.0.0.2"), 80}), absl::StatusCode::kOk);
}

TEST_F(TcpFlowsTest, TheSocketTableHasALimit) {
  for (uint16_t i = 0; i < 40; ++i) {
    ASSERT_EQ(Listen({Ip("0.0.0.0"), static_cast<uint16_t>(1000 + i)}),
              absl::StatusCode::kOk);
  }
  EXPECT_EQ(Listen({Ip("0.0.0.0"), 2000}),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Connect(peer_), absl::StatusCode::kResourceExhausted);
}

TEST_F(TcpFlowsTest, AnAbortedConnectionIsFreedOnceItHasNothingToSend) {
  const SocketId id = flows_.Connect({peer_}, kTestStart).value();
  Socket& socket = *context_.sockets.Find(id);
  OutputQueue& output = context_.interfaces.at(link_).output();
  EXPECT_EQ(output.Next().sender, &socket);
  EXPECT_TRUE(flows_.PollSend(socket, kTestStart));  // the SYN
  EXPECT_TRUE(socket.armed());
  flows_.Abort(socket, kTestStart);
  EXPECT_EQ(context_.sockets.Find(id), nullptr);
  EXPECT_EQ(flows_.flow_count(), 0u);
  EXPECT_FALSE(socket.armed());
  EXPECT_EQ(context_.sockets.size(), 1u);
  EXPECT_EQ(output.Next().sender, &socket);
  EXPECT_FALSE(flows_.PollSend(socket, kTestStart));
  EXPECT_EQ(context_.sockets.size(), 0u);
  EXPECT_TRUE(socket.IsFree());
}

}  // namespace
}  // namespace tcpip
