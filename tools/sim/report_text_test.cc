#include "tools/sim/report_text.h"

#include <span>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

RunReport Ran(uint64_t seed, int64_t ms) {
  return {.seed = seed,
          .bytes = 1'000'000,
          .took = Duration::Milliseconds(ms),
          .flow = {.segs_sent = 700 + seed, .retrans_fast = seed}};
}

std::vector<RunReport> ThreeRuns() {
  return {Ran(1, 800), Ran(2, 2000), Ran(3, 1000)};
}

TEST(Completion, CountsThoseThatSucceeded) {
  std::vector<RunReport> runs = ThreeRuns();
  EXPECT_EQ(Completion(runs), "3 runs, seeds 1 to 3: all complete");
  runs[1].problem = "not done";
  EXPECT_EQ(Completion(runs), "3 runs, seeds 1 to 3: 2 complete");
  EXPECT_EQ(Completion(std::span(runs).first(1)), "seed 1: complete");
  EXPECT_EQ(Completion(std::span(runs).subspan(1, 1)), "seed 2: not complete");
}

TEST(SpreadTable, HasALineForEachFigure) {
  const std::string table = SpreadTable(ThreeRuns());
  EXPECT_THAT(
      table,
      HasSubstr("                                      min     median        "
                "max\n"
                "time                        ms    800.000   1000.000   "
                "2000.000\n"
                "goodput                 kbit/s       4000       8000      "
                "10000\n"
                "segments sent                         701        702        "
                "703\n"));
  EXPECT_THAT(table, HasSubstr("RTT p99"));
}

TEST(SpreadTable, OfOneRunShowsItsOwnFigures) {
  const std::vector<RunReport> one = {Ran(9, 1000)};
  EXPECT_THAT(SpreadTable(one),
              HasSubstr("time                        ms   1000.000\n"));
  EXPECT_THAT(SpreadTable(one), Not(HasSubstr("median")));
}

TEST(SpreadTable, SaysOfWhichRunsItIs) {
  std::vector<RunReport> runs = ThreeRuns();
  runs[1].problem = "not done";
  EXPECT_THAT(SpreadTable(runs), StartsWith("of the 2 complete   "));
  EXPECT_THAT(SpreadTable(runs), HasSubstr("800.000    800.000   1000.000\n"));
  for (RunReport& run : runs) run.problem = "not done";
  EXPECT_EQ(SpreadTable(runs), "No run succeeded: there are no figures.\n");
}

TEST(SpreadTable, OfOneRunThatFailedShowsItsFiguresToo) {
  std::vector<RunReport> one = {Ran(9, 1000)};
  one[0].problem = "not done";
  EXPECT_THAT(SpreadTable(one),
              HasSubstr("segments sent                         709\n"));
}

TEST(RunLines, HasALineForEachRun) {
  const std::string lines = RunLines(ThreeRuns());
  EXPECT_THAT(lines, HasSubstr("  seed      time   goodput      lost      fast"
                               "   timeout  needless  timeouts   RTT p50\n"));
  EXPECT_THAT(lines, HasSubstr("     2  2000.000      4000         0         2"
                               "         0         0         0         0\n"));
}

TEST(WorstRun, IsTheSlowestAndSaysHowToRunItAgain) {
  EXPECT_EQ(WorstRun(ThreeRuns(), "--rtt 100ms "),
            "Slowest is seed 2 with 2000.000 ms. To see it:\n"
            "  bazel run --config=opt //tools:sim -- --rtt 100ms --seeds 1 "
            "--seed 2 --plot seed2.svg\n");
}

TEST(WorstRun, IsTheFirstThatFailedIfAnyDid) {
  std::vector<RunReport> runs = ThreeRuns();
  runs[2].problem = "client: not done; ";
  EXPECT_EQ(WorstRun(runs, ""),
            "seed 3 failed: client: not done\n"
            "To see the first of them:\n"
            "  bazel run --config=opt //tools:sim -- --seeds 1 --seed 3 "
            "--plot seed3.svg\n");
}

TEST(WorstRun, DoesNotTellOfEveryFailure) {
  std::vector<RunReport> runs;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    runs.push_back({.seed = seed, .problem = "not done"});
  }
  const std::string text = WorstRun(runs, "");
  EXPECT_THAT(text, HasSubstr("seed 5 failed"));
  EXPECT_THAT(text, Not(HasSubstr("seed 6 failed")));
  EXPECT_THAT(text, HasSubstr("and 3 more\n"));
}

TEST(WorstRun, OfOneThatSucceededThereIsNothingToSay) {
  EXPECT_EQ(WorstRun(std::vector<RunReport>{Ran(1, 5)}, ""), "");
}

}  // namespace
}  // namespace tcpip::sim
