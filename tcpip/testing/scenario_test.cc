#include "tcpip/testing/scenario.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/units.h"

namespace tcpip::sim {
namespace {

constexpr AppKind kApps[] = {AppKind::kBulk, AppKind::kEcho, AppKind::kRequest,
                             AppKind::kSlowReader, AppKind::kOnOff};

Scenario Over(const emulator::PathConfig& path) {
  return {.bytes = 500'000, .link = {.there = path, .back = path}};
}

emulator::PathConfig Plain() {
  emulator::PathConfig path = {.rate = Bandwidth::MegabitsPerSecond(20),
                               .delay = Duration::Milliseconds(10)};
  path.queue_bytes = UsualQueue(path, 1500);
  return path;
}

TEST(AppKind, NamesComeBack) {
  for (const AppKind app : kApps) {
    EXPECT_EQ(ParseAppKind(ToString(app)), app);
  }
  EXPECT_EQ(ParseAppKind("bulky"), std::nullopt);
}

TEST(UsualQueue, IsOneBandwidthDelayProductOrTenPackets) {
  EXPECT_EQ(UsualQueue({.rate = Bandwidth::MegabitsPerSecond(100),
                        .delay = Duration::Milliseconds(50)},
                       1500),
            1'250'000u);
  EXPECT_EQ(UsualQueue({.rate = Bandwidth::MegabitsPerSecond(1),
                        .delay = Duration::Milliseconds(1)},
                       1500),
            15'000u);
}

TEST(RunScenario, EveryApplicationComesToItsEnd) {
  for (const AppKind app : kApps) {
    Scenario scenario = Over(Plain());
    scenario.app = app;
    const RunReport report = RunScenario(scenario, 1);
    EXPECT_EQ(report.problem, "") << ToString(app);
    EXPECT_EQ(report.bytes, 500'000u);
    // At 20 Mbit/s, and after the SYN has gone there and back.
    EXPECT_GT(report.took, Duration::Milliseconds(220)) << ToString(app);
    EXPECT_GE(report.flow.segs_sent, 500'000u / 1448);
    EXPECT_GE(report.rtt_p50, Duration::Milliseconds(20)) << ToString(app);
    EXPECT_GE(report.rtt_p99, report.rtt_p90);
    EXPECT_GE(report.rtt_p90, report.rtt_p50);
  }
}

TEST(RunScenario, OutagesCountFromItsStart) {
  Scenario scenario = Over(Plain());
  const Duration without = RunScenario(scenario, 1).took;
  // Before the SYN arrives, which goes again after a second.
  scenario.link.there.outages = {
      {Instant(), Instant() + Duration::Milliseconds(5)}};
  EXPECT_GE(RunScenario(scenario, 1).took, without + Duration::Seconds(1));
}

TEST(RunScenario, SegmentsMayBeSmallerThanIpv6Allows) {
  Scenario scenario = Over(Plain());
  scenario.link.mtu = 576;
  const RunReport report = RunScenario(scenario, 1);
  EXPECT_EQ(report.problem, "");
  EXPECT_GE(report.flow.segs_sent, 500'000u / 536);
}

TEST(RunScenario, IsAFunctionOfItsSeed) {
  emulator::PathConfig path = Plain();
  path.loss = emulator::Percent(2);
  const Scenario scenario = Over(path);
  const RunReport once = RunScenario(scenario, 7);
  const RunReport again = RunScenario(scenario, 7);
  EXPECT_EQ(once.trace, again.trace);
  EXPECT_EQ(once.took, again.took);
  EXPECT_NE(once.trace, RunScenario(scenario, 8).trace);
}

TEST(RunScenario, WatchingChangesNothing) {
  emulator::PathConfig path = Plain();
  path.loss = emulator::Percent(2);
  std::vector<FlowEvent> events;
  const RunReport watched = RunScenario(Over(path), 7, &events);
  EXPECT_EQ(watched.trace, RunScenario(Over(path), 7).trace);
  EXPECT_GT(events.size(), watched.flow.segs_sent);
}

// Every loss is repaired once, and what the stack counts is what the wire saw.
TEST(RunScenario, LossesAreSentAgainOnce) {
  emulator::PathConfig path = Plain();
  path.loss = emulator::Percent(1);
  std::vector<FlowEvent> events;
  const RunReport report = RunScenario(Over(path), 3, &events);
  EXPECT_EQ(report.problem, "");
  const FlowCounts& flow = report.flow;
  EXPECT_GT(flow.segs_lost, 0u);
  const uint64_t again =
      flow.retrans_fast + flow.retrans_timeout + flow.retrans_other;
  EXPECT_EQ(again, flow.segs_lost + flow.retrans_needless);
  EXPECT_EQ(events.back().info.segs_retrans, again);
  EXPECT_EQ(events.back().info.timeouts, flow.timeouts);
}

TEST(RunScenario, ARunThatTakesTooLongSaysSo) {
  Scenario scenario = Over(Plain());
  scenario.limit = Duration::Milliseconds(100);
  const RunReport report = RunScenario(scenario, 1);
  EXPECT_FALSE(report.succeeded());
  EXPECT_EQ(report.took, Duration::Milliseconds(100));
}

TEST(RunScenario, AFullQueueIsCounted) {
  emulator::PathConfig path = Plain();
  path.queue_bytes = 15'000;
  const RunReport report = RunScenario(Over(path), 1);
  EXPECT_EQ(report.problem, "");
  EXPECT_GT(report.queue_drops, 0u);
}

}  // namespace
}  // namespace tcpip::sim
