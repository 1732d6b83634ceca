#include "service/shard_client.h"

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/link/loopback.h"
#include "tcpip/shard/shard.h"

namespace netstack::service {
namespace {

namespace command = tcpip::command;

tcpip::ShardConfig Config() {
  tcpip::ShardConfig config;
  config.interface.name = "test0";
  return config;
}

class ShardClientTest : public testing::Test {
 protected:
  std::future<tcpip::Reply> Call(command::Body body) {
    auto answered = std::make_shared<std::promise<tcpip::Reply>>();
    std::future<tcpip::Reply> answer = answered->get_future();
    client_->Call(std::move(body), [answered](tcpip::Reply reply) {
      answered->set_value(std::move(reply));
    });
    return answer;
  }

  tcpip::Shard shard_{Config(), std::make_unique<tcpip::Loopback>(), nullptr};
  std::unique_ptr<ShardClient> client_ = std::make_unique<ShardClient>(shard_);
};

TEST_F(ShardClientTest, EachCallGetsItsOwnReply) {
  std::future<tcpip::Reply> stats = Call(command::GetStats{});
  std::future<tcpip::Reply> network = Call(command::GetNetwork{});
  EXPECT_TRUE(
      std::holds_alternative<tcpip::reply::Network>(network.get().body));
  EXPECT_TRUE(std::holds_alternative<tcpip::reply::Stats>(stats.get().body));
}

TEST_F(ShardClientTest, CompletionsRunOnOneThreadThatIsNotTheCallers) {
  std::promise<std::thread::id> first;
  std::promise<std::thread::id> second;
  client_->Call(command::GetStats{}, [&](const tcpip::Reply&) {
    first.set_value(std::this_thread::get_id());
  });
  client_->Call(command::GetStats{}, [&](const tcpip::Reply&) {
    second.set_value(std::this_thread::get_id());
  });
  const std::thread::id id = first.get_future().get();
  EXPECT_EQ(id, second.get_future().get());
  EXPECT_NE(id, std::this_thread::get_id());
}

TEST_F(ShardClientTest, WhatIsPendingIsCancelledWhenTheClientGoes) {
  command::TcpListen listen;
  listen.options.local = *tcpip::IpEndpoint::Parse("127.0.0.1:7");
  const tcpip::Reply opened = Call(listen).get();
  ASSERT_TRUE(opened.status.ok()) << opened.status;
  std::future<tcpip::Reply> accepted = Call(
      command::TcpAccept{std::get<tcpip::reply::Opened>(opened.body).socket});
  client_.reset();
  EXPECT_EQ(accepted.get().status.code(), absl::StatusCode::kCancelled);
}

TEST_F(ShardClientTest, CancelledCallCompletesAtOnce) {
  Call(command::AddAddress{"test0", *tcpip::Cidr::Parse("10.9.0.2/24")}).get();
  std::promise<absl::StatusCode> answered;
  const uint64_t call = client_->Call(
      command::Ping{.remote = *tcpip::IpAddress::Parse("10.9.0.9"),
                    .timeout = tcpip::Duration::Seconds(3600)},
      [&](const tcpip::Reply& reply) {
        answered.set_value(reply.status.code());
      });
  client_->Cancel(call);
  EXPECT_EQ(answered.get_future().get(), absl::StatusCode::kCancelled);
  client_->Cancel(call);  // of no effect
}

TEST_F(ShardClientTest, StoppedShardIsAnAnswer) {
  shard_.Stop();
  EXPECT_EQ(Call(command::GetStats{}).get().status.code(),
            absl::StatusCode::kUnavailable);
}

TEST(ShardClient, FullMailboxIsAnAnswer) {
  tcpip::ShardConfig config = Config();
  config.max_queued_commands = 0;
  tcpip::Shard shard(config, std::make_unique<tcpip::Loopback>(), nullptr);
  ShardClient client(shard);
  std::promise<absl::StatusCode> answered;
  client.Call(command::GetStats{}, [&](const tcpip::Reply& reply) {
    answered.set_value(reply.status.code());
  });
  EXPECT_EQ(answered.get_future().get(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace netstack::service
