#include <algorithm>
#include <cstdio>
#include <string>

#include "emulator/path_model.h"
#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"
#include "tcpip/testing/golden.h"
#include "tests/sim/transfer_fixture.h"

// How long a transfer takes, for some paths: a table somebody has looked at.
// A change that makes it better or worse shows as a difference here.
namespace tcpip::sim {
namespace {

constexpr uint64_t kBytes = 2 << 20;
constexpr uint64_t kSeed = 1;

int64_t Milliseconds(uint64_t megabits, int64_t rtt_ms, uint32_t loss) {
  const Bandwidth rate = Bandwidth::MegabitsPerSecond(megabits);
  const Duration rtt = Duration::Milliseconds(rtt_ms);
  // A queue of one bandwidth-delay product, at least ten packets.
  const auto queue = static_cast<uint32_t>(rate.BytesIn(rtt));
  const emulator::PathConfig path = {.rate = rate,
                                     .delay = rtt / 2,
                                     .queue_bytes = std::max(queue, 15'000u),
                                     .loss = loss};
  const TransferResult result = RunTransfer(
      {.link = Symmetric(path), .up_bytes = kBytes, .server_fins_last = true},
      kSeed);
  EXPECT_EQ(result.problem, "");
  return result.took.milliseconds();
}

TEST(ThroughputMatrix, IsAsItWas) {
  std::string table =
      "2 MiB one way, queue of one BDP: milliseconds from SYN to both ends "
      "closed\n"
      "Mbit/s  RTT ms   loss 0%     0.1%       1%       3%\n";
  for (const uint64_t megabits : {10, 100}) {
    for (const int64_t rtt : {2, 20, 200}) {
      char line[128];
      int64_t ms[4];
      int column = 0;
      for (const uint32_t loss : {0, 1'000, 10'000, 30'000}) {
        ms[column++] = Milliseconds(megabits, rtt, loss);
      }
      std::snprintf(line, sizeof line, "%6d %7d %9d %8d %8d %8d\n",
                    static_cast<int>(megabits), static_cast<int>(rtt),
                    static_cast<int>(ms[0]), static_cast<int>(ms[1]),
                    static_cast<int>(ms[2]), static_cast<int>(ms[3]));
      table += line;
    }
  }
  EXPECT_EQ(CompareWithGolden("tests/sim/throughput_matrix.golden", table), "");
}

}  // namespace
}  // namespace tcpip::sim
