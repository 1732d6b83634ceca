#include "tcpip/testing/counting_allocator.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

struct alignas(64) Wide {
  char bytes[64];
};

TEST(AllocationCounter, CountsEveryFormOfNew) {
  AllocationCounter counter;
  EXPECT_EQ(counter.count(), 0u);
  const auto one = std::make_unique<int>(1);
  EXPECT_EQ(counter.count(), 1u);
  const auto array = std::make_unique<int[]>(10);
  EXPECT_EQ(counter.count(), 2u);
  const auto wide = std::make_unique<Wide>();
  EXPECT_EQ(counter.count(), 3u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(wide.get()) % 64, 0u);
}

TEST(AllocationCounter, IsQuietWhereNothingIsAllocated) {
  std::vector<int> numbers;
  numbers.reserve(100);
  AllocationCounter counter;
  for (int i = 0; i < 100; ++i) numbers.push_back(i);
  EXPECT_EQ(counter.count(), 0u);
  numbers.push_back(100);
  EXPECT_EQ(counter.count(), 1u);
}

}  // namespace
}  // namespace tcpip::sim
