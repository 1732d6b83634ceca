// Look-up time by number of flows: flat, apart from what caches do.
#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"
#include "tcpip/base/rng.h"
#include "tcpip/stack/demux.h"
#include "tcpip/wire/address.h"

namespace tcpip {
namespace {

FourTuple Tuple(uint32_t i) {
  const IpAddress remote = IpAddress::Ipv4(10, static_cast<uint8_t>(i >> 24),
                                           static_cast<uint8_t>(i >> 16), 1);
  return {{IpAddress::Ipv4(10, 0, 0, 2), 443},
          {remote, static_cast<uint16_t>(i)}};
}

void BM_FindFlow(benchmark::State& state) {
  SeededRng rng(1);
  Demux demux(rng);
  const auto flows = static_cast<uint32_t>(state.range(0));
  for (uint32_t i = 0; i < flows; ++i) demux.AddFlow(Tuple(i), i);
  std::vector<FourTuple> wanted(4096);
  for (FourTuple& tuple : wanted) tuple = Tuple(rng.Below(flows));
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(demux.FindFlow(wanted[next++ % wanted.size()]));
  }
}
BENCHMARK(BM_FindFlow)->RangeMultiplier(10)->Range(1, 1'000'000);

void BM_FindNobody(benchmark::State& state) {
  SeededRng rng(1);
  Demux demux(rng);
  for (uint32_t i = 0; i < state.range(0); ++i) demux.AddFlow(Tuple(i), i);
  FourTuple stranger = Tuple(7);
  stranger.local.port = 444;
  for (auto _ : state) {
    benchmark::DoNotOptimize(demux.FindFlow(stranger));
    benchmark::DoNotOptimize(demux.FindReceiver(stranger));
  }
}
BENCHMARK(BM_FindNobody)->RangeMultiplier(1000)->Range(1, 1'000'000);

}  // namespace
}  // namespace tcpip
