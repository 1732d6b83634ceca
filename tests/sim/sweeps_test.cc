#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "emulator/path_model.h"
#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"
#include "tcpip/testing/golden.h"
#include "tcpip/testing/scenario.h"
#include "tests/sim/sweep_fixture.h"

// How the stack comes out of trouble, over seeds: tables somebody has looked
// at. A change of recovery or congestion control shows as a difference here.
namespace tcpip::sim {
namespace {

using emulator::PathConfig;
using emulator::Percent;

constexpr uint64_t kSeeds = 3;

Duration Ms(int64_t n) { return Duration::Milliseconds(n); }

PathConfig Path(int64_t rtt_ms) {
  PathConfig path = {.rate = Bandwidth::MegabitsPerSecond(100),
                     .delay = Ms(rtt_ms) / 2};
  path.queue_bytes = UsualQueue(path, 1500);
  return path;
}

Scenario Both(const PathConfig& path, uint64_t bytes,
              AppKind app = AppKind::kBulk) {
  return {.app = app, .bytes = bytes, .link = {.there = path, .back = path}};
}

// [req B-51] what a change of congestion control does, before and after
TEST(Sweeps, LossIsAsItWas) {
  SweepTable table("1 MB at 100 Mbit/s, 3 seeds",
                   {"time", "sent again, fast", "sent again, timeout",
                    "sent again needlessly", "timeouts"});
  for (const int64_t rtt : {30, 100}) {
    for (const uint32_t tenths : {0, 5, 10, 20, 50}) {
      PathConfig path = Path(rtt);
      path.loss = tenths * 1'000;
      table.AddRow(absl::StrCat("RTT ", rtt, " ms, loss ", tenths / 10, ".",
                                tenths % 10, "%"),
                   Both(path, 1'000'000), kSeeds);
    }
  }
  EXPECT_EQ(CompareWithGolden("tests/sim/loss_sweep.golden", table.text()), "");
}

// Nothing is lost here: whatever is sent again is a mistake.
TEST(Sweeps, ReorderingIsAsItWas) {
  SweepTable table("1 MB at 100 Mbit/s, RTT 30 ms, nothing lost, 3 seeds",
                   {"time", "sent again needlessly", "fast recoveries",
                    "timeouts", "spurious of both"});
  for (const int64_t jitter : {0, 1, 5}) {
    PathConfig path = Path(30);
    path.jitter = Ms(jitter);
    path.reorder = true;
    table.AddRow(absl::StrCat("jitter ", jitter, " ms"), Both(path, 1'000'000),
                 kSeeds);
  }
  for (const int64_t hold : {5, 30, 300}) {
    PathConfig path = Path(30);
    path.hold = Percent(1);
    path.hold_for = Ms(hold);
    table.AddRow(absl::StrCat("1% held for ", hold, " ms"),
                 Both(path, 1'000'000), kSeeds);
  }
  EXPECT_EQ(
      CompareWithGolden("tests/sim/reordering_sweep.golden", table.text()), "");
}

TEST(Sweeps, ApplicationsAreAsTheyWere) {
  SweepTable table("500 KB at 100 Mbit/s, RTT 30 ms, 3 seeds",
                   {"time", "sent again, fast", "sent again, timeout",
                    "RTT p50", "RTT p99"});
  for (const AppKind app : {AppKind::kBulk, AppKind::kEcho, AppKind::kRequest,
                            AppKind::kSlowReader, AppKind::kOnOff}) {
    for (const uint32_t loss : {0, 1}) {
      PathConfig path = Path(30);
      path.loss = Percent(loss);
      table.AddRow(
          absl::StrCat(std::string(ToString(app)), ", loss ", loss, "%"),
          Both(path, 500'000, app), kSeeds);
    }
  }
  EXPECT_EQ(CompareWithGolden("tests/sim/apps_sweep.golden", table.text()), "");
}

}  // namespace
}  // namespace tcpip::sim
