#include "tcpip/shard/shard_config.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(ShardConfig, DefaultsMakeAUsableShard) {
  const ShardConfig config;
  EXPECT_GT(config.mailbox_capacity, 0u);
  EXPECT_GT(config.batch_packets, 0u);
  EXPECT_GT(config.max_pending_commands, config.mailbox_capacity);
}

}  // namespace
}  // namespace tcpip
