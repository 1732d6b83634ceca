#include "tcpip/stack/socket_table.h"

#include <map>
#include <set>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip {
namespace {

Socket& Fill(SocketTable& table) {
  Socket& socket = *table.Allocate();
  socket.kind = UdpSocket{};
  return socket;
}

TEST(SocketTable, FindsWhatItAllocated) {
  SocketTable table(10);
  Socket& socket = Fill(table);
  EXPECT_TRUE(socket.id().IsValid());
  EXPECT_EQ(table.Find(socket.id()), &socket);
  EXPECT_EQ(&table.at(socket.index), &socket);
  EXPECT_EQ(table.size(), 1u);
}

TEST(SocketTable, IdsNameTheShardAndOthersFindNothing) {
  SocketTable table(10, 5);
  Socket& socket = Fill(table);
  EXPECT_EQ(socket.id().shard(), 5u);
  EXPECT_EQ(table.Find(socket.id()), &socket);
  for (const uint32_t shard : {0u, 4u, 6u, 255u}) {
    const SocketId other = {SocketId::SlotOf(shard, socket.index),
                            socket.generation};
    EXPECT_EQ(table.Find(other), nullptr) << shard;
  }
}

TEST(SocketTable, StaleAndInventedIdsFindNothing) {
  SocketTable table(10);
  Socket& socket = Fill(table);
  const SocketId stale = socket.id();
  table.Release(socket);
  EXPECT_EQ(table.Find(stale), nullptr);
  Socket& next = Fill(table);
  EXPECT_EQ(next.index, stale.slot);
  EXPECT_EQ(table.Find(stale), nullptr);
  EXPECT_EQ(table.Find(next.id()), &next);
  EXPECT_EQ(table.Find(SocketId{}), nullptr);
  EXPECT_EQ(table.Find({next.index, 0}), nullptr);
  EXPECT_EQ(table.Find({next.index, next.generation + 1}), nullptr);
  EXPECT_EQ(table.Find({1'000'000, 1}), nullptr);
}

TEST(SocketTable, ADisownedSocketIsThereButNotByItsId) {
  SocketTable table(10);
  Socket& socket = Fill(table);
  const SocketId id = socket.id();
  table.Disown(socket);
  EXPECT_EQ(table.Find(id), nullptr);
  EXPECT_EQ(table.Find(socket.id()), nullptr);
  EXPECT_FALSE(table.at(id.slot).IsFree());
  EXPECT_EQ(table.size(), 1u);
}

TEST(SocketTable, HasALimit) {
  SocketTable table(3);
  Socket& first = Fill(table);
  Fill(table);
  Fill(table);
  EXPECT_FALSE(table.HasRoom());
  EXPECT_EQ(table.CheckRoom().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(table.Allocate(), nullptr);
  table.Release(first);
  EXPECT_TRUE(table.CheckRoom().ok());
  EXPECT_NE(table.Allocate(), nullptr);
}

TEST(SocketTable, GenerationZeroIsSkipped) {
  SocketTable table(1);
  Socket& socket = Fill(table);
  socket.generation = ~0u;
  table.Release(socket);
  EXPECT_EQ(Fill(table).generation, 1u);
}

TEST(SocketTable, SlotsNeverMoveAndIdsAreNeverUsedAgain) {
  SocketTable table(1000);
  SeededRng rng(1);
  std::map<uint64_t, Socket*> live;
  std::set<uint64_t> ever;
  for (int step = 0; step < 20'000; ++step) {
    if (rng.Below(2) == 0 && table.HasRoom()) {
      Socket& socket = Fill(table);
      ASSERT_TRUE(ever.insert(socket.id().ToU64()).second);
      live[socket.id().ToU64()] = &socket;
    } else if (!live.empty()) {
      const auto it = live.begin();
      ASSERT_EQ(table.Find(SocketId::FromU64(it->first)), it->second);
      table.Release(*it->second);
      live.erase(it);
    }
    ASSERT_EQ(table.size(), live.size());
  }
  for (const auto& [id, socket] : live) {
    EXPECT_EQ(table.Find(SocketId::FromU64(id)), socket);
  }
}

}  // namespace
}  // namespace tcpip
