#include "tools/sim/chart_axis.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

std::vector<std::string> Labels(const Axis& axis) {
  std::vector<std::string> labels;
  for (const Tick& tick : axis.ticks) labels.push_back(tick.label);
  return labels;
}

using Texts = std::vector<std::string>;

TEST(MakeAxis, TicksStandAtRoundNumbers) {
  EXPECT_EQ(Labels(MakeAxis(5.0, 5, true)),
            (Texts{"0", "1", "2", "3", "4", "5"}));
  EXPECT_EQ(Labels(MakeAxis(930, 5, true)),
            (Texts{"0", "200", "400", "600", "800", "1000"}));
  EXPECT_EQ(Labels(MakeAxis(0.11, 3, true)),
            (Texts{"0.00", "0.05", "0.10", "0.15"}));
}

TEST(MakeAxis, EndsAtItsLargestValueUnlessRounded) {
  const Axis axis = MakeAxis(7.3, 5, false);
  EXPECT_DOUBLE_EQ(axis.end, 7.3);
  EXPECT_EQ(Labels(axis), (Texts{"0", "2", "4", "6"}));
  EXPECT_DOUBLE_EQ(MakeAxis(7.3, 5, true).end, 8);
}

TEST(MakeAxis, ATickMoreIsNotMadeForWhatNobodySees) {
  EXPECT_DOUBLE_EQ(MakeAxis(3000.001, 7, true).end, 3000);
  EXPECT_DOUBLE_EQ(MakeAxis(3010, 7, true).end, 3500);
}

TEST(MakeAxis, NothingToShowIsAnAxisToo) {
  EXPECT_GT(MakeAxis(0, 5, true).end, 0);
  EXPECT_FALSE(MakeAxis(0, 5, true).ticks.empty());
}

}  // namespace
}  // namespace tcpip::sim
