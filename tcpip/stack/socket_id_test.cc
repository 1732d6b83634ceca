#include "tcpip/stack/socket_id.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(SocketId, TheDefaultNamesNoSocket) { EXPECT_FALSE(SocketId{}.IsValid()); }

TEST(SocketId, SurvivesTheWayThroughANumber) {
  for (const SocketId id : {SocketId{0, 1}, SocketId{~0u, 1}, SocketId{3, ~0u},
                            SocketId{123, 456}}) {
    EXPECT_TRUE(id.IsValid());
    EXPECT_EQ(SocketId::FromU64(id.ToU64()), id);
  }
  EXPECT_NE((SocketId{1, 2}.ToU64()), (SocketId{2, 1}.ToU64()));
}

TEST(SocketId, NamesItsShard) {
  for (const uint32_t shard : {0u, 1u, SocketId::kMaxShards - 1}) {
    for (const uint32_t index : {0u, 77u, (1u << SocketId::kIndexBits) - 1}) {
      const SocketId id = {SocketId::SlotOf(shard, index), 1};
      EXPECT_EQ(id.shard(), shard);
      EXPECT_EQ(SocketId::IndexOf(id.slot), index);
    }
  }
}

}  // namespace
}  // namespace tcpip
