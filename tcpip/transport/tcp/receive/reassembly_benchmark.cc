#include <cstdint>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "tcpip/base/rng.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/receive/reassembly.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {
namespace {

constexpr uint32_t kWindow = uint32_t{4} << 20;

// A window whose first byte is late, in segments of the given size.
void BM_FirstSegmentIsLate(benchmark::State& state) {
  const auto size = static_cast<uint32_t>(state.range(0));
  SlabPool pool;
  const ViewChain payload(View::Copy(pool, std::vector<uint8_t>(size, 'x')));
  Reassembly reassembly;
  SeqNum rcv_nxt(1);
  for (auto _ : state) {
    uint32_t offset = size;
    for (; offset + size <= kWindow; offset += size) {
      reassembly.Insert(rcv_nxt + offset, payload, pool);
      benchmark::DoNotOptimize(reassembly.RangeAround(rcv_nxt + offset));
    }
    reassembly.Insert(rcv_nxt, payload, pool);
    ViewChain stream;
    rcv_nxt += reassembly.TakeRun(rcv_nxt, stream, pool);
  }
  state.SetBytesProcessed(state.iterations() * kWindow);
}
BENCHMARK(BM_FirstSegmentIsLate)->Arg(1448)->Arg(16 * 1448)->Arg(44 * 1448);

// Every segment of a window in random order.
void BM_RandomOrder(benchmark::State& state) {
  const auto size = static_cast<uint32_t>(state.range(0));
  SlabPool pool;
  SeededRng rng(1);
  const ViewChain payload(View::Copy(pool, std::vector<uint8_t>(size, 'x')));
  std::vector<uint32_t> offsets;
  for (uint32_t at = 0; at + size <= kWindow; at += size) {
    offsets.push_back(at);
    std::swap(offsets.back(),
              offsets[rng.Below(static_cast<uint32_t>(offsets.size()))]);
  }
  Reassembly reassembly;
  SeqNum rcv_nxt(1);
  for (auto _ : state) {
    ViewChain stream;
    const SeqNum base = rcv_nxt;
    for (const uint32_t offset : offsets) {
      reassembly.Insert(base + offset, payload, pool);
      benchmark::DoNotOptimize(reassembly.RangeAround(base + offset));
      if (base + offset == rcv_nxt) {
        rcv_nxt += reassembly.TakeRun(rcv_nxt, stream, pool);
      }
    }
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<int64_t>(offsets.size()));
}
BENCHMARK(BM_RandomOrder)->Arg(100)->Arg(1448);

// [fault X13] the worst a peer can do: single bytes that never touch.
void BM_EverySecondByte(benchmark::State& state) {
  SlabPool pool;
  const ViewChain payload(View::Copy(pool, std::vector<uint8_t>(1, 'x')));
  for (auto _ : state) {
    Reassembly reassembly;
    for (uint32_t offset = 1; offset < kWindow; offset += 2) {
      reassembly.Insert(SeqNum(offset), payload, pool);
      benchmark::DoNotOptimize(reassembly.RangeAround(SeqNum(offset)));
    }
  }
  state.SetItemsProcessed(state.iterations() * (kWindow / 2));
}
BENCHMARK(BM_EverySecondByte);

}  // namespace
}  // namespace tcpip::tcp
