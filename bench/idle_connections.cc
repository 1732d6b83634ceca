// What idle connections cost, and what they cost the others: up to a million
// of them in one stack, over a link in memory.
//
//   idle_connections [--connections 1000000]
//
// A line for each power of ten: memory of the process per connection; time to
// open one more; time of a packet for one of them at random, which is the
// look-up and all that follows; and of a step of the timers, of which each
// connection has one armed. The program itself keeps four bytes of each.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "bench/idle_stack.h"
#include "tcpip/base/rng.h"

ABSL_FLAG(uint32_t, connections, 1'000'000, "how many in the end");

namespace {

using Clock = std::chrono::steady_clock;

double ResidentBytes() {
  FILE* const statm = std::fopen("/proc/self/statm", "r");
  long size = 0;
  long resident = 0;
  if (statm == nullptr ||
      std::fscanf(statm, "%ld %ld", &size, &resident) != 2) {
    std::perror("/proc/self/statm");
  }
  if (statm != nullptr) std::fclose(statm);
  return static_cast<double>(resident) *
         static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Nanoseconds of each of `n` calls.
template <typename F>
double TimeOf(uint32_t n, const F& call) {
  const Clock::time_point begin = Clock::now();
  for (uint32_t i = 0; i < n; ++i) call();
  const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
  return took.count() / n;
}

}  // namespace

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const uint32_t last = absl::GetFlag(FLAGS_connections);
  bench::IdleStack idle;
  tcpip::SeededRng rng(1);
  const double at_first = ResidentBytes();
  std::printf("%12s %12s %12s %12s %12s\n", "connections", "bytes each",
              "open, ns", "packet, ns", "timers, ns");
  for (uint64_t target = 1; idle.connections() < last; target *= 10) {
    const uint32_t more =
        static_cast<uint32_t>(std::min<uint64_t>(target, last)) -
        idle.connections();
    const double open = TimeOf(more, [&] { idle.Open(); });
    const double bytes = (ResidentBytes() - at_first) / idle.connections();
    constexpr uint32_t kPackets = 500'000;
    const double packet =
        TimeOf(kPackets, [&] { idle.Touch(rng.Below(idle.connections())); });
    const double timers = TimeOf(kPackets, [&] { idle.StepTimers(); });
    std::printf("%12u %12.0f %12.0f %12.0f %12.0f\n", idle.connections(), bytes,
                open, packet, timers);
    std::fflush(stdout);
  }
  return 0;
}
