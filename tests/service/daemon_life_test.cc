// The server's own life: start, health, drain, end.
#include <grpcpp/generic/generic_stub.h>

#include <unistd.h>

#include <chrono>
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
                   [&](const grpc::Status& status) { done.set_value(status); });
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

// SYNs of a dial go out for two minutes; not for a client that is gone.
TEST_F(DaemonLifeTest, DialThatIsGivenUpLeavesNothingToWaitFor) {
  ASSERT_TRUE(client_->AddAddress("10.9.0.2/24").ok());
  const auto stub = v1::Sockets::NewStub(NewChannel());
  v1::StreamRequest dial;
  dial.mutable_open()->mutable_dial()->set_remote("10.9.0.9:80");  // nobody
  const auto syn_sent = [&] {
    const auto connections = client_->Connections(/*with_info=*/false);
    return connections.ok() && connections->size() == 1 &&
           connections->front().state() == "SYN-SENT";
  };
  {
    grpc::ClientContext cancelled;
    const auto call = stub->Stream(&cancelled);
    EXPECT_TRUE(call->Write(dial));
    Eventually("a SYN is out", syn_sent);
    cancelled.TryCancel();
    EXPECT_EQ(call->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  Eventually("its socket is gone", [&] { return !syn_sent(); });
  grpc::ClientContext late;
  late.set_deadline(std::chrono::system_clock::now() +
                    std::chrono::milliseconds(100));
  const auto call = stub->Stream(&late);
  EXPECT_TRUE(call->Write(dial));
  EXPECT_EQ(call->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(server_->Drain(Duration::Seconds(10)));
  const auto stats = client_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->counters().at("tcp_active_opens"), 2u);
  EXPECT_EQ(stats->counters().at("sockets"), 0u);
}

TEST_F(DaemonLifeTest, PingThatIsGivenUpLeavesNothingToWaitFor) {
  ASSERT_TRUE(client_->AddAddress("10.9.0.2/24").ok());
  const auto stub = v1::Sockets::NewStub(NewChannel());
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::milliseconds(100));
  v1::PingRequest ping;
  ping.set_remote("10.9.0.9");
  ping.set_timeout_ms(1'000'000);
  v1::PingReply reply;
  EXPECT_EQ(stub->Ping(&context, ping, &reply).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(server_->Drain(Duration::Seconds(10)));
}

TEST_F(DaemonLifeTest, StreamsOfAStoppedStackHearTheReason) {
  Pair pair = Connect();
  EXPECT_FALSE(server_->Drain(Duration::Zero()));
  shard_->Stop();
  for (Stream* stream : {&pair.near, &pair.far}) {
    const absl::Status status = ReadError(*stream);
    EXPECT_EQ(status.message(), "the daemon stopped") << status;
  }
  EXPECT_TRUE(server_->Drain(kPatience));
}

// What asks and changes goes on; what would begin is refused.
TEST_F(DaemonLifeTest, DrainingServerSaysUnavailableToWhatBegins) {
  const auto channel = NewChannel();
  const auto stub = v1::Sockets::NewStub(channel);
  // No new connection is taken either.
  ASSERT_TRUE(channel->WaitForConnected(std::chrono::system_clock::now() +
                                        std::chrono::seconds(60)));
  ASSERT_TRUE(server_->Drain(kPatience));
  v1::PingRequest ping;
  ping.set_remote("127.0.0.1");
  for (const absl::Status& status : {client_->Dial("127.0.0.1:80").status(),
                                     client_->Listen("127.0.0.1:0").status(),
                                     client_->Ping(ping).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  }
  grpc::ClientContext context;
  EXPECT_EQ(stub->Datagrams(&context)->Finish().error_code(),
            grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(client_->Connections(/*with_info=*/false).ok());
  EXPECT_TRUE(client_->AddAddress("10.9.0.2/24").ok());
  const auto stats = client_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->counters().at("calls_refused"), 4u);
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
