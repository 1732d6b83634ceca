#include <cstdio>
#include <string>
#include <string_view>

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

std::string TraceLine() {
  return "trace " + std::to_string(RunTransfer(Eventful(), 1).trace) + "\n";
}

// main() below, run again.
std::string TraceOfAnotherProcess() {
  std::FILE* const pipe = popen("/proc/$PPID/exe --print-trace", "r");
  if (pipe == nullptr) return "no process";
  std::string trace;
  char line[256];
  while (std::fgets(line, sizeof line, pipe) != nullptr) trace += line;
  pclose(pipe);
  return trace;
}

// Addresses, and with them the salt of hash tables, differ between processes.
TEST(Determinism, EveryProcessGivesTheSameTrace) {
  EXPECT_EQ(TraceOfAnotherProcess(), TraceLine());
  EXPECT_EQ(TraceOfAnotherProcess(), TraceLine());
}

}  // namespace
}  // namespace tcpip::sim

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--print-trace") {
    return std::fputs(tcpip::sim::TraceLine().c_str(), stdout) < 0;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
