#include "tcpip/shard/tour.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/shard/mailbox.h"
#include "tcpip/wire/address.h"

namespace tcpip {
namespace {

SocketId Id(uint32_t shard) { return {SocketId::SlotOf(shard, 7), 1}; }

// The test is all shards at once: it takes from their inboxes and answers.
class TourTest : public testing::Test {
 protected:
  static constexpr size_t kShards = 3;

  absl::Status Begin(command::Body body) {
    return Tour::Begin(group_,
                       {.reply_to = {replies_, 5}, .body = std::move(body)});
  }

  std::vector<Command> Mail(size_t shard) {
    std::vector<Command> mail;
    inboxes_[shard]->commands.PopAll(mail);
    return mail;
  }
  // The one command that waits for a shard.
  Command At(size_t shard) {
    std::vector<Command> mail = Mail(shard);
    EXPECT_EQ(mail.size(), 1u) << "at shard " << shard;
    return mail.empty() ? Command{} : std::move(mail[0]);
  }
  static bool Answer(const Command& command, reply::Body body) {
    return command.reply_to.Answer(std::move(body));
  }
  static bool Refuse(const Command& command, absl::Status status) {
    return command.reply_to.Answer(std::move(status));
  }
  // The user's one reply.
  Reply TheReply() {
    std::vector<Reply> replies;
    replies_->PopAll(replies);
    EXPECT_EQ(replies.size(), 1u);
    if (replies.empty()) return {};
    EXPECT_EQ(replies[0].cookie, 5u);
    return std::move(replies[0]);
  }
  bool HasReply() {
    std::vector<Reply> replies;
    replies_->PopAll(replies);
    return !replies.empty();
  }

  // A shard's answer to a TcpListen.
  static reply::Opened Listening(uint32_t shard, uint16_t port) {
    return {Id(shard), {{IpAddress(), port}, {}}};
  }
  uint16_t PortAsked(const Command& command) {
    return std::get<command::TcpListen>(command.body).options.local.port;
  }

