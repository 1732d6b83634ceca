#include <cstdio>
#include <string>

#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"
#include "tcpip/wire/address.h"
#include "tests/sim/transfer_fixture.h"

// The same seed gives the same bytes at the same times, in this process and in
// the next: nothing depends on hash order, addresses or chance of our own.
namespace tcpip::sim {
namespace {

using emulator::Percent;

TransferPlan Eventful() {
  return {.link = Symmetric({.rate = Bandwidth::MegabitsPerSecond(50),
                             .delay = Duration::Milliseconds(10),
                             .jitter = Duration::Milliseconds(2),
                             .loss = Percent(2),
                             .duplicate = Percent(1),
                             .hold = Percent(1),
                             .hold_for = Duration::Milliseconds(5)},
                            /*offload=*/true),
          .family = IpFamily::kIpv6,
          .up_bytes = 500'000,
          .down_bytes = 300'000};
}

TEST(Determinism, TheSameSeedGivesTheSameTrace) {
  const TransferResult once = RunTransfer(Eventful(), 1);
  const TransferResult again = RunTransfer(Eventful(), 1);
  EXPECT_EQ(once.problem, "");
  EXPECT_EQ(once.trace, again.trace);
  EXPECT_EQ(once.took, again.took);
  EXPECT_EQ(once.client.tcp_out_segs, again.client.tcp_out_segs);
}

TEST(Determinism, AnotherSeedGivesAnotherTrace) {
  EXPECT_NE(RunTransfer(Eventful(), 1).trace, RunTransfer(Eventful(), 2).trace);
}

// Run by the test below in a process of its own.
TEST(Determinism, DISABLED_PrintTrace) {
  std::printf("trace %llu\n", static_cast<unsigned long long>(
                                  RunTransfer(Eventful(), 1).trace));
}

std::string TraceOfAnotherProcess() {
  std::FILE* const pipe = popen(
      "env -u XML_OUTPUT_FILE -u TEST_PREMATURE_EXIT_FILE -u "
      "TESTBRIDGE_TEST_ONLY "
      "/proc/$PPID/exe --gtest_also_run_disabled_tests "
      "--gtest_filter=Determinism.DISABLED_PrintTrace",
      "r");
  if (pipe == nullptr) return "no process";
  std::string trace;
  char line[256];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    if (std::string(line).starts_with("trace ")) trace = line;
  }
  pclose(pipe);
  return trace;
}

// Addresses, and with them the salt of hash tables, differ between processes.
TEST(Determinism, EveryProcessGivesTheSameTrace) {
  const std::string expected =
      "trace " + std::to_string(RunTransfer(Eventful(), 1).trace) + "\n";
  EXPECT_EQ(TraceOfAnotherProcess(), expected);
  EXPECT_EQ(TraceOfAnotherProcess(), expected);
}

}  // namespace
}  // namespace tcpip::sim
