#include "tcpip/testing/idle_link.h"

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

TEST(IdleLink, GivesNothingAndTakesAllWithoutKeepingIt) {
  SlabPool pool;
  IdleLink link;
  PacketBatch batch;
  EXPECT_EQ(link.ReadBatch(pool, batch, 8, Instant()), 0u);
  batch.push_back(Packet::Copy(pool, std::vector<uint8_t>(100)));
  EXPECT_EQ(link.WriteBatch(batch), 1u);
  batch.clear();
  EXPECT_EQ(pool.stats().live, 0u);
}

}  // namespace
}  // namespace tcpip::sim
