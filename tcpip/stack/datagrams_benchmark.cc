// Cost of a datagram, out and in, by size and by number of sockets: flat in
// the latter, apart from what caches do.
#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"
#include "tcpip/base/rng.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/stack/stack.h"
#include "tcpip/stack/stack_fixture.h"

namespace tcpip {
namespace {

const IpAddress kOwn = IpAddress::Ipv4(10, 0, 0, 2);
const IpEndpoint kPeer = {IpAddress::Ipv4(10, 0, 0, 1), 4000};

// A stack whose pool keeps its blocks, with sockets on ports 1, 2, ...
class UdpHost {
 public:
  UdpHost(bool offload, uint16_t sockets)
      : stack_({}, pool_, rng_, kTestStart) {
    link_ = stack_.AddInterface(
        {.name = "x", .link = {.tx = {.checksum = offload}}});
    stack_.AddAddress(link_, {kOwn, 24}).IgnoreError();
    for (uint16_t port = 1; port <= sockets; ++port) {
      ids_.push_back(*stack_.UdpOpen({.local = {{}, port}}));
    }
  }

  void Send(size_t i, ByteSpan payload) {
    stack_.UdpSend(ids_[i], kPeer, payload).IgnoreError();
    stack_.DrainOutput(link_, out_, 1, kTestStart);
    out_.clear();
  }

  void Receive(size_t i, const Bytes& packet, ChecksumState checksum) {
    Packet in = Packet::Copy(pool_, packet);
    in.offload().checksum = checksum;
    stack_.OnPackets(link_, {&in, 1}, kTestStart);
    benchmark::DoNotOptimize(stack_.UdpRecv(ids_[i]));
  }

 private:
  SlabPool pool_;
  SeededRng rng_{1};
  Stack stack_;
  InterfaceId link_ = 0;
  std::vector<SocketId> ids_;
  PacketBatch out_;
};

void BM_Send(benchmark::State& state) {
  UdpHost host(state.range(1) != 0, 1);
  const Bytes payload(static_cast<size_t>(state.range(0)), 1);
  for (auto _ : state) host.Send(0, payload);
}
BENCHMARK(BM_Send)
    ->ArgNames({"bytes", "offload"})
    ->ArgsProduct({{64, 1472}, {0, 1}});

void BM_Receive(benchmark::State& state) {
  UdpHost host(state.range(1) != 0, 1);
  const Bytes packet = MakeUdp({kPeer, {kOwn, 1}},
                               Bytes(static_cast<size_t>(state.range(0)), 1));
  for (auto _ : state) {
    host.Receive(0, packet,
                 state.range(1) != 0 ? ChecksumState::kVerified
                                     : ChecksumState::kUnverified);
  }
}
BENCHMARK(BM_Receive)
    ->ArgNames({"bytes", "offload"})
    ->ArgsProduct({{64, 1472}, {0, 1}});

void BM_ReceiveBySockets(benchmark::State& state) {
  const auto sockets = static_cast<uint16_t>(state.range(0));
  UdpHost host(true, sockets);
  std::vector<Bytes> packets;
  for (uint16_t port = 1; port <= sockets; ++port) {
    packets.push_back(MakeUdp({kPeer, {kOwn, port}}, Bytes(64, 1)));
  }
  size_t next = 0;
  for (auto _ : state) {
    next = (next + 7919) % sockets;
    host.Receive(next, packets[next], ChecksumState::kVerified);
  }
}
BENCHMARK(BM_ReceiveBySockets)->RangeMultiplier(10)->Range(1, 10'000);

}  // namespace
}  // namespace tcpip
