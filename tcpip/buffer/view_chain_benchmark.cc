#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "tcpip/buffer/view_chain.h"

namespace tcpip {
namespace {

// A queue in steady state: one block in, one block out. The argument is how
// many blocks it holds meanwhile; the cost must not depend on it.
void BM_AppendAndTrim(benchmark::State& state) {
  SlabPool pool;
  ViewChain chain;
  const auto append = [&] {
    chain.Append(View(pool.Allocate(SlabClass::kSmall), 0, 1'460));
  };
  for (int64_t i = 0; i < state.range(0); ++i) append();
  for (auto _ : state) {
    append();
    chain.TrimFront(1'460);
  }
}
BENCHMARK(BM_AppendAndTrim)->Arg(1)->Arg(2)->Arg(64)->Arg(1'024);

// Small writes of the user, compacted into blocks.
void BM_AppendCopy(benchmark::State& state) {
  SlabPool pool;
  ViewChain chain;
  const std::vector<uint8_t> bytes(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    chain.AppendCopy(pool, bytes);
    if (chain.size() > (1 << 20)) chain.Clear();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_AppendCopy)->Arg(1)->Arg(64)->Arg(1'460)->Arg(65'536);

// What a sender does for each super-segment: refer to 64 KiB of its queue.
void BM_Slice(benchmark::State& state) {
  SlabPool pool;
  ViewChain queue;
  const std::vector<uint8_t> bytes(65'536, 'x');
  for (int i = 0; i < 4; ++i) queue.AppendCopy(pool, bytes);
  const auto offset = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(queue.Slice(offset, 65'536).view_count());
  }
}
BENCHMARK(BM_Slice)->Arg(0)->Arg(100)->Arg(131'172);

void BM_SplitFrontAndAppend(benchmark::State& state) {
  SlabPool pool;
  ViewChain chain;
  const std::vector<uint8_t> bytes(65'536, 'x');
  for (int i = 0; i < 4; ++i) chain.AppendCopy(pool, bytes);
  for (auto _ : state) chain.Append(chain.SplitFront(65'536));
}
BENCHMARK(BM_SplitFrontAndAppend);

void BM_Move(benchmark::State& state) {
  SlabPool pool;
  ViewChain a, b;
  for (int64_t i = 0; i < state.range(0); ++i) {
    a.Append(View(pool.Allocate(SlabClass::kSmall), 0, 100));
  }
  for (auto _ : state) {
    b = std::move(a);
    a = std::move(b);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_Move)->Arg(1)->Arg(2)->Arg(64);

}  // namespace
}  // namespace tcpip
