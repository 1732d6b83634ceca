#include <cstdlib>
#include <string>
#include <tuple>
#include <utility>

#include "emulator/path_model.h"
#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"
#include "tcpip/wire/address.h"
#include "tests/sim/transfer_fixture.h"

// Whatever the path does, every byte arrives once, in order, both ways, and
// nothing stays behind.
namespace tcpip::sim {
namespace {

using emulator::PathConfig;
using emulator::Percent;

constexpr Bandwidth kRate = Bandwidth::MegabitsPerSecond(50);
constexpr Duration kDelay = Duration::Milliseconds(10);
constexpr uint64_t kMss = 1460;

struct Path {
  const char* name;
  PathConfig config;
};

const Path kPaths[] = {
    {"Clean", {.rate = kRate, .delay = kDelay}},
    {"Loss1", {.rate = kRate, .delay = kDelay, .loss = Percent(1)}},
    {"Loss5", {.rate = kRate, .delay = kDelay, .loss = Percent(5)}},
    {"Reordering",
     {.rate = kRate,
      .delay = kDelay,
      .hold = Percent(2),
      .hold_for = Duration::Milliseconds(3)}},
    {"Jitter",
     {.delay = kDelay, .jitter = Duration::Milliseconds(5), .reorder = true}},
    {"Duplication", {.rate = kRate, .delay = kDelay, .duplicate = Percent(5)}},
    {"TinyQueue", {.rate = kRate, .delay = kDelay, .queue_packets = 8}},
};

struct Size {
  const char* name;
  uint64_t bytes;
};

const Size kSizes[] = {
    {"Nothing", 0}, {"OneByte", 1}, {"OneMss", kMss}, {"OneMegabyte", 1 << 20}};

using Case = std::tuple<IpFamily, bool, Path, Size>;

class TransferMatrix : public testing::TestWithParam<Case> {};

std::string NameOf(const testing::TestParamInfo<Case>& info) {
  const auto& [family, offload, path, size] = info.param;
  return std::string(family == IpFamily::kIpv4 ? "Ipv4" : "Ipv6") +
         (offload ? "Offload" : "Plain") + path.name + size.name;
}

INSTANTIATE_TEST_SUITE_P(
    Sim, TransferMatrix,
    testing::Combine(testing::Values(IpFamily::kIpv4, IpFamily::kIpv6),
                     testing::Bool(), testing::ValuesIn(kPaths),
                     testing::ValuesIn(kSizes)),
    NameOf);

TEST_P(TransferMatrix, DeliversEverythingUpDownAndBothWays) {
  const auto& [family, offload, path, size] = GetParam();
  TransferPlan plan = {.link = Symmetric(path.config, offload),
                       .family = family};
  const int seeds = std::getenv("NETSTACK_LONG_TESTS") != nullptr ? 10 : 1;
  for (int seed = 1; seed <= seeds; ++seed) {
    for (const auto& [up, down] :
         {std::pair{true, false}, {false, true}, {true, true}}) {
      plan.up_bytes = up ? size.bytes : 0;
      plan.down_bytes = down ? size.bytes : 0;
      const TransferResult result = RunTransfer(plan, seed);
      EXPECT_EQ(result.problem, "")
          << (up ? "up " : "") << (down ? "down" : "");
      if (path.name == std::string("Clean")) {
        EXPECT_EQ(result.client.tcp_retrans_segs, 0u) << "seed " << seed;
        EXPECT_EQ(result.server.tcp_retrans_segs, 0u) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace tcpip::sim
