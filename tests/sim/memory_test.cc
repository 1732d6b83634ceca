// Bulk transfer both ways over a bare loop: two stacks and their links, no
// simulation between them, so that every allocation is theirs.
#include <algorithm>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/channel.h"
#include "tcpip/link/link.h"
#include "tcpip/link/software_offload.h"
#include "tcpip/stack/stack.h"
#include "tcpip/testing/counting_allocator.h"
#include "tcpip/wire/address.h"

namespace tcpip::sim {
namespace {

constexpr Duration kTick = Duration::Microseconds(100);
constexpr size_t kBatch = 16;

// What cuts and merges: the link, nobody, or we in front of the link.
enum class Offloads { kOfLink, kNone, kInSoftware };

struct End {
  End(uint64_t seed, const char* address, Offloads offloads)
      : wire(offloads == Offloads::kOfLink
                 ? LinkCapabilities{.tx = kAllOffloads}
                 : LinkCapabilities{},
             1000),
        in_software(offloads == Offloads::kInSoftware),
        rng(seed),
        stack({}, pool, rng, Instant()) {
    interface =
        stack.AddInterface({.name = "eth0", .link = link().capabilities()});
    EXPECT_TRUE(stack.AddAddress(interface, *Cidr::Parse(address)).ok());
  }

  Link& link() { return in_software ? static_cast<Link&>(software) : wire; }

  SlabPool pool;
  Channel wire;
  SoftwareOffload software{wire};
  const bool in_software;
  SeededRng rng;
  Stack stack;
  InterfaceId interface = 0;
  SocketId socket;
  PacketBatch out;
  PacketBatch crossing;
  PacketBatch in;
};

class Memory : public testing::TestWithParam<Offloads> {
 protected:
  void Drain(End& from) {
    from.stack.DrainOutput(from.interface, from.out, kBatch, now_);
    const size_t n = from.link().WriteBatch(from.out);
    ASSERT_EQ(n, from.out.size());
    from.out.clear();
  }

  void Deliver(End& from, End& to) {
    from.wire.Take(from.crossing, 1000);
    for (const Packet& packet : from.crossing) {
      // Copied as a device would, by way of one contiguous buffer.
      const size_t head = packet.head().size();
      std::copy(packet.head().begin(), packet.head().end(), wire_);
      packet.body().CopyTo(MutableByteSpan(wire_).subspan(head));
      Packet copy = Packet::Copy(to.pool, ByteSpan(wire_).first(packet.size()));
      copy.offload() = packet.offload();
      to.wire.Inject({&copy, 1});
    }
    from.crossing.clear();
    while (to.link().ReadBatch(to.pool, to.in, 64, now_) > 0) {
      to.stack.OnPackets(to.interface, to.in, now_);
      to.in.clear();
    }
  }

  // What `b` sends takes a tick, so that data is in flight all the time.
  void Tick() {
    now_ += kTick;
    Drain(a_);
    Deliver(a_, b_);
    Deliver(b_, a_);
    Drain(b_);
    a_.stack.OnTimers(now_);
    b_.stack.OnTimers(now_);
  }

  void Write(End& end) {
    while (*end.stack.TcpSendCopy(end.socket, chunk_, now_) == sizeof chunk_) {
    }
    while (end.stack.NextReady()) {
    }
  }
  // In pieces of two views at most: a longer list of views is memory of whoever
  // asked for it.
  uint64_t Read(End& end) {
    uint64_t bytes = 0;
    while (size_t n = end.stack.TcpRecv(end.socket, 1448, now_)->size()) {
      bytes += n;
    }
    return bytes;
  }

  // Until each end has received `bytes` more.
  void Move(uint64_t bytes) {
    uint64_t received[2] = {};
    while (received[0] < bytes || received[1] < bytes) {
      Write(a_);
      Write(b_);
      Tick();
      received[0] += Read(a_);
      received[1] += Read(b_);
    }
  }

  // As they come to the stacks.
  uint64_t PacketsIn() const {
    return a_.stack.Stats().ip_in + b_.stack.Stats().ip_in;
  }

  void Connect() {
    const IpEndpoint address = *IpEndpoint::Parse("10.0.0.2:80");
    const SocketId listener = *b_.stack.TcpListen({.local = address});
    a_.socket = *a_.stack.TcpConnect({.remote = address}, now_);
    for (int i = 0; i < 10; ++i) Tick();
    b_.socket = *b_.stack.TcpAccept(listener);
  }

  struct Cost {
    uint64_t packets;
    uint64_t allocations;
  };
  // Of as many bytes once more.
  Cost CostOfMoving(uint64_t bytes) {
    Connect();
    Move(bytes);
    const uint64_t packets_before = PacketsIn();
    const AllocationCounter counter;
    Move(bytes);
    return {PacketsIn() - packets_before, counter.count()};
  }

  Instant now_ = Instant::FromNanoseconds(1'000'000'000);
  End a_{1, "10.0.0.1/24", GetParam()};
  End b_{2, "10.0.0.2/24", GetParam()};
  uint8_t wire_[65536];
  uint8_t chunk_[65536] = {};
};

std::string NameOf(const testing::TestParamInfo<Offloads>& info) {
  constexpr const char* kNames[] = {"OfLink", "None", "InSoftware"};
  return kNames[static_cast<size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Sim, Memory,
                         testing::Values(Offloads::kOfLink, Offloads::kNone,
                                         Offloads::kInSoftware),
                         NameOf);
// Where packets come as the link has them.
class MemoryOfPackets : public Memory {};
INSTANTIATE_TEST_SUITE_P(Sim, MemoryOfPackets,
                         testing::Values(Offloads::kOfLink, Offloads::kNone),
                         NameOf);
class MemoryOfMerged : public Memory {};
INSTANTIATE_TEST_SUITE_P(Sim, MemoryOfMerged,
                         testing::Values(Offloads::kInSoftware), NameOf);

// Blocks included: the pools have had their largest number in use by then.
TEST_P(MemoryOfPackets, NothingIsAllocatedPerPacketAfterWarmUp) {
  const Cost cost = CostOfMoving(16 << 20);
  EXPECT_GT(cost.packets, 400u);
  EXPECT_EQ(cost.allocations, 0u);
}

// The list of its views, for 45 packets on the wire.
TEST_P(MemoryOfMerged, AtMostOnceForEachMergedPacketAfterWarmUp) {
  const Cost cost = CostOfMoving(16 << 20);
  EXPECT_GT(cost.packets, 400u);
  EXPECT_LE(cost.allocations, cost.packets);
}

TEST_P(Memory, IdleConnectionsHoldNoBlocks) {
  Connect();
  Move(1 << 20);
  // What was sent is acknowledged, what came is read.
  for (int i = 0; i < 10'000; ++i) {
    Tick();
    Read(a_);
    Read(b_);
  }
  EXPECT_EQ(a_.stack.TcpGetInfo(a_.socket)->unacked_bytes, 0u);
  EXPECT_EQ(b_.pool.stats().live, 0u);
  EXPECT_EQ(a_.pool.stats().live, 0u);
}

}  // namespace
}  // namespace tcpip::sim
