// Time to find a socket by number of flows. Compare with BM_Touch, the price of
// reading one of so many sockets at random: what grows there is the caches'.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"
#include "tcpip/base/rng.h"
#include "tcpip/stack/flow_set.h"
#include "tcpip/stack/socket.h"
#include "tcpip/stack/socket_table.h"
#include "tcpip/wire/address.h"

namespace tcpip {
namespace {

FourTuple Tuple(uint32_t i) {
  const IpAddress remote = IpAddress::Ipv4(10, static_cast<uint8_t>(i >> 24),
                                           static_cast<uint8_t>(i >> 16), 1);
  return {{IpAddress::Ipv4(10, 0, 0, 2), 443},
          {remote, static_cast<uint16_t>(i)}};
}

class Flows {
 public:
  explicit Flows(const benchmark::State& state)
      : n_(static_cast<uint32_t>(state.range(0))), wanted_(1 << 16) {
    for (uint32_t i = 0; i < n_; ++i) {
      Socket& socket = *sockets.Allocate();
      socket.kind.emplace<TcpSocket>().tuple = Tuple(i);
      flows.Add(socket.index);
    }
    for (uint32_t& wanted : wanted_) wanted = rng_.Below(n_);
  }

  uint32_t Any() { return wanted_[next_++ % wanted_.size()]; }

 private:
  uint32_t n_;
  SeededRng rng_{1};
  std::vector<uint32_t> wanted_;
  size_t next_ = 0;

 public:
  SocketTable sockets{UINT32_MAX};
  FlowSet<TupleOfTcp> flows{FlowHash(rng_), {&sockets}};
};

void Sizes(benchmark::internal::Benchmark* b) {
  for (int64_t n : {1, 1'000, 100'000, 1'000'000}) b->Arg(n);
}

void BM_Touch(benchmark::State& state) {
  Flows all(state);
  for (auto _ : state) {
    const Socket& socket = all.sockets.at(all.Any());
    benchmark::DoNotOptimize(socket.As<TcpSocket>()->tuple.remote.port);
  }
}
BENCHMARK(BM_Touch)->Apply(Sizes);

void BM_Find(benchmark::State& state) {
  Flows all(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(all.flows.Find(Tuple(all.Any())));
  }
}
BENCHMARK(BM_Find)->Apply(Sizes);

void BM_FindNobody(benchmark::State& state) {
  Flows all(state);
  for (auto _ : state) {
    FourTuple stranger = Tuple(all.Any());
    stranger.local.port = 444;
    benchmark::DoNotOptimize(all.flows.Find(stranger));
  }
}
BENCHMARK(BM_FindNobody)->Apply(Sizes);

}  // namespace
}  // namespace tcpip
