#include "tools/sim/sweep.h"

#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"

namespace tcpip::sim {
namespace {

TEST(RunSeeds, GivesTheSameReportsHoweverManyRunAtATime) {
  const emulator::PathConfig path = {.rate = Bandwidth::MegabitsPerSecond(20),
                                     .delay = Duration::Milliseconds(5),
                                     .loss = emulator::Percent(2)};
  const Scenario scenario = {.bytes = 100'000,
                             .link = {.there = path, .back = path}};
  const std::vector<RunReport> one = RunSeeds(scenario, 5, 6, 1);
  const std::vector<RunReport> many = RunSeeds(scenario, 5, 6, 4);
  ASSERT_EQ(one.size(), 6u);
  ASSERT_EQ(many.size(), 6u);
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].seed, 5 + i);
    EXPECT_EQ(one[i].problem, "");
    EXPECT_EQ(one[i].trace, many[i].trace);
    EXPECT_EQ(one[i].trace, RunScenario(scenario, 5 + i).trace);
  }
  EXPECT_NE(one[0].trace, one[1].trace);
}

}  // namespace
}  // namespace tcpip::sim
