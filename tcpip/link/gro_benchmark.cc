#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"
#include "tcpip/link/gro.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/wire/address.h"

namespace tcpip {
namespace {

constexpr size_t kBatch = 64;

// A batch of full segments of so many flows, one by one in turns, or of pure
// acknowledgments; the second argument is the payload. What Packet::Copy costs
// is measured alone by the flows of 0.
void BM_Merge(benchmark::State& state) {
  SlabPool pool;
  const auto flows = static_cast<uint16_t>(state.range(0));
  std::vector<sim::Bytes> packets;
  for (uint32_t i = 0; i < kBatch; ++i) {
    const uint32_t flow = flows == 0 ? 0 : i % flows;
    const uint32_t turn = flows == 0 ? 0 : i / flows;
    const auto payload = static_cast<uint32_t>(state.range(1));
    packets.push_back(sim::Build(sim::TcpPacket{
        .from = {*IpAddress::Parse("10.0.0.1"), static_cast<uint16_t>(flow)},
        .to = *IpEndpoint::Parse("10.0.0.2:2"),
        .seq = turn * payload,
        .flags = wire::TcpFlags::kAck,
        .payload = sim::Bytes(payload)}));
  }
  Gro gro;
  PacketBatch batch;
  for (auto _ : state) {
    for (const sim::Bytes& bytes : packets) {
      batch.push_back(Packet::Copy(pool, bytes));
    }
    if (flows != 0) gro.Merge(batch, 0);
    batch.clear();
  }
  state.SetItemsProcessed(state.iterations() * kBatch);
  state.SetBytesProcessed(state.iterations() * kBatch * state.range(1));
}
BENCHMARK(BM_Merge)
    ->ArgNames({"flows", "payload"})
    ->Args({0, 1'448})
    ->Args({1, 1'448})
    ->Args({4, 1'448})
    ->Args({16, 1'448})
    ->Args({0, 0})
    ->Args({1, 0});

}  // namespace
}  // namespace tcpip
