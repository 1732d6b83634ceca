#include "emulator/burst_loss.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace emulator {
namespace {

using tcpip::SeededRng;

struct Runs {
  int lost = 0;
  int runs = 0;  // of lost packets
};

Runs Count(const BurstLossConfig& config, int packets) {
  BurstLoss loss(config, SeededRng(11));
  Runs result;
  bool before = false;
  for (int i = 0; i < packets; ++i) {
    const bool lost = loss.Loses();
    result.lost += lost;
    result.runs += lost && !before;
    before = lost;
  }
  return result;
}

TEST(BurstLoss, LosesNothingUnlessTold) {
  EXPECT_EQ(Count({}, 10'000).lost, 0);
  // Even if it would in a state that is never entered.
  EXPECT_EQ(Count({.leave = 1, .loss_bad = kPerMillion}, 10'000).lost, 0);
}

TEST(BurstLoss, LosesRunsOfTheLengthAndAsOftenAsTold) {
  // Bad for 0.01 / 0.21 of a million packets, in runs of five: the number of
  // runs is 9524 with a deviation below 100, that of packets 47619 with one
  // below 700. Six of each are allowed.
  const Runs seen =
      Count({.enter = Percent(1), .leave = Percent(20)}, 1'000'000);
  EXPECT_NEAR(seen.runs, 9'524, 600);
  EXPECT_NEAR(seen.lost, 47'619, 4'200);
  EXPECT_NEAR(seen.lost / double(seen.runs), 5.0, 0.3);
}

TEST(BurstLoss, EachStateLosesByItsOwnChance) {
  // Half the time bad: (40% + 2%) / 2.
  const Runs seen = Count({.enter = Percent(10),
                           .leave = Percent(10),
                           .loss_bad = Percent(40),
                           .loss_good = Percent(2)},
                          1'000'000);
  EXPECT_NEAR(seen.lost, 210'000, 6'000);
}

TEST(BurstLoss, APathThatNeverLeavesTheBadStateStaysSo) {
  EXPECT_EQ(Count({.enter = kPerMillion, .leave = 0}, 1000).lost, 1000);
}

}  // namespace
}  // namespace emulator
