#include <cstdint>

#include "benchmark/benchmark.h"
#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/recovery/sent_log.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {
namespace {

constexpr Instant kNow = Instant::FromNanoseconds(1);
constexpr uint32_t kSmss = 1448;

// A full window in steady state: one record out, one acknowledged.
void BM_SendAndAck(benchmark::State& state) {
  const auto record = static_cast<uint32_t>(state.range(0));
  SentLog log{SeqNum(0)};
  for (int i = 0; i < 1024; ++i) log.OnSent(record, kSmss, kNow);
  for (auto _ : state) {
    log.OnSent(record, kSmss, kNow);
    Delivery delivery;
    log.AckTo(log.snd_una() + record, kNow, delivery);
    benchmark::DoNotOptimize(delivery);
  }
}
BENCHMARK(BM_SendAndAck)->Arg(kSmss)->Arg(43 * kSmss);

// One hole at the front, and a SACK that grows by a segment with each ACK.
void BM_SackBehindOneHole(benchmark::State& state) {
  const auto segments = static_cast<uint32_t>(state.range(0));
  for (auto _ : state) {
    SentLog log{SeqNum(0)};
    for (uint32_t i = 0; i < segments; ++i) log.OnSent(kSmss, kSmss, kNow);
    Delivery delivery;
    for (uint32_t i = 2; i <= segments; ++i) {
      log.ApplySack({SeqNum(kSmss), SeqNum(i * kSmss)}, kNow, delivery);
    }
    benchmark::DoNotOptimize(delivery);
  }
  state.SetItemsProcessed(state.iterations() * segments);
}
BENCHMARK(BM_SackBehindOneHole)->Arg(100)->Arg(3000);

// Every tenth segment is lost.
void BM_SackWithManyHoles(benchmark::State& state) {
  const auto segments = static_cast<uint32_t>(state.range(0));
  for (auto _ : state) {
    SentLog log{SeqNum(0)};
    for (uint32_t i = 0; i < segments; ++i) log.OnSent(kSmss, kSmss, kNow);
    Delivery delivery;
    for (uint32_t i = 0; i < segments; ++i) {
      if (i % 10 == 0) continue;
      const uint32_t first = i / 10 * 10 + 1;
      log.ApplySack({SeqNum(first * kSmss), SeqNum((i + 1) * kSmss)}, kNow,
                    delivery);
    }
    benchmark::DoNotOptimize(delivery);
  }
  state.SetItemsProcessed(state.iterations() * segments);
}
BENCHMARK(BM_SackWithManyHoles)->Arg(100)->Arg(3000);

}  // namespace
}  // namespace tcpip::tcp
