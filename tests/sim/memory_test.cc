#include <algorithm>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/stack/stack.h"
#include "tcpip/testing/counting_allocator.h"
#include "tcpip/wire/address.h"

// Bulk transfer over a bare loop: two stacks, no simulation between them, so
// that every allocation is theirs.
namespace tcpip::sim {
namespace {

constexpr Duration kTick = Duration::Microseconds(100);

struct End {
  explicit End(uint64_t seed, const char* address, bool offload)
      : rng(seed), stack({}, pool, rng, Instant()) {
    const uint32_t max_gso = offload ? 65535 : 0;
    interface = stack.AddInterface({.name = "eth0",
                                    .max_gso_bytes_ipv4 = max_gso,
                                    .max_gso_bytes_ipv6 = max_gso,
                                    .checksum_offload = offload});
    EXPECT_TRUE(stack.AddAddress(interface, *Cidr::Parse(address)).ok());
  }

  SlabPool pool;
  SeededRng rng;
  Stack stack;
  InterfaceId interface = 0;
  SocketId socket;
  PacketBatch out;
};

class Memory : public testing::TestWithParam<bool> {
 protected:
  void Drain(End& from) {
    from.stack.DrainOutput(from.interface, from.out, 16, now_);
  }

  void Deliver(End& from, End& to) {
    for (Packet& packet : from.out) {
      // Copied as a link would, by way of one contiguous buffer.
      const size_t head = packet.head().size();
      std::copy(packet.head().begin(), packet.head().end(), wire_);
      packet.body().CopyTo(MutableByteSpan(wire_).subspan(head));
      Packet copy = Packet::Copy(to.pool, ByteSpan(wire_).first(packet.size()));
      copy.offload() = packet.offload();
      copy.set_ingress(now_);
      to.stack.OnPackets(to.interface, {&copy, 1}, now_);
    }
    from.out.clear();
  }

  // The way back takes a tick, so that data is in flight all the time.
  void Tick() {
    now_ += kTick;
    Drain(a_);
    Deliver(a_, b_);
    Deliver(b_, a_);
    Drain(b_);
    a_.stack.OnTimers(now_);
    b_.stack.OnTimers(now_);
  }

  // Writes as much as there is room for, reads and ticks, until the receiver
  // has `bytes` more. Returns how often anything but the reader allocated: a
  // read hands over a list of views, and the list is the reader's.
  uint64_t Move(uint64_t bytes) {
    uint64_t allocations = 0;
    while (bytes > 0) {
      const AllocationCounter counter;
      while (*a_.stack.TcpSendCopy(a_.socket, chunk_, now_) == sizeof chunk_) {
      }
      Tick();
      while (a_.stack.NextReady()) {
      }
      while (b_.stack.NextReady()) {
      }
      allocations += counter.count();
      while (true) {
        const ViewChain data =
            *b_.stack.TcpRecv(b_.socket, sizeof chunk_, now_);
        if (data.empty()) break;
        bytes -= std::min<uint64_t>(bytes, data.size());
      }
    }
    return allocations;
  }

  void Connect() {
    const IpEndpoint address = *IpEndpoint::Parse("10.0.0.2:80");
    const SocketId listener = *b_.stack.TcpListen({.local = address}, now_);
    a_.socket = *a_.stack.TcpConnect({.remote = address}, now_);
    for (int i = 0; i < 10; ++i) Tick();
    b_.socket = *b_.stack.TcpAccept(listener);
  }

  Instant now_ = Instant::FromNanoseconds(1'000'000'000);
  End a_{1, "10.0.0.1/24", GetParam()};
  End b_{2, "10.0.0.2/24", GetParam()};
  uint8_t wire_[65536];
  uint8_t chunk_[65536] = {};
};

INSTANTIATE_TEST_SUITE_P(Sim, Memory, testing::Bool(), [](const auto& i) {
  return i.param ? "Offload" : "Plain";
});

TEST_P(Memory, NothingIsAllocatedPerPacketAfterWarmUp) {
  Connect();
  Move(16 << 20);
  const uint64_t packets_before = a_.stack.Stats().ip_out;
  const uint64_t allocations = Move(16 << 20);
  EXPECT_GT(a_.stack.Stats().ip_out - packets_before, 200u);
  EXPECT_EQ(allocations, 0u);
}

TEST_P(Memory, IdleConnectionsHoldNoBlocks) {
  Connect();
  Move(1 << 20);
  for (int i = 0; i < 10'000; ++i) Tick();
  EXPECT_EQ(a_.stack.TcpGetInfo(a_.socket)->unacked_bytes, 0u);
  // What was sent is acknowledged, what came is read.
  while (b_.stack.TcpRecv(b_.socket, 1 << 20, now_)->size() > 0) {
  }
  EXPECT_EQ(b_.pool.stats().live, 0u);
  EXPECT_EQ(a_.pool.stats().live, 0u);
}

}  // namespace
}  // namespace tcpip::sim
