#include "tcpip/shard/shard_loop.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/testing/idle_link.h"

namespace tcpip {
namespace {

// What is told of the device, passed on to the test.
struct Hooks final : DeviceObserver {
  void OnLinkLost() override { lost(); }
  void OnLinkBack() override { back(); }
  void OnOffloadsRefused(const LinkOffloads& offloads) override {
    refused(offloads);
  }
  std::function<void()> lost;
  std::function<void()> back;
  std::function<void(const LinkOffloads&)> refused;
};

// The test's own thread runs the loop: it ends when the mailbox is closed.
class ShardLoopTest : public testing::Test {
 protected:
  template <typename C>
  void Post(uint64_t cookie, C body) {
    Command command;
    command.reply_to = {replies_, cookie};
    command.body = std::move(body);
    ASSERT_TRUE(mailbox_.TryPush(std::move(command)));
  }

  std::vector<Reply> Replies() {
    std::vector<Reply> replies;
    replies_->PopAll(replies);
    return replies;
  }

  ShardConfig config_;
  Loopback link_;
  Hooks told_;
  SharedByShards group_{config_, 1, &told_};
  Mailbox<Command>& mailbox_ = group_.inboxes[0]->commands;
  std::shared_ptr<ReplyQueue> replies_ = std::make_shared<ReplyQueue>();
};

TEST_F(ShardLoopTest, EveryCommandIsAnsweredOnceEvenAtTheEnd) {
  constexpr uint64_t kCommands = 1000;  // more than one turn takes
  for (uint64_t i = 0; i < kCommands; ++i) Post(i, command::GetStats{});
  mailbox_.Close();
  ShardLoop(config_, link_, group_, nullptr).Run();
  std::vector<int> seen(kCommands);
  for (const Reply& reply : Replies()) ++seen.at(reply.cookie);
  EXPECT_EQ(seen, std::vector<int>(kCommands, 1));
}

// Fills the mailbox again while the shard is in the middle of a batch.
class Flooder final : public ShardApp {
 public:
  explicit Flooder(Mailbox<Command>& mailbox) : mailbox_(mailbox) {}
  void OnStart(Stack& stack, Instant now) override {
    Flood();
    TcpConnectOptions nowhere;  // refused at once: an event in the first turns
    nowhere.remote = *IpEndpoint::Parse("127.0.0.1:9");
    EXPECT_TRUE(stack.TcpConnect(nowhere, now).ok());
  }
  void OnReady(Stack&, const ReadyEvent&, Instant) override {
    Flood();
    mailbox_.Close();
  }
  int posted = 0;
  std::shared_ptr<ReplyQueue> replies = std::make_shared<ReplyQueue>();

 private:
  void Flood() {
    while (true) {
      Command command;
      command.reply_to = {replies, 0};
      command.body = command::GetStats{};
      if (!mailbox_.TryPush(std::move(command))) return;
      ++posted;
    }
  }
  Mailbox<Command>& mailbox_;
};

TEST_F(ShardLoopTest, AFloodIsTakenBatchByBatchAndAnsweredInFull) {
  Flooder app(mailbox_);
  ShardLoop(config_, link_, group_, &app).Run();
  std::vector<Reply> replies;
  app.replies->PopAll(replies);
  EXPECT_EQ(static_cast<int>(replies.size()), app.posted);
  EXPECT_LE(app.posted, 2 * 4096);
}

TEST_F(ShardLoopTest, WhatWaitsAtTheEndIsCancelled) {
  command::TcpDial dial;
  dial.options.remote = *IpEndpoint::Parse("127.0.0.1:9");
  command::Ping ping;
  ping.remote = *IpAddress::Parse("127.0.0.1");
  Post(1, dial);
  Post(2, ping);
  mailbox_.Close();
  ShardLoop(config_, link_, group_, nullptr).Run();
  const std::vector<Reply> replies = Replies();
  ASSERT_EQ(replies.size(), 2u);
  for (const Reply& reply : replies) {
    EXPECT_EQ(reply.status.code(), absl::StatusCode::kCancelled);
  }
}

// Stops the loop when the stack has told it what it waits for.
class SelfTalker final : public ShardApp {
 public:
  explicit SelfTalker(Mailbox<Command>& mailbox) : mailbox_(mailbox) {}
  void OnStart(Stack& stack, Instant now) override {
    TcpListenOptions listen;
    listen.local = *IpEndpoint::Parse("[::1]:7");
    listener_ = *stack.TcpListen(listen);
    TcpConnectOptions connect;
    connect.remote = listen.local;
    EXPECT_TRUE(stack.TcpConnect(connect, now).ok());
  }
  void OnReady(Stack&, const ReadyEvent& event, Instant) override {
    if (event.socket == listener_ && event.acceptable) mailbox_.Close();
  }

 private:
  Mailbox<Command>& mailbox_;
  SocketId listener_;
};

TEST_F(ShardLoopTest, TheLoopbackIsPumpedWithoutAnyWakeUp) {
  SelfTalker app(mailbox_);
  ShardLoop(config_, link_, group_, &app).Run();
  EXPECT_TRUE(mailbox_.closed());
}

// A link whose other end can go away, and come back with another MTU.
class FdLink : public sim::IdleLink {
 public:
  explicit FdLink(int fd) : fd_(fd) {}
  ~FdLink() override { close(fd_); }
  LinkCapabilities capabilities() const override { return {.mtu = mtu_}; }
  int poll_fd() const override { return fd_; }
  absl::Status Reopen() override {
    if (other_end_ >= 0) return absl::NotFoundError("gone");
    std::array<int, 2> ends;
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    close(std::exchange(fd_, ends[0]));
    other_end_ = ends[1];
    mtu_ = 1300;
    return absl::OkStatus();
  }
  void HangUp() { close(std::exchange(other_end_, -1)); }

