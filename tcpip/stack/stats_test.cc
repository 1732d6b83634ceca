#include "tcpip/stack/stats.h"

#include <cstring>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(StackStats, DropsAreReadByReason) {
  StackStats stats;
  stats.dropped[static_cast<size_t>(DropReason::kNoRoute)] = 2;
  EXPECT_EQ(stats.Dropped(DropReason::kNoRoute), 2u);
  EXPECT_EQ(stats.Dropped(DropReason::kIpMartian), 0u);
}

// Shards are summed: a counter left out of += would show here.
TEST(StackStats, SumsEveryCounter) {
  constexpr size_t kCounters = sizeof(StackStats) / sizeof(uint64_t);
  uint64_t numbers[kCounters];
  for (size_t i = 0; i < kCounters; ++i) numbers[i] = 1000 + i;
  StackStats stats;
  static_assert(sizeof numbers == sizeof stats);
  std::memcpy(&stats, numbers, sizeof stats);
  stats += stats;
  std::memcpy(numbers, &stats, sizeof stats);
  for (size_t i = 0; i < kCounters; ++i) {
    EXPECT_EQ(numbers[i], 2 * (1000 + i)) << "counter " << i;
  }
}

}  // namespace
}  // namespace tcpip
