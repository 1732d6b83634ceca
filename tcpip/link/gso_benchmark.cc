#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"
#include "tcpip/link/gso.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/wire/address.h"

namespace tcpip {
namespace {

// A super-segment of as much payload as the first argument says, in views of
// the second: 64 KiB is a bulk sender's queue, 100 one of small writes.
void BM_SplitGso(benchmark::State& state) {
  SlabPool pool;
  const std::vector<uint8_t> payload(static_cast<size_t>(state.range(0)));
  Packet packet = Packet::Copy(
      pool, sim::Build(sim::TcpPacket{.from = *IpEndpoint::Parse("10.0.0.1:1"),
                                      .to = *IpEndpoint::Parse("10.0.0.2:2"),
                                      .flags = wire::TcpFlags::kAck,
                                      .payload = {}}));
  ViewChain body;
  for (ByteSpan rest = payload; !rest.empty();) {
    const auto view_bytes = static_cast<size_t>(state.range(1));
    const size_t n = rest.size() < view_bytes ? rest.size() : view_bytes;
    body.Append(View::Copy(pool, rest.first(n)));
    rest = rest.subspan(n);
  }
  packet.SetBody(std::move(body));
  packet.offload().gso_type = GsoType::kTcp4;
  packet.offload().gso_size = 1448;
  PacketBatch pieces;
  size_t packets = 0;
  for (auto _ : state) {
    SplitGso(packet, pieces);
    packets += pieces.size();
    pieces.clear();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
  state.counters["packets"] = benchmark::Counter(static_cast<double>(packets),
                                                 benchmark::Counter::kIsRate);
}
BENCHMARK(BM_SplitGso)
    ->Args({1'448, 65'536})
    ->Args({16'384, 65'536})
    ->Args({65'160, 65'536})
    ->Args({65'160, 100});

}  // namespace
}  // namespace tcpip