 private:
  int fd_;
  int other_end_ = -1;
  uint32_t mtu_ = 1500;
};

// [fault L16]
TEST_F(ShardLoopTest, ALostDeviceIsTold) {
  std::array<int, 2> ends;
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  FdLink link(ends[0]);
  close(ends[1]);
  told_.lost = [this] { mailbox_.Close(); };
  ShardLoop(config_, link, group_, nullptr).Run();
  EXPECT_TRUE(mailbox_.closed());
}

// One that has packets all the time, if no good ones.
class BusyFdLink final : public FdLink {
 public:
  BusyFdLink(int fd, Mailbox<Command>& mailbox) : FdLink(fd), box_(mailbox) {}
  size_t ReadBatch(SlabPool&, PacketBatch&, size_t max, Instant) override {
    if (++reads_ == 10'000) box_.Close();
    return max;
  }

 private:
  Mailbox<Command>& box_;
  int reads_ = 0;
};

// [fault L16]
TEST_F(ShardLoopTest, ALostDeviceIsToldToALoopThatNeverRests) {
  std::array<int, 2> ends;
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  BusyFdLink link(ends[0], mailbox_);
  close(ends[1]);
  int lost = 0;
  told_.lost = [&] {
    ++lost;
    mailbox_.Close();
  };
  ShardLoop(config_, link, group_, nullptr).Run();
  EXPECT_EQ(lost, 1);
}

// [fault L12] and taken up again, under its new descriptor and as it is now
TEST_F(ShardLoopTest, ADeviceThatCameBackIsWatchedAgain) {
  std::array<int, 2> ends;
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  FdLink link(ends[0]);
  close(ends[1]);
  int lost = 0, back = 0;
  told_.lost = [&] {
    if (++lost == 2) mailbox_.Close();
  };
  told_.back = [&] {
    ++back;
    Post(1, command::GetNetwork{});
    link.HangUp();
  };
  ShardLoop(config_, link, group_, nullptr).Run();
  EXPECT_EQ(lost, 2);
  EXPECT_EQ(back, 1);
  const std::vector<Reply> replies = Replies();
  ASSERT_EQ(replies.size(), 1u);
  const auto& network = std::get<reply::Network>(replies[0].body);
  EXPECT_EQ(network.interfaces[0].config.link.mtu, 1300u);
}

// Refuses what is written to it until offloads are switched; some turns long.
class FussyLink final : public sim::IdleLink {
 public:
  explicit FussyLink(Mailbox<Command>& mailbox) : mailbox_(mailbox) {}
  LinkOffloads refused() const override { return refused_; }
  size_t ReadBatch(SlabPool&, PacketBatch&, size_t max, Instant) override {
    if (++turns_ == 20) mailbox_.Close();
    return max;  // so that the loop goes on
  }
  size_t WriteBatch(std::span<Packet> packets) override {
    if (!packets.empty()) refused_.tso4 = true;
    return packets.size();
  }
  absl::Status SetOffloads(const LinkOffloads&, const LinkOffloads&) override {
    refused_ = {};
    return absl::OkStatus();
  }

 private:
  Mailbox<Command>& mailbox_;
  LinkOffloads refused_;
  int turns_ = 0;
};

// [fault L01] also when it refuses in the very turn of the switch
TEST_F(ShardLoopTest, ARefusalIsToldOnceAndAgainAfterASwitch) {
  FussyLink link(mailbox_);
  config_.interface.name = "fussy";
  const command::Ping outside = {.remote = *IpAddress::Parse("10.0.0.77")};
  std::vector<LinkOffloads> told;
  told_.refused = [&](const LinkOffloads& refused) {
    told.push_back(refused);
    if (told.size() == 3) return;
    Post(3, command::SetOffloads{});
    Post(4, outside);
  };
  Post(1, command::AddAddress{"fussy", *Cidr::Parse("10.0.0.2/24")});
  Post(2, outside);
  ShardLoop(config_, link, group_, nullptr).Run();
  EXPECT_EQ(told, std::vector<LinkOffloads>(3, {.tso4 = true}));
}

TEST_F(ShardLoopTest, EachTurnIsCounted) {
  FussyLink link(mailbox_);
  config_.interface.name = "fussy";
  told_.refused = [this](const LinkOffloads&) { Post(4, command::GetStats{}); };
  Post(1, command::AddAddress{"fussy", *Cidr::Parse("10.0.0.2/24")});
  Post(2, command::Ping{.remote = *IpAddress::Parse("10.0.0.77")});
  Post(3, command::GetStats{});
  ShardLoop(config_, link, group_, nullptr).Run();
  std::vector<uint64_t> turns;
  for (const Reply& reply : Replies()) {
    const auto* stats = std::get_if<reply::Stats>(&reply.body);
    if (stats != nullptr) turns.push_back(stats->turns);
  }
  EXPECT_EQ(turns, (std::vector<uint64_t>{1, 2}));
}

TEST_F(ShardLoopTest, ALinkWithoutOffloadsSaysSo) {
  Post(1, command::SetOffloads{});
  mailbox_.Close();
  ShardLoop(config_, link_, group_, nullptr).Run();
  const std::vector<Reply> replies = Replies();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].status.code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tcpip
