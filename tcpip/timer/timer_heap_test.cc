#include "tcpip/timer/timer_heap.h"

#include <array>
#include <map>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip {
namespace {

TimerKey Key(int64_t ns, uint64_t order) {
  return {Instant::FromNanoseconds(ns), order};
}

TEST(TimerNode, StartsUnarmed) {
  const TimerNode node;
  EXPECT_FALSE(node.armed());
  EXPECT_TRUE(node.deadline().IsNever());
}

TEST(TimerKey, OrdersByInstantThenByOrderOfSetting) {
  EXPECT_LT(Key(5, 2), Key(5, 3));
  EXPECT_LT(Key(5, 3), Key(6, 1));
  EXPECT_EQ(Key(5, 2), Key(5, 2));
}

TEST(TimerHeap, OneNodeIsTheEarliestUntilItIsRemoved) {
  TimerHeap heap;
  TimerNode node;
  EXPECT_TRUE(heap.empty());
  EXPECT_EQ(heap.earliest(), nullptr);
  heap.Insert(node, Key(1, 1));
  EXPECT_EQ(heap.earliest(), &node);
  heap.Remove(node);
  EXPECT_TRUE(heap.empty());
}

TEST(TimerHeap, AMillionNodesNeedNoRecursion) {
  TimerHeap heap;
  std::vector<TimerNode> nodes(1'000'000);
  for (size_t i = 0; i < nodes.size(); ++i) heap.Insert(nodes[i], Key(0, i));
  for (TimerNode& node : nodes) {
    ASSERT_EQ(heap.earliest(), &node);
    heap.Remove(node);
  }
  EXPECT_TRUE(heap.empty());
}

TEST(TimerHeap, KnowsTheEarliestWhateverIsInsertedAndRemoved) {
  constexpr uint64_t kSeed = 1986;
  SeededRng rng(kSeed);
  TimerHeap heap;
  std::array<TimerNode, 100> nodes;
  std::array<TimerKey, 100> keys = {};
  std::map<TimerKey, TimerNode*> model;
  for (uint64_t step = 1; step <= 10'000; ++step) {
    const uint32_t i = rng.Below(nodes.size());
    if (model.erase(keys[i]) == 1) {
      heap.Remove(nodes[i]);
    } else {
      keys[i] = Key(rng.Below(50), step);
      model.emplace(keys[i], &nodes[i]);
      heap.Insert(nodes[i], keys[i]);
    }
    ASSERT_EQ(heap.earliest(), model.empty() ? nullptr : model.begin()->second)
        << "seed " << kSeed << " step " << step;
  }
}

}  // namespace
}  // namespace tcpip
