#include "tcpip/shard/shard_config.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

// Else a full mailbox of commands that wait would be refused when it is read.
TEST(ShardConfig, AFullMailboxMayWait) {
  const ShardConfig config;
  EXPECT_GT(config.max_pending_commands, config.max_queued_commands);
}

}  // namespace
}  // namespace tcpip
