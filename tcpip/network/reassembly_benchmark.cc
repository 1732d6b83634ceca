// What a fragment costs: of a large packet in order and backwards, of the
// smallest fragments there are, with others in progress, and in a flood of
// fragments that never find theirs.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "tcpip/network/ip.h"
#include "tcpip/network/reassembly.h"
#include "tcpip/testing/packet_builder.h"

namespace tcpip::ip {
namespace {

struct Arrival {
  sim::Bytes bytes;
  InputVerdict verdict;
};

std::vector<Arrival> Cut(size_t size, size_t data_bytes) {
  std::vector<Arrival> arrivals;
  const sim::Bytes packet =
      sim::Build(sim::UdpPacket{.from = *IpEndpoint::Parse("10.0.0.1:1"),
                                .to = *IpEndpoint::Parse("10.0.0.2:2"),
                                .payload = sim::Bytes(size)});
  SlabPool pool;
  for (sim::Bytes& bytes : sim::Cut(packet, data_bytes, 1)) {
    const InputVerdict verdict =
        CheckIp(Packet::Copy(pool, bytes), Ingress::kLink);
    arrivals.push_back({std::move(bytes), verdict});
  }
  return arrivals;
}

void Whole(benchmark::State& state, bool backwards) {
  SlabPool pool;
  SeededRng rng(1);
  Reassembly reassembly({}, pool, rng);
  std::vector<Arrival> arrivals = Cut(static_cast<size_t>(state.range(0)),
                                      static_cast<size_t>(state.range(1)));
  if (backwards) std::reverse(arrivals.begin(), arrivals.end());
  for (auto _ : state) {
    for (const Arrival& arrival : arrivals) {
      benchmark::DoNotOptimize(reassembly.OnFragment(
          Packet::Copy(pool, arrival.bytes), arrival.verdict.ip,
          *arrival.verdict.fragment, Instant()));
    }
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<int64_t>(arrivals.size()));
}
void BM_InOrder(benchmark::State& state) { Whole(state, false); }
void BM_Backwards(benchmark::State& state) { Whole(state, true); }
// Bytes of the datagram, bytes of data in a fragment.
BENCHMARK(BM_InOrder)->Args({3000, 1480})->Args({65507, 1480})->Args({2000, 8});
BENCHMARK(BM_Backwards)
    ->Args({3000, 1480})
    ->Args({65507, 1480})
    ->Args({2000, 8});

void BM_Flood(benchmark::State& state) {
  SlabPool pool;
  SeededRng rng(1);
  Reassembly reassembly({}, pool, rng);
  Arrival arrival = Cut(3000, 1480)[0];
  for (auto _ : state) {
    ++arrival.verdict.fragment->id;
    benchmark::DoNotOptimize(reassembly.OnFragment(
        Packet::Copy(pool, arrival.bytes), arrival.verdict.ip,
        *arrival.verdict.fragment, Instant()));
  }
}
BENCHMARK(BM_Flood);

}  // namespace
}  // namespace tcpip::ip
