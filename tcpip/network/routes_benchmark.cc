// Look-up time by number of routes: flat, apart from what caches do.
#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"
#include "tcpip/base/rng.h"
#include "tcpip/network/routes.h"

namespace tcpip::ip {
namespace {

IpAddress Host(uint32_t i, uint8_t last) {
  return IpAddress::Ipv4(10, static_cast<uint8_t>(i >> 8),
                         static_cast<uint8_t>(i), last);
}

// /24s beside a /16 and a default: three prefix lengths.
void BM_FindRoute(benchmark::State& state) {
  Routes routes;
  const auto count = static_cast<uint32_t>(state.range(0));
  routes.Add({{IpAddress::Any(IpFamily::kIpv4), 0}, 1});
  routes.Add({{Host(0, 0), 16}, 2});
  for (uint32_t i = 0; i < count; ++i) routes.Add({{Host(i, 0), 24}, 3});
  SeededRng rng(1);
  std::vector<IpAddress> wanted(4096);
  for (IpAddress& address : wanted) address = Host(rng.Below(count), 9);
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(routes.Find(wanted[next++ % wanted.size()]));
  }
}
BENCHMARK(BM_FindRoute)->RangeMultiplier(10)->Range(1, 10'000);

// Every length of IPv4 is in use, and the shortest has to be found.
void BM_FindTheDefault(benchmark::State& state) {
  Routes routes;
  for (uint8_t length = 0; length <= 32; ++length) {
    routes.Add({{IpAddress::Ipv4(10, 0, 0, 1), length}, length});
  }
  const IpAddress far = IpAddress::Ipv4(192, 0, 2, 1);
  for (auto _ : state) benchmark::DoNotOptimize(routes.Find(far));
}
BENCHMARK(BM_FindTheDefault);

}  // namespace
}  // namespace tcpip::ip
