// Cost of the options per segment, both ways, for the layouts that matter.
#include <benchmark/benchmark.h>

#include "tcpip/wire/tcp_options.h"

namespace tcpip::wire {
namespace {

TcpOptions Data() {
  TcpOptions o;
  o.timestamps = {0x01020304, 0x05060708};
  return o;
}

TcpOptions DataWithSack() {
  TcpOptions o = Data();
  o.sack_blocks = {{{1000, 2000}, {3000, 4000}, {5000, 6000}}};
  o.sack_block_count = 3;
  return o;
}

TcpOptions Syn() {
  TcpOptions o = Data();
  o.mss = 1460;
  o.window_scale = 7;
  o.sack_permitted = true;
  return o;
}

void BM_Parse(benchmark::State& state, const TcpOptions& options) {
  uint8_t bytes[40];
  const uint32_t size = EmitTcpOptions(options, bytes);
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes);
    benchmark::DoNotOptimize(ParseTcpOptions(ByteSpan(bytes, size)));
  }
}
BENCHMARK_CAPTURE(BM_Parse, none, TcpOptions());
BENCHMARK_CAPTURE(BM_Parse, data, Data());
BENCHMARK_CAPTURE(BM_Parse, data_with_3_sack_blocks, DataWithSack());
BENCHMARK_CAPTURE(BM_Parse, syn, Syn());

void BM_Emit(benchmark::State& state, TcpOptions options) {
  uint8_t bytes[40];
  for (auto _ : state) {
    benchmark::DoNotOptimize(options);
    benchmark::DoNotOptimize(EmitTcpOptions(options, bytes));
    benchmark::DoNotOptimize(bytes);
  }
}
BENCHMARK_CAPTURE(BM_Emit, data, Data());
BENCHMARK_CAPTURE(BM_Emit, data_with_3_sack_blocks, DataWithSack());
BENCHMARK_CAPTURE(BM_Emit, syn, Syn());

}  // namespace
}  // namespace tcpip::wire
