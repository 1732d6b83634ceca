#include <cstring>
#include <vector>

#include "benchmark/benchmark.h"
#include "tcpip/base/checksum.h"

namespace tcpip {
namespace {

// A header, an MTU, a super-segment; the last argument is the misalignment.
void Sizes(benchmark::internal::Benchmark* b) {
  for (int64_t size : {20, 64, 1'460, 65'536}) {
    for (int64_t offset : {0, 1}) b->Args({size, offset});
  }
}

std::vector<uint8_t> Buffer(const benchmark::State& state) {
  return std::vector<uint8_t>(
      static_cast<size_t>(state.range(0) + state.range(1)), 0x5a);
}

void BM_SumBytes(benchmark::State& state) {
  const auto buffer = Buffer(state);
  const auto offset = static_cast<size_t>(state.range(1));
  const ByteSpan bytes = ByteSpan(buffer).subspan(offset);
  for (auto _ : state) benchmark::DoNotOptimize(SumBytes(bytes));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_SumBytes)->Apply(Sizes);

void BM_CopyAndSum(benchmark::State& state) {
  const auto buffer = Buffer(state);
  const auto offset = static_cast<size_t>(state.range(1));
  const ByteSpan bytes = ByteSpan(buffer).subspan(offset);
  std::vector<uint8_t> to(bytes.size());
  for (auto _ : state) benchmark::DoNotOptimize(CopyAndSum(bytes, to.data()));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_CopyAndSum)->Apply(Sizes);

// What CopyAndSum is measured against.
void BM_Memcpy(benchmark::State& state) {
  const auto buffer = Buffer(state);
  const auto offset = static_cast<size_t>(state.range(1));
  const ByteSpan bytes = ByteSpan(buffer).subspan(offset);
  std::vector<uint8_t> to(bytes.size());
  for (auto _ : state) {
    std::memcpy(to.data(), bytes.data(), bytes.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Memcpy)->Apply(Sizes);

}  // namespace
}  // namespace tcpip
