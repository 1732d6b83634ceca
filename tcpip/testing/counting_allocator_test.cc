#include "tcpip/testing/counting_allocator.h"

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

struct alignas(64) Wide {
  char bytes[64];
};

TEST(AllocationCounter, CountsEveryFormOfNew) {
  const AllocationCounter counter;
  const auto one = std::make_unique<int>(1);
  const uint64_t after_one = counter.count();
  const auto array = std::make_unique<int[]>(10);
  const uint64_t after_array = counter.count();
  const auto wide = std::make_unique<Wide>();
  const uint64_t after_wide = counter.count();
  const std::unique_ptr<int> nothrow(new (std::nothrow) int(1));
  const uint64_t after_nothrow = counter.count();
  EXPECT_EQ(after_one, 1u);
  EXPECT_EQ(after_array, 2u);
  EXPECT_EQ(after_wide, 3u);
  EXPECT_EQ(after_nothrow, 4u);
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

TEST(HeapBytes, AreWhatIsHeldAndWhatMallocAdds) {
  const uint64_t before = HeapBytes();
  auto kilobyte = std::make_unique<char[]>(1000);
  const uint64_t with = HeapBytes();
  kilobyte.reset();
  const uint64_t after = HeapBytes();
  EXPECT_GE(with - before, 1008u);
  EXPECT_LE(with - before, 1024u);
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace tcpip::sim
