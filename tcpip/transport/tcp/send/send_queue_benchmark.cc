#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/send/send_queue.h"

namespace tcpip::tcp {
namespace {

constexpr uint32_t kSegment = 62'264;  // 43 * 1448

// A full buffer in steady state: write, send and acknowledge a super-segment.
void BM_SuperSegmentThroughAFullQueue(benchmark::State& state) {
  const auto write_size = static_cast<size_t>(state.range(0));
  SlabPool pool;
  SendQueue queue(4 << 20);
  const std::vector<uint8_t> bytes(write_size);
  const auto fill = [&] {
    while (queue.room() >= write_size) queue.WriteCopy(bytes, pool);
  };
  fill();
  while (queue.unsent_bytes() > 2 * kSegment) queue.TakeUnsent(kSegment);
  for (auto _ : state) {
    ViewChain segment = queue.TakeUnsent(kSegment);
    benchmark::DoNotOptimize(segment);
    queue.TrimAcked(kSegment);
    fill();
  }
  state.SetBytesProcessed(state.iterations() * kSegment);
}
BENCHMARK(BM_SuperSegmentThroughAFullQueue)->Arg(64)->Arg(1448)->Arg(1 << 18);

// The same without the user's copy: finding, slicing and trimming alone.
void BM_SliceAndTrim(benchmark::State& state) {
  SlabPool pool;
  const std::vector<uint8_t> bytes(65'536);
  const View block = View::Copy(pool, bytes);
  SendQueue queue(4 << 20);
  for (auto _ : state) {
    ViewChain chain(block);
    queue.Write(chain, pool);
    ViewChain segment = queue.TakeUnsent(65'536);
    benchmark::DoNotOptimize(segment);
    if (queue.sent_bytes() > (3 << 20)) queue.TrimAcked(65'536);
  }
}
BENCHMARK(BM_SliceAndTrim);

// A request and its acknowledgment on an idle connection.
void BM_PingPong(benchmark::State& state) {
  SlabPool pool;
  SendQueue queue(4 << 20);
  const std::vector<uint8_t> bytes(1);
  for (auto _ : state) {
    queue.WriteCopy(bytes, pool);
    ViewChain segment = queue.TakeUnsent(1);
    benchmark::DoNotOptimize(segment);
    queue.TrimAcked(1);
  }
}
BENCHMARK(BM_PingPong);

}  // namespace
}  // namespace tcpip::tcp
