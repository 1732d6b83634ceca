#include "tcpip/base/ring.h"

#include <deque>
#include <memory>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip {
namespace {

TEST(Ring, GivesBackInOrderWhateverWasTakenBetween) {
  SeededRng rng(1);
  Ring<int> ring;
  std::deque<int> model;
  for (int i = 0; i < 10'000; ++i) {
    // Grows for a while, shrinks for a while, and is empty now and then.
    if (rng.Below(100) < (i / 500 % 2 == 0 ? 60u : 30u)) {
      ring.PushBack(i);
      model.push_back(i);
    } else if (!model.empty()) {
      ASSERT_EQ(ring.front(), model.front());
      ASSERT_EQ(ring.PopFront(), model.front());
      model.pop_front();
    }
    ASSERT_EQ(ring.size(), model.size());
    ASSERT_EQ(ring.empty(), model.empty());
  }
}

TEST(Ring, KeepsNothingOfWhatWasTaken) {
  Ring<std::shared_ptr<int>> ring;
  const auto value = std::make_shared<int>(1);
  for (int i = 0; i < 9; ++i) ring.PushBack(value);
  EXPECT_EQ(value.use_count(), 10);
  while (!ring.empty()) ring.PopFront();
  EXPECT_EQ(value.use_count(), 1);
}

}  // namespace
}  // namespace tcpip
