#include "tcpip/buffer/slab.h"

#include <cstring>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(SlabPool, ClassForIsTheSmallestThatHolds) {
  EXPECT_EQ(SlabPool::ClassFor(0), SlabClass::kSmall);
  EXPECT_EQ(SlabPool::ClassFor(2'048), SlabClass::kSmall);
  EXPECT_EQ(SlabPool::ClassFor(2'049), SlabClass::kMedium);
  EXPECT_EQ(SlabPool::ClassFor(16'384), SlabClass::kMedium);
  EXPECT_EQ(SlabPool::ClassFor(16'385), SlabClass::kLarge);
  EXPECT_EQ(SlabPool::ClassFor(1'000'000), SlabClass::kLarge);
}

TEST(SlabPool, BlocksAreWritableToTheLastByteAndAligned) {
  SlabPool pool;
  for (SlabClass c :
       {SlabClass::kSmall, SlabClass::kMedium, SlabClass::kLarge}) {
    const SlabRef slab = pool.Allocate(c);
    EXPECT_EQ(slab.capacity(), SlabCapacity(c));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(slab.bytes()) % 16, 0u);
    std::memset(slab.bytes(), 0x5a, slab.capacity());
  }
}

TEST(SlabPool, RecyclesABlockOfTheSameClass) {
  SlabPool pool;
  const uint8_t* bytes = pool.Allocate(SlabClass::kMedium).bytes();
  const SlabRef other_class = pool.Allocate(SlabClass::kSmall);
  const SlabRef again = pool.Allocate(SlabClass::kMedium);
  EXPECT_EQ(again.bytes(), bytes);
  EXPECT_EQ(pool.stats().allocated, 2u);
}

TEST(SlabPool, CountsLiveAndFreeBlocks) {
  SlabPool pool;
  {
    const SlabRef a = pool.Allocate(SlabClass::kSmall);
    const SlabRef b = pool.Allocate(SlabClass::kLarge);
    EXPECT_EQ(pool.stats().live, 2u);
    EXPECT_EQ(pool.stats().live_bytes, 2'048u + 65'536u);
    EXPECT_EQ(pool.stats().free, 0u);
  }
  EXPECT_EQ(pool.stats().live, 0u);
  EXPECT_EQ(pool.stats().live_bytes, 0u);
  EXPECT_EQ(pool.stats().free, 2u);
  EXPECT_EQ(pool.stats().allocated, 2u);
}

TEST(SlabPool, KeepsNoMoreThanItMay) {
  SlabPool pool(/*max_free_bytes=*/5'000);
  std::vector<SlabRef> slabs;
  slabs.reserve(5);
  for (int i = 0; i < 4; ++i) slabs.push_back(pool.Allocate(SlabClass::kSmall));
  slabs.push_back(pool.Allocate(SlabClass::kLarge));
  slabs.clear();
  EXPECT_EQ(pool.stats().free, 2u);
  EXPECT_EQ(pool.stats().live, 0u);
}

TEST(SlabPool, ReusedBlocksDoNotUseUpTheBound) {
  SlabPool pool(/*max_free_bytes=*/2'048);
  for (int i = 0; i < 10; ++i) pool.Allocate(SlabClass::kSmall);
  EXPECT_EQ(pool.stats().allocated, 1u);
  EXPECT_EQ(pool.stats().free, 1u);
}

TEST(SlabPool, KeepsNothingWhenTheBoundIsZero) {
  SlabPool pool(/*max_free_bytes=*/0);
  pool.Allocate(SlabClass::kSmall);
  EXPECT_EQ(pool.stats().free, 0u);
}

TEST(SlabRef, CopiesShareAndTheLastOneGivesBack) {
  SlabPool pool;
  SlabRef a = pool.Allocate(SlabClass::kSmall);
  EXPECT_TRUE(a.IsSoleOwner());
  SlabRef b = a;
  EXPECT_EQ(a, b);
  EXPECT_FALSE(a.IsSoleOwner());
  a = SlabRef();
  EXPECT_TRUE(b.IsSoleOwner());
  EXPECT_EQ(pool.stats().live, 1u);
  b = SlabRef();
  EXPECT_EQ(pool.stats().live, 0u);
}

TEST(SlabRef, MovingLeavesTheSourceEmpty) {
  SlabPool pool;
  SlabRef a = pool.Allocate(SlabClass::kSmall);
  SlabRef b = std::move(a);
  EXPECT_FALSE(a);
  EXPECT_FALSE(a.IsSoleOwner());
  EXPECT_TRUE(b.IsSoleOwner());
}

TEST(SlabRef, AssigningToItselfKeepsTheBlock) {
  SlabPool pool;
  SlabRef a = pool.Allocate(SlabClass::kSmall);
  SlabRef& same = a;
  a = same;
  EXPECT_TRUE(a.IsSoleOwner());
  EXPECT_EQ(pool.stats().live, 1u);
}

// [fault O01] what may be kept shrinks with the budget; blocks are always given
TEST(SlabPool, TellsHowMuchMayBeKept) {
  SlabPool pool;
  std::vector<SlabRef> slabs;
  const auto hold = [&](int blocks) {
    slabs.clear();
    for (int i = 0; i < blocks; ++i) {
      slabs.push_back(pool.Allocate(SlabClass::kLarge));
    }
  };
  hold(100);
  EXPECT_EQ(pool.QueueShare(), UINT32_MAX);
  EXPECT_FALSE(pool.IsSpent());

  pool.SetBudget(size_t{100} * SlabCapacity(SlabClass::kLarge));
  struct Row {
    int blocks;
    uint32_t share;
    bool spent;
  };
  for (const Row& row : {Row{49, UINT32_MAX, false}, Row{50, 65536, false},
                         Row{62, 65536, false}, Row{63, 2048, false},
                         Row{99, 2048, false}, Row{100, 2048, true},
                         Row{101, 2048, true}, Row{0, UINT32_MAX, false}}) {
    hold(row.blocks);
    EXPECT_EQ(pool.QueueShare(), row.share) << row.blocks;
    EXPECT_EQ(pool.IsSpent(), row.spent) << row.blocks;
  }
}

}  // namespace
}  // namespace tcpip