  ShardInboxes inboxes_ = MakeInboxes(kShards, 1, 0);
  GroupListeners listeners_;
  Tour::Group group_{inboxes_, listeners_, 10};
  std::shared_ptr<ReplyQueue> replies_ = std::make_shared<ReplyQueue>();
};

TEST_F(TourTest, AChangeOfTheNetworkReachesEveryShardInTurn) {
  ASSERT_TRUE(Begin(command::AddRoute{*Cidr::Parse("10.0.0.0/8"), "x"}).ok());
  for (size_t shard = 0; shard < kShards; ++shard) {
    EXPECT_FALSE(HasReply());
    const Command command = At(shard);
    EXPECT_EQ(std::get<command::AddRoute>(command.body).interface, "x");
    EXPECT_TRUE(Answer(command, reply::Done{}));
  }
  EXPECT_TRUE(TheReply().status.ok());
}

TEST_F(TourTest, ChangesKeepTheirOrderInEveryShard) {
  inboxes_ = MakeInboxes(kShards, 100, 0);
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_TRUE(Begin(command::AddRoute{Cidr(), name}).ok());
  }
  for (size_t shard = 0; shard < kShards; ++shard) {
    std::string order;
    for (const Command& command : Mail(shard)) {
      order += std::get<command::AddRoute>(command.body).interface;
      Answer(command, reply::Done{});
    }
    EXPECT_EQ(order, "abc") << "at shard " << shard;
  }
}

TEST_F(TourTest, WhatShardZeroRefusesNoOtherSees) {
  ASSERT_TRUE(Begin(command::RemoveRoute{}).ok());
  Refuse(At(0), absl::NotFoundError("no such route"));
  EXPECT_EQ(TheReply().status.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(Mail(1).empty());
}

TEST_F(TourTest, AFullMailboxIsAnAnswerAtTheStartAndNoObstacleLater) {
  ASSERT_TRUE(Begin(command::AddRoute{}).ok());
  EXPECT_EQ(Begin(command::AddRoute{}).code(),
            absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(inboxes_[1]->Post({}).ok());
  EXPECT_TRUE(Answer(At(0), reply::Done{}));
  EXPECT_EQ(Mail(1).size(), 2u);
}

TEST_F(TourTest, CountersAreSummed) {
  ASSERT_TRUE(Begin(command::GetStats{}).ok());
  for (size_t shard = 0; shard < kShards; ++shard) {
    reply::Stats stats;
    stats.stack.tcp_in_segs = 10 + shard;
    stats.link.packets_in = 100 * (shard + 1);
    stats.uptime = Duration::Seconds(9);
    EXPECT_TRUE(Answer(At(shard), stats));
  }
  const Reply reply = TheReply();
  const auto& stats = std::get<reply::Stats>(reply.body);
  EXPECT_EQ(stats.stack.tcp_in_segs, 33u);
  EXPECT_EQ(stats.link.packets_in, 600u);
  EXPECT_EQ(stats.uptime, Duration::Seconds(9));
}

// [fault L01] a kernel refuses offloads queue by queue
TEST_F(TourTest, TheNetworkHasTheOffloadsThatAllQueuesHave) {
  constexpr LinkOffloads kAll = {.checksum = true, .tso4 = true, .tso6 = true};
  ASSERT_TRUE(Begin(command::GetNetwork{}).ok());
  constexpr LinkOffloads kSent[kShards] = {
      kAll,
      {.checksum = true, .tso6 = true},
      {.checksum = true, .tso4 = true, .tso6 = true}};
  for (size_t shard = 0; shard < kShards; ++shard) {
    reply::Network network;
    network.routes.resize(7);
    network.offloads = {.rx = kAll, .tx = kSent[shard]};
    EXPECT_TRUE(Answer(At(shard), std::move(network)));
  }
  const Reply reply = TheReply();
  const auto& network = std::get<reply::Network>(reply.body);
  EXPECT_EQ(network.routes.size(), 7u);
  EXPECT_EQ(network.offloads, (SwitchedOffloads{kAll, kSent[1]}));
}

TEST_F(TourTest, AListenerHasOnePortOnAllShards) {
  ASSERT_TRUE(Begin(command::TcpListen{}).ok());
  for (uint32_t shard = 0; shard < kShards; ++shard) {
    const Command command = At(shard);
    EXPECT_EQ(PortAsked(command), shard == 0 ? 0 : 4242);
    EXPECT_EQ(listeners_.Find(Id(0)), nullptr);
    EXPECT_TRUE(Answer(command, Listening(shard, 4242)));
  }
  const Reply reply = TheReply();
  EXPECT_EQ(std::get<reply::Opened>(reply.body).socket, Id(0));
  EXPECT_NE(listeners_.Find(Id(0)), nullptr);
}

TEST_F(TourTest, AListenerThatOneShardRefusesIsUndone) {
  ASSERT_TRUE(Begin(command::TcpListen{}).ok());
  Answer(At(0), Listening(0, 80));
  Answer(At(1), Listening(1, 80));
  Refuse(At(2), absl::AlreadyExistsError("in use"));
  EXPECT_EQ(TheReply().status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(std::get<command::Close>(At(0).body).socket, Id(0));
  EXPECT_EQ(std::get<command::Close>(At(1).body).socket, Id(1));
  EXPECT_EQ(listeners_.Find(Id(0)), nullptr);
}

TEST_F(TourTest, AListenerWhoseUserIsGoneIsUndone) {
  ASSERT_TRUE(Begin(command::TcpListen{}).ok());
  replies_->Close();
  Answer(At(0), Listening(0, 80));
  Answer(At(1), Listening(1, 80));
  EXPECT_FALSE(Answer(At(2), Listening(2, 80)));
  for (uint32_t shard = 0; shard < kShards; ++shard) {
    EXPECT_EQ(std::get<command::Close>(At(shard).body).socket, Id(shard));
  }
  EXPECT_EQ(listeners_.Find(Id(0)), nullptr);
}

TEST_F(TourTest, AStopHalfWayIsAnswered) {
  ASSERT_TRUE(Begin(command::TcpListen{}).ok());
  const Command command = At(0);
  inboxes_[1]->commands.Close();
  Answer(command, Listening(0, 80));
  EXPECT_EQ(TheReply().status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(std::get<command::Close>(At(0).body).socket, Id(0));
}

TEST_F(TourTest, ACancelGoesOnUntilItFindsItsCommand) {
  ASSERT_TRUE(Begin(command::Cancel{77}).ok());
  const Command first = At(0);
  const auto& cancel = std::get<command::Cancel>(first.body);
  EXPECT_EQ(cancel.cookie, 77u);
  EXPECT_EQ(cancel.sink, replies_.get());
  Refuse(first, absl::NotFoundError("no such command waits"));
  EXPECT_FALSE(HasReply());
  Answer(At(1), reply::Done{});
  EXPECT_TRUE(TheReply().status.ok());
  EXPECT_TRUE(Mail(2).empty());
}

TEST_F(TourTest, ACancelThatFindsNothingSaysSo) {
  ASSERT_TRUE(Begin(command::Cancel{77}).ok());
  for (size_t shard = 0; shard < kShards; ++shard) {
    Refuse(At(shard), absl::NotFoundError("no such command waits"));
  }
  EXPECT_EQ(TheReply().status.code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tcpip
