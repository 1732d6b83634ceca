#include "tcpip/link/link.h"

#include <cstdint>
#include <cstring>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

// Queues are summed: a counter left out of += would show here.
TEST(LinkCounters, SumsEveryCounter) {
  constexpr size_t kCounters = sizeof(LinkCounters) / sizeof(uint64_t);
  uint64_t numbers[kCounters];
  for (size_t i = 0; i < kCounters; ++i) numbers[i] = 1000 + i;
  LinkCounters counters;
  static_assert(sizeof numbers == sizeof counters);
  std::memcpy(&counters, numbers, sizeof counters);
  counters += counters;
  std::memcpy(numbers, &counters, sizeof counters);
  for (size_t i = 0; i < kCounters; ++i) {
    EXPECT_EQ(numbers[i], 2 * (1000 + i)) << "counter " << i;
  }
}

}  // namespace
}  // namespace tcpip
