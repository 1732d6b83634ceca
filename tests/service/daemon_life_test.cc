// The server's own life: start, health, drain, end.
#include <grpcpp/generic/generic_stub.h>

#include <unistd.h>

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "service/netstack.grpc.pb.h"
#include "tests/service/service_fixture.h"

namespace netstack {
namespace {

using tcpip::Duration;

class DaemonLifeTest : public ServiceTest {
 protected:
  // The status of grpc.health.v1 for a service: 1 SERVING, 2 NOT_SERVING.
  static int Health(const std::shared_ptr<grpc::Channel>& channel,
                    const std::string& name) {
    std::string request;
    if (!name.empty()) {
      request = std::string("\x0a") + static_cast<char>(name.size()) + name;
    }
    const grpc::Slice slice(request);
    const grpc::ByteBuffer in(&slice, 1);
    grpc::ByteBuffer out;
    grpc::GenericStub stub(channel);
    grpc::ClientContext context;
    std::promise<grpc::Status> done;
    stub.UnaryCall(&context, "/grpc.health.v1.Health/Check",
                   grpc::StubOptions(), &in, &out,
                   [&](grpc::Status status) { done.set_value(status); });
    const grpc::Status status = done.get_future().get();
    EXPECT_TRUE(status.ok()) << status.error_message();
    grpc::Slice answer;
    if (!status.ok() || !out.DumpToSingleSlice(&answer).ok()) return 0;
    return answer.size() == 2 ? answer.begin()[1] : 0;
  }
};

TEST_F(DaemonLifeTest, HealthIsServingUntilTheDrain) {
  const auto channel = NewChannel();
  for (const char* name : {"", "netstack.v1.Sockets", "netstack.v1.Network"}) {
    EXPECT_EQ(Health(channel, name), 1) << name;
  }
  EXPECT_TRUE(server_->Drain(kPatience));
  for (const char* name : {"", "netstack.v1.Sockets", "netstack.v1.Network"}) {
    EXPECT_EQ(Health(channel, name), 2) << name;
  }
}

TEST_F(DaemonLifeTest, DrainEndsListenersAndWaitsForStreams) {
  Pair pair = Connect();
  std::future<bool> drained =
      std::async(std::launch::async, [&] { return server_->Drain(kPatience); });
  EXPECT_EQ(listener_->Accept().status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(client_->Dial("127.0.0.1:1").status().code(),
            absl::StatusCode::kUnavailable);
  // What is open goes on.
  ASSERT_TRUE(WriteText(pair.near, "to the end").ok());
  EXPECT_EQ(ReadText(pair.far, 10), "to the end");
  CloseBoth(pair);
  EXPECT_TRUE(drained.get());
  EXPECT_NE(access(path_.c_str(), F_OK), 0);  // nobody listens there
}

TEST_F(DaemonLifeTest, WhatOutlivesTheDrainIsReset) {
  Pair pair = Connect();
  EXPECT_FALSE(server_->Drain(Duration::Milliseconds(20)));
  StopServer();
  EXPECT_FALSE(ReadError(pair.near).ok());
  EXPECT_FALSE(ReadError(pair.far).ok());
}

// Nothing a client waits for keeps the daemon from ending.
TEST_F(DaemonLifeTest, PendingCallsEndWithTheServer) {
  Listen();
  v1::PingRequest ping;
  ping.set_remote("192.0.2.1");
  ping.set_timeout_ms(1'000'000);
  std::future<absl::Status> answer = std::async(
      std::launch::async, [&] { return client_->Ping(ping).status(); });
  StopServer();
  EXPECT_FALSE(answer.get().ok());
  EXPECT_FALSE(listener_->Accept().ok());
}

// [fault X34]
TEST_F(DaemonLifeTest, OnlyLoopbackIsServedOverTcp) {
  for (const char* endpoint : {"0.0.0.0:0", "[::]:0", "nonsense"}) {
    service::ServerConfig config;
    config.tcp_endpoints = {endpoint};
    EXPECT_EQ(service::Server::Start(config, *shard_).status().code(),
              absl::StatusCode::kInvalidArgument)
        << endpoint;
  }
  service::ServerConfig config;
  config.tcp_endpoints = {"127.0.0.1:0"};
  const auto server = service::Server::Start(config, *shard_);
  ASSERT_TRUE(server.ok()) << server.status();
  const std::string endpoint =
      "127.0.0.1:" + std::to_string((*server)->tcp_ports()[0]);
  const auto client = Client::Connect(endpoint);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE((*client)->Stats().ok());
  // Its port is taken.
  config.tcp_endpoints = {endpoint};
  EXPECT_EQ(service::Server::Start(config, *shard_).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(DaemonLifeTest, SecondServerOnTheSameSocketIsRefused) {
  service::ServerConfig config;
  config.unix_paths = {path_};
  EXPECT_EQ(service::Server::Start(config, *shard_).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_TRUE(client_->Stats().ok());
}

TEST_F(DaemonLifeTest, NoDaemonIsSaidWithTheWayToStartOne) {
  const absl::Status status =
      Client::Connect("unix:///tmp/no/such.sock", Duration::Milliseconds(50))
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("/tmp/no/such.sock"),
            absl::string_view::npos);
  EXPECT_NE(status.message().find("netstackd --tun"), absl::string_view::npos);
}

}  // namespace
}  // namespace netstack
