#include "tcpip/base/rng.h"

#include <array>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(SeededRng, SameSeedGivesSameSequence) {
  SeededRng a(7), b(7), other(8);
  int differing = 0;
  for (int i = 0; i < 100; ++i) {
    const uint64_t v = a.Next();
    EXPECT_EQ(v, b.Next());
    differing += v != other.Next();
  }
  EXPECT_EQ(differing, 100);
}

// Golden files of the simulator hang on these numbers.
TEST(SeededRng, SequenceIsTheSameOnEveryMachine) {
  SeededRng rng(42);
  EXPECT_EQ(rng.Next(), 1546998764402558742u);
  EXPECT_EQ(rng.Next(), 6990951692964543102u);
}

TEST(Rng, BelowStaysBelowTheBoundAndReachesAllOfIt) {
  SeededRng rng(1);
  std::array<int, 7> seen = {};
  for (int i = 0; i < 7'000; ++i) {
    const uint32_t v = rng.Below(7);
    ASSERT_LT(v, 7u);
    ++seen[v];
  }
  for (int n : seen) EXPECT_NEAR(n, 1'000, 150);
}

TEST(Rng, BelowOneIsZero) {
  SeededRng rng(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.Below(1), 0u);
}

TEST(Rng, BelowTheLargestBoundUsesTheHighBits) {
  SeededRng rng(3), twin(3);
  EXPECT_NEAR(static_cast<double>(rng.Below(0xffffffff)),
              static_cast<double>(twin.Next() >> 32), 1);
}

}  // namespace
}  // namespace tcpip
