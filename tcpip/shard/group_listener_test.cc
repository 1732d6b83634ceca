#include "tcpip/shard/group_listener.h"

#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/shard/mailbox.h"

namespace tcpip {
namespace {

SocketId Id(uint32_t shard, uint32_t index) {
  return {SocketId::SlotOf(shard, index), 1};
}

// The test is all shards at once: it looks into their inboxes and answers.
class GroupListenerTest : public testing::Test {
 protected:
  void Accept(uint64_t cookie) {
    listener_->Accept({.reply_to = {replies_, cookie},
                       .body = command::TcpAccept{listener_->id()}});
  }

  absl::Status Close(uint64_t cookie) {
    return listener_->Close({.reply_to = {replies_, cookie},
                             .body = command::Close{listener_->id()}});
  }

  std::vector<Command> Mail(size_t shard) {
    std::vector<Command> mail;
    inboxes_[shard]->commands.PopAll(mail);
    return mail;
  }

  // The one question that a shard was asked, or nullopt.
  std::optional<Command> Question(size_t shard) {
    std::vector<Command> mail = Mail(shard);
    if (mail.empty()) return std::nullopt;
    EXPECT_EQ(mail.size(), 1u);
    EXPECT_EQ(std::get<command::TcpAccept>(mail[0].body).listener,
              Id(static_cast<uint32_t>(shard), 7));
    return std::move(mail[0]);
  }

  static bool AnswerWith(const Command& question, SocketId connection) {
    return question.reply_to.Answer(reply::Opened{connection, {}});
  }

  // Cookie and connection of each reply since the last call.
  using Accepted = std::vector<std::pair<uint64_t, SocketId>>;
  Accepted Replies() {
    std::vector<Reply> replies;
    replies_->PopAll(replies);
    Accepted accepted;
    for (const Reply& reply : replies) {
      const auto* opened = std::get_if<reply::Opened>(&reply.body);
      accepted.emplace_back(reply.cookie, opened ? opened->socket : SocketId{});
    }
    return accepted;
  }

