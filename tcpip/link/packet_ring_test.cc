#include "tcpip/link/packet_ring.h"

#include <vector>

#include "gtest/gtest.h"
#include "tcpip/buffer/slab.h"

namespace tcpip {
namespace {

PacketBatch Packets(SlabPool& pool, const std::vector<size_t>& sizes) {
  PacketBatch batch;
  for (const size_t size : sizes) {
    batch.push_back(Packet::Copy(pool, std::vector<uint8_t>(size)));
  }
  return batch;
}

std::vector<size_t> Sizes(const PacketBatch& batch) {
  std::vector<size_t> sizes;
  for (const Packet& packet : batch) sizes.push_back(packet.size());
  return sizes;
}

TEST(PacketRing, KeepsOrderAroundItsEnd) {
  SlabPool pool(0);
  PacketRing ring(3);
  PacketBatch out;
  PacketBatch first = Packets(pool, {1, 2});
  EXPECT_EQ(ring.Push(first), 2u);
  EXPECT_EQ(ring.Pop(out, 1), 1u);
  PacketBatch more = Packets(pool, {3, 4});
  EXPECT_EQ(ring.Push(more), 2u);
  EXPECT_EQ(ring.Pop(out, 9), 3u);
  EXPECT_EQ(ring.Pop(out, 9), 0u);
  EXPECT_EQ(Sizes(out), (std::vector<size_t>{1, 2, 3, 4}));
}

// [fault P09] what finds no room stays with the caller
TEST(PacketRing, TakesNoMoreThanItHolds) {
  SlabPool pool(0);
  PacketRing ring(2);
  PacketBatch packets = Packets(pool, {1, 2, 3});
  EXPECT_EQ(ring.Push(packets), 2u);
  EXPECT_EQ(packets[2].size(), 3u);
  EXPECT_EQ(ring.room(), 0u);
}

TEST(PacketRing, KeepsNoMemoryOfWhatIsGone) {
  SlabPool pool(0);
  PacketRing ring(4);
  PacketBatch packets = Packets(pool, {1, 2});
  ring.Push(packets);
  packets.clear();
  PacketBatch out;
  ring.Pop(out, 2);
  out.clear();
  EXPECT_EQ(pool.stats().live, 0u);
}

}  // namespace
}  // namespace tcpip
