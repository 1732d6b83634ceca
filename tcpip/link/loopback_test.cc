#include "tcpip/link/loopback.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

constexpr Instant kNow = Instant::FromNanoseconds(99);

PacketBatch Packets(SlabPool& pool, size_t first_size, size_t count) {
  PacketBatch batch;
  for (size_t i = 0; i < count; ++i) {
    batch.push_back(
        Packet::Copy(pool, std::vector<uint8_t>(first_size + i, 0x45)));
  }
  return batch;
}

TEST(Loopback, WhatIsWrittenIsReadBackInOrder) {
  SlabPool pool(0);
  Loopback mirror;
  PacketBatch out = Packets(pool, 20, 5);
  EXPECT_EQ(mirror.WriteBatch(out), 5u);
  PacketBatch in;
  EXPECT_EQ(mirror.ReadBatch(pool, in, 3, kNow), 3u);
  EXPECT_EQ(mirror.ReadBatch(pool, in, 3, kNow), 2u);
  EXPECT_EQ(mirror.ReadBatch(pool, in, 3, kNow), 0u);
  ASSERT_EQ(in.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(in[i].size(), 20 + i);
    EXPECT_EQ(in[i].ingress(), kNow);
  }
  EXPECT_EQ(mirror.counters().packets_out, 5u);
  EXPECT_EQ(mirror.counters().packets_in, 5u);
  EXPECT_EQ(mirror.counters().bytes_in, 20u + 21 + 22 + 23 + 24);
}

TEST(Loopback, FactsAndViewsPassThroughUncopied) {
  SlabPool pool(0);
  Loopback mirror;
  PacketBatch out = Packets(pool, 9000, 1);
  out[0].offload() = {.gso_type = GsoType::kTcp4,
                      .gso_size = 1448,
                      .checksum = ChecksumState::kPartial};
  const uint8_t* body = out[0].body().view(0).data();
  ASSERT_EQ(mirror.WriteBatch(out), 1u);
  PacketBatch in;
  ASSERT_EQ(mirror.ReadBatch(pool, in, 1, kNow), 1u);
  EXPECT_EQ(in[0].offload().gso_size, 1448);
  EXPECT_EQ(in[0].offload().checksum, ChecksumState::kPartial);
  EXPECT_EQ(in[0].body().view(0).data(), body);
}

// [fault P09] a full queue pushes back, it does not drop
TEST(Loopback, FullMirrorLeavesTheRestWithTheWriter) {
  SlabPool pool(0);
  Loopback mirror(4);
  PacketBatch out = Packets(pool, 20, 6);
  EXPECT_EQ(mirror.WriteBatch(out), 4u);
  EXPECT_EQ(out[4].size(), 24u);
  EXPECT_EQ(mirror.WriteBatch({&out[4], 2}), 0u);
  PacketBatch in;
  EXPECT_EQ(mirror.ReadBatch(pool, in, 1, kNow), 1u);
  EXPECT_EQ(mirror.WriteBatch({&out[4], 2}), 1u);
  EXPECT_EQ(mirror.ReadBatch(pool, in, 64, kNow), 4u);
  ASSERT_EQ(in.size(), 5u);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(in[i].size(), 20 + i);
}

TEST(Loopback, IsNotPolled) { EXPECT_EQ(Loopback().poll_fd(), -1); }

}  // namespace
}  // namespace tcpip
