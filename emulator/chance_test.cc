#include "emulator/chance.h"

#include "gtest/gtest.h"

namespace emulator {
namespace {

int Count(uint32_t per_million) {
  tcpip::SeededRng rng(5);
  int happened = 0;
  for (int i = 0; i < 1'000'000; ++i) happened += Happens(rng, per_million);
  return happened;
}

TEST(Chance, HappensNeverAlwaysOrAboutAsOftenAsTold) {
  EXPECT_EQ(Count(0), 0);
  EXPECT_EQ(Count(kPerMillion), 1'000'000);
  // Six standard deviations of a binomial distribution.
  EXPECT_NEAR(Count(Percent(1)), 10'000, 597);
  EXPECT_NEAR(Count(Percent(50)), 500'000, 3'000);
  EXPECT_NEAR(Count(100), 100, 60);
}

}  // namespace
}  // namespace emulator
