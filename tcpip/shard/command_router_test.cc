#include "tcpip/shard/command_router.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/shard/mailbox.h"
#include "tcpip/wire/address.h"

namespace tcpip {
namespace {

constexpr uint32_t kShards = 3;
constexpr SipHashKey kKey = {11, 22};

SocketId Id(uint32_t shard) { return {SocketId::SlotOf(shard, 7), 1}; }

// The test is all shards at once: it looks into their inboxes.
class CommandRouterTest : public testing::Test {
 protected:
  absl::Status Post(command::Body body) {
    return router_.Post({.reply_to = {replies_, 1}, .body = std::move(body)});
  }
  std::vector<Command> Mail(uint32_t shard) {
    std::vector<Command> mail;
    inboxes_[shard]->commands.PopAll(mail);
    return mail;
  }
  // The only shard that a command is sent to; nullopt when it is none or
  // several.
  std::optional<uint32_t> ShardOf(command::Body body) {
    EXPECT_TRUE(Post(std::move(body)).ok());
    std::optional<uint32_t> found;
    size_t count = 0;
    for (uint32_t shard = 0; shard < kShards; ++shard) {
      const size_t here = Mail(shard).size();
      if (here > 0) found = shard;
      count += here;
    }
    return count == 1 ? found : std::nullopt;
  }
  // A listener that every shard has agreed to.
  void OpenListener() {
    ASSERT_TRUE(Post(command::TcpListen{}).ok());
    for (uint32_t shard = 0; shard < kShards; ++shard) {
      const std::vector<Command> mail = Mail(shard);
      ASSERT_EQ(mail.size(), 1u);
      mail[0].reply_to.Answer(reply::Opened{Id(shard), {}});
    }
  }

  const ShardInboxes inboxes_ = MakeInboxes(kShards, 100, 0);
  CommandRouter router_{inboxes_, kKey, 10};
  const Steering steering_{0, kShards, kKey};
  // A user who is there: a listener that nobody hears of is closed.
  const std::shared_ptr<ReplyQueue> replies_ = std::make_shared<ReplyQueue>();
};

TEST_F(CommandRouterTest, WhatNamesASocketGoesToItsShard) {
  for (uint32_t shard = 0; shard < kShards; ++shard) {
    const SocketId id = Id(shard);
    const command::Body bodies[] = {
        command::TcpSend{id, {}},
        command::TcpRecv{id},
        command::TcpAccept{id},
        command::TcpCloseWrite{id},
        command::Close{id},
        command::Abort{id},
        command::SetSettings{id, {}},
        command::GetInfo{id},
        command::UdpSend{id, {}, {}},
        command::UdpRecv{id},
        command::UdpConnect{id, {}},
        command::UdpSetSettings{id, {}},
        command::UdpGetPathMtu{id, {}},
        command::ListSockets{id.slot},
    };
    for (const command::Body& body : bodies) {
      EXPECT_EQ(ShardOf(body), shard) << body.index();
    }
  }
}

TEST_F(CommandRouterTest, AnInventedIdGoesToAnyShardThereIs) {
  EXPECT_EQ(ShardOf(command::GetInfo{Id(200)}), 0u);
  EXPECT_EQ(ShardOf(command::TcpAccept{Id(kShards)}), 0u);
  EXPECT_EQ(ShardOf(command::ListSockets{Id(kShards).slot}), 0u);
}

TEST_F(CommandRouterTest, WhatAnyShardMayOpenIsOpenedInTurn) {
  std::set<std::optional<uint32_t>> dials, sockets, pings;
  for (uint32_t i = 0; i < kShards; ++i) {
    dials.insert(ShardOf(command::TcpDial{}));
  }
  for (uint32_t i = 0; i < kShards; ++i) {
    sockets.insert(ShardOf(command::UdpOpen{}));
  }
  for (uint32_t i = 0; i < kShards; ++i) pings.insert(ShardOf(command::Ping{}));
  const std::set<std::optional<uint32_t>> all = {0u, 1u, 2u};
  EXPECT_EQ(dials, all);
  EXPECT_EQ(sockets, all);
  EXPECT_EQ(pings, all);
}

TEST_F(CommandRouterTest, ADialFromAGivenPortIsForShardZeroToPassOn) {
  for (uint16_t port = 5000; port < 5010; ++port) {
    command::TcpDial dial;
    dial.options.local = IpEndpoint{IpAddress(), port};
    EXPECT_EQ(ShardOf(dial), 0u);
  }
}

TEST_F(CommandRouterTest, AUdpPortIsItsOwners) {
  std::set<uint32_t> owners;
  for (uint16_t port = 5000; port < 5020; ++port) {
    command::UdpOpen open;
    open.options.local.port = port;
    const uint32_t owner = steering_.OwnerOfPort(port);
    EXPECT_EQ(ShardOf(open), owner);
    owners.insert(owner);
  }
  EXPECT_EQ(owners.size(), kShards);
}

TEST_F(CommandRouterTest, WhatConcernsAllBeginsAtShardZero) {
  const command::Body bodies[] = {
      command::TcpListen{},     command::GetStats{},    command::GetNetwork{},
      command::AddAddress{},    command::AddRoute{},    command::RemoveRoute{},
      command::RemoveAddress{}, command::SetOffloads{}, command::Cancel{}};
  for (const command::Body& body : bodies) {
    EXPECT_EQ(ShardOf(body), 0u) << body.index();
  }
}

TEST_F(CommandRouterTest, AListenerOfAllAsksAllAndIsClosedInAll) {
  OpenListener();
  ASSERT_TRUE(Post(command::TcpAccept{Id(0)}).ok());
  for (uint32_t shard = 0; shard < kShards; ++shard) {
    const std::vector<Command> mail = Mail(shard);
    ASSERT_EQ(mail.size(), 1u);
    EXPECT_EQ(std::get<command::TcpAccept>(mail[0].body).listener, Id(shard));
  }
  ASSERT_TRUE(Post(command::Close{Id(0)}).ok());
  for (uint32_t shard = 0; shard < kShards; ++shard) {
    const std::vector<Command> mail = Mail(shard);
    ASSERT_EQ(mail.size(), 1u);
    EXPECT_EQ(std::get<command::Close>(mail[0].body).socket, Id(shard));
  }
  // It is nobody's listener any more.
  EXPECT_EQ(ShardOf(command::TcpAccept{Id(0)}), 0u);
}

TEST_F(CommandRouterTest, AnAbortEndsAListenerAsACloseDoes) {
  OpenListener();
  ASSERT_TRUE(Post(command::Abort{Id(0)}).ok());
  for (uint32_t shard = 0; shard < kShards; ++shard) {
    EXPECT_EQ(Mail(shard).size(), 1u);
  }
}

}  // namespace
}  // namespace tcpip
