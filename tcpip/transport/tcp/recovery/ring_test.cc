#include "tcpip/transport/tcp/recovery/ring.h"

#include <cstddef>
#include <cstdint>
#include <deque>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip::tcp {
namespace {

TEST(Ring, HoldsNoMemoryBeforeItsFirstElement) {
  Ring<int> ring;
  EXPECT_EQ(ring.capacity(), 0u);
  ring.PushBack(1);
  EXPECT_EQ(ring.capacity(), Ring<int>::kFirst);
}

TEST(Ring, GivesBackABurstsMemoryWhenItEmpties) {
  Ring<int> ring;
  for (int i = 0; i < 1000; ++i) ring.PushBack(i);
  ring.PopFront(999);
  EXPECT_EQ(ring[0], 999);
  EXPECT_GE(ring.capacity(), 1000u);
  ring.PopFront(1);
  EXPECT_EQ(ring.capacity(), 0u);
}

TEST(Ring, KeepsASmallCapacityAcrossEmptiness) {
  Ring<int> ring;
  for (uint32_t i = 0; i < Ring<int>::kKept; ++i) ring.PushBack(1);
  const size_t capacity = ring.capacity();
  ring.PopFront(ring.size());
  EXPECT_EQ(ring.capacity(), capacity);
}

TEST(Ring, MovingLeavesAnEmptyRing) {
  Ring<int> from;
  from.PushBack(5);
  Ring<int> to(std::move(from));
  EXPECT_EQ(to[0], 5);
  EXPECT_TRUE(from.empty());
  from.PushBack(6);
  EXPECT_EQ(from[0], 6);
}

TEST(Ring, BehavesLikeADeque) {
  constexpr uint64_t kSeed = 1;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  SeededRng rng(kSeed);
  Ring<uint64_t> ring;
  std::deque<uint64_t> model;
  for (int step = 0; step < 20'000; ++step) {
    const uint64_t value = rng.Next();
    // Phases of growth and of decline.
    switch ((rng.Next() % 5 + step / 1000) % 5) {
      case 0:
      case 1:
        ring.PushBack(value);
        model.push_back(value);
        break;
      case 2: {
        const size_t i = rng.Next() % (model.size() + 1);
        ring.Insert(i, value);
        model.insert(model.begin() + static_cast<ptrdiff_t>(i), value);
        break;
      }
      case 3: {
        const size_t n = rng.Next() % (model.size() + 1) / 4;
        ring.PopFront(n);
        model.erase(model.begin(), model.begin() + static_cast<ptrdiff_t>(n));
        break;
      }
      case 4: {
        const size_t first = rng.Next() % (model.size() + 1);
        const size_t last = first + rng.Next() % (model.size() - first + 1) / 3;
        ring.Erase(first, last);
        model.erase(model.begin() + static_cast<ptrdiff_t>(first),
                    model.begin() + static_cast<ptrdiff_t>(last));
        break;
      }
    }
    ASSERT_EQ(ring.size(), model.size());
    for (size_t i = 0; i < model.size(); i += 1 + model.size() / 16) {
      ASSERT_EQ(ring[i], model[i]) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace tcpip::tcp