  ShardInboxes inboxes_ = MakeInboxes(2, 100, 0);
  std::shared_ptr<ReplyQueue> replies_ = std::make_shared<ReplyQueue>();
  std::shared_ptr<GroupListener> listener_ = std::make_shared<GroupListener>(
      inboxes_, std::vector{Id(0, 7), Id(1, 7)}, 3);
};

TEST_F(GroupListenerTest, WhicheverShardHasAConnectionAnswers) {
  Accept(1);
  const auto zero = Question(0);
  const auto one = Question(1);
  ASSERT_TRUE(zero && one);
  EXPECT_TRUE(AnswerWith(*one, Id(1, 20)));
  EXPECT_EQ(Replies(), (Accepted{{1, Id(1, 20)}}));
  // Shard 0 is asked already.
  Accept(2);
  EXPECT_FALSE(Question(0));
  EXPECT_TRUE(Question(1));
  EXPECT_TRUE(AnswerWith(*zero, Id(0, 30)));
  EXPECT_EQ(Replies(), (Accepted{{2, Id(0, 30)}}));
}

TEST_F(GroupListenerTest, WhatTheOthersAnswerIsKeptForTheNext) {
  Accept(1);
  const auto zero = Question(0);
  const auto one = Question(1);
  EXPECT_TRUE(AnswerWith(*one, Id(1, 20)));
  EXPECT_TRUE(AnswerWith(*zero, Id(0, 30)));
  EXPECT_EQ(Replies(), (Accepted{{1, Id(1, 20)}}));
  Accept(2);
  EXPECT_EQ(Replies(), (Accepted{{2, Id(0, 30)}}));
  EXPECT_FALSE(Question(0));
  EXPECT_FALSE(Question(1));
}

TEST_F(GroupListenerTest, FirstComeFirstServed) {
  for (uint64_t cookie : {1, 2, 3}) Accept(cookie);
  auto one = Question(1);
  EXPECT_TRUE(AnswerWith(*one, Id(1, 1)));
  one = Question(1);  // asked again, since two still wait
  ASSERT_TRUE(one);
  EXPECT_TRUE(AnswerWith(*one, Id(1, 2)));
  EXPECT_TRUE(AnswerWith(*Question(0), Id(0, 3)));
  EXPECT_EQ(Replies(), (Accepted{{1, Id(1, 1)}, {2, Id(1, 2)}, {3, Id(0, 3)}}));
}

TEST_F(GroupListenerTest, WhoIsGoneIsPassedOver) {
  const auto gone = std::make_shared<ReplyQueue>();
  listener_->Accept(
      {.reply_to = {gone, 1}, .body = command::TcpAccept{listener_->id()}});
  Accept(2);
  gone->Close();
  EXPECT_TRUE(AnswerWith(*Question(0), Id(0, 1)));
  EXPECT_EQ(Replies(), (Accepted{{2, Id(0, 1)}}));
}

TEST_F(GroupListenerTest, TooManyWaitingIsAnAnswer) {
  for (uint64_t cookie : {1, 2, 3}) Accept(cookie);
  Accept(4);
  std::vector<Reply> replies;
  replies_->PopAll(replies);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].cookie, 4u);
  EXPECT_EQ(replies[0].status.code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(GroupListenerTest, AShardsRefusalIsEverybodysAnswer) {
  for (uint64_t cookie : {1, 2}) Accept(cookie);
  const auto zero = Question(0);
  EXPECT_TRUE(zero->reply_to.Answer(absl::CancelledError("stopped")));
  std::vector<Reply> replies;
  replies_->PopAll(replies);
  ASSERT_EQ(replies.size(), 2u);
  for (const Reply& reply : replies) {
    EXPECT_EQ(reply.status.code(), absl::StatusCode::kCancelled);
  }
}

TEST_F(GroupListenerTest, CloseEndsAllListenersAndWhatNobodyTook) {
  Accept(1);
  const auto zero = Question(0);
  const auto one = Question(1);
  EXPECT_TRUE(AnswerWith(*one, Id(1, 20)));
  Accept(2);
  const auto again = Question(1);
  EXPECT_TRUE(AnswerWith(*again, Id(1, 21)));
  EXPECT_TRUE(AnswerWith(*zero, Id(0, 30)));  // for nobody
  EXPECT_EQ(Replies().size(), 2u);

  EXPECT_TRUE(Close(3).ok());
  const std::vector<Command> at_zero = Mail(0);
  ASSERT_EQ(at_zero.size(), 2u);
  EXPECT_EQ(std::get<command::Close>(at_zero[0].body).socket, Id(0, 7));
  EXPECT_EQ(at_zero[0].reply_to.sink(), replies_);
  EXPECT_EQ(std::get<command::Abort>(at_zero[1].body).socket, Id(0, 30));
  const std::vector<Command> at_one = Mail(1);
  ASSERT_EQ(at_one.size(), 1u);
  EXPECT_EQ(std::get<command::Close>(at_one[0].body).socket, Id(1, 7));
}

TEST_F(GroupListenerTest, AConnectionThatComesAfterTheCloseIsNotTaken) {
  Accept(1);
  const auto zero = Question(0);
  EXPECT_TRUE(Close(2).ok());
  EXPECT_EQ(Replies(), (Accepted{{1, SocketId{}}}));
  EXPECT_FALSE(AnswerWith(*zero, Id(0, 30)));
  Accept(3);
  EXPECT_EQ(Replies(), (Accepted{{3, SocketId{}}}));
}

TEST_F(GroupListenerTest, AfterTheShardsStoppedEveryCommandIsAnswered) {
  Accept(1);
  for (const auto& inbox : inboxes_) inbox->commands.Close();
  EXPECT_TRUE(AnswerWith(*Question(0), Id(0, 1)));
  EXPECT_EQ(Replies(), (Accepted{{1, Id(0, 1)}}));
  Accept(2);
  EXPECT_EQ(Replies(), (Accepted{{2, SocketId{}}}));
  EXPECT_EQ(Close(3).code(), absl::StatusCode::kUnavailable);
}

TEST(GroupListeners, FindsByTheIdOfTheFirst) {
  const ShardInboxes inboxes = MakeInboxes(2, 1, 0);
  GroupListeners listeners;
  const auto listener = std::make_shared<GroupListener>(
      inboxes, std::vector{Id(0, 7), Id(1, 9)}, 1);
  listeners.Add(listener);
  EXPECT_EQ(listeners.Find(Id(0, 7)), listener);
  EXPECT_EQ(listeners.Find(Id(1, 9)), nullptr);
  EXPECT_EQ(listeners.Remove(Id(0, 7)), listener);
  EXPECT_EQ(listeners.Find(Id(0, 7)), nullptr);
  EXPECT_EQ(listeners.Remove(Id(0, 7)), nullptr);
}

}  // namespace
}  // namespace tcpip
