// What a packet and a datagram pay for our addresses, by their number: flat.
#include <cstdint>
#include <optional>
#include <vector>

#include "benchmark/benchmark.h"
#include "tcpip/base/rng.h"
#include "tcpip/stack/interfaces.h"

namespace tcpip {
namespace {

IpAddress Own(uint32_t i) {
  return IpAddress::Ipv4(10, static_cast<uint8_t>(i >> 8),
                         static_cast<uint8_t>(i), 1);
}

struct Many {
  explicit Many(int64_t addresses) : own(4096) {
    link = interfaces.Add({.name = "nst0"});
    const auto count = static_cast<uint32_t>(addresses);
    for (uint32_t i = 0; i < count; ++i) {
      interfaces.AddAddress(link, {Own(i), 24}).IgnoreError();
    }
    SeededRng rng(1);
    for (IpAddress& address : own) address = Own(rng.Below(count));
  }
  Interfaces interfaces{1};
  InterfaceId link;
  std::vector<IpAddress> own;  // some of them, in no order
};

// Both questions of every packet that comes in.
void BM_AcceptPacket(benchmark::State& state) {
  Many many(state.range(0));
  const Interface& link = many.interfaces.at(many.link);
  const IpAddress peer = IpAddress::Ipv4(10, 0, 0, 2);
  size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        many.interfaces.Accepts(link, many.own[next++ % many.own.size()]));
    benchmark::DoNotOptimize(many.interfaces.IsCredible(link, peer));
  }
}
BENCHMARK(BM_AcceptPacket)->RangeMultiplier(10)->Range(1, 10'000);

// An unconnected datagram, from a socket bound to an address or to none.
void BM_PathTo(benchmark::State& state) {
  Many many(state.range(0));
  const IpAddress peer = IpAddress::Ipv4(10, 0, 0, 2);
  std::optional<IpAddress> local;
  if (state.range(1) != 0) local = Own(0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(many.interfaces.PathTo(peer, local));
  }
}
BENCHMARK(BM_PathTo)->ArgsProduct({{1, 100, 10'000}, {0, 1}});

}  // namespace
}  // namespace tcpip
