// ECN over a bottleneck that marks: nothing is lost that marking can save, and
// the queue stays short; without ECN the same path drops. RFC 3168.
#include <cstdint>

#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"
#include "tcpip/testing/run_report.h"
#include "tcpip/testing/scenario.h"
#include "tcpip/transport/tcp/config.h"

namespace tcpip::sim {
namespace {

RunReport Transfer(tcp::EcnMode mode, uint64_t seed) {
  Scenario scenario;
  scenario.bytes = 10'000'000;
  scenario.stack.tcp.ecn = mode;
  scenario.link.there = {.rate = Bandwidth::MegabitsPerSecond(20),
                         .delay = Duration::Milliseconds(20),
                         .queue_bytes = 400'000,
                         .mark_bytes = 50'000};
  scenario.link.back = {.delay = Duration::Milliseconds(20)};
  return RunScenario(scenario, seed);
}

TEST(Ecn, MarksTakeThePlaceOfLosses) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const RunReport marked = Transfer(tcp::EcnMode::kActive, seed);
    EXPECT_EQ(marked.problem, "");
    EXPECT_EQ(marked.queue_drops, 0u);
    EXPECT_EQ(marked.flow.fast_recoveries, 0u);
    EXPECT_EQ(marked.flow.timeouts, 0u);
    const RunReport dropped = Transfer(tcp::EcnMode::kOff, seed);
    EXPECT_EQ(dropped.problem, "");
    EXPECT_GT(dropped.queue_drops, 0u);
    // 0.9 of what the rate takes, in either case.
    const Duration least = Duration::Seconds(4);
    EXPECT_LT(marked.took, least * 10 / 9 + Duration::Milliseconds(200));
    EXPECT_LT(marked.rtt_p90, dropped.rtt_p90);
  }
}

TEST(Ecn, AnEndThatWasNotAskedSendsNothingThatMayBeMarked) {
  const RunReport passive = Transfer(tcp::EcnMode::kPassive, 1);
  const RunReport off = Transfer(tcp::EcnMode::kOff, 1);
  EXPECT_EQ(passive.problem, "");
  EXPECT_EQ(passive.trace, off.trace);  // the same packets
}

}  // namespace
}  // namespace tcpip::sim
