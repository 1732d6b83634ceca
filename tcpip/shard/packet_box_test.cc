#include "tcpip/shard/packet_box.h"

#include <poll.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/testing/counting_allocator.h"

namespace tcpip {
namespace {

std::vector<uint8_t> Pattern(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  return bytes;
}

HandedOverPacket MakeHandedOver(SlabPool& pool, size_t size) {
  return {
      .owner = 1, .ingress = 3, .packet = Packet::Copy(pool, Pattern(size))};
}

bool IsReadable(int fd) {
  pollfd poll_fd = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&poll_fd, 1, 0) == 1;
}

TEST(PacketBox, APacketArrivesWithAllThatIsKnownOfIt) {
  SlabPool sender;
  SlabPool owner;
  PacketBox box(1 << 20);
  // One block, two blocks, and nothing.
  for (const size_t size : {size_t{40}, size_t{60'000}, size_t{0}}) {
    HandedOverPacket handed_over = MakeHandedOver(sender, size);
    handed_over.packet.set_ingress(Instant::FromNanoseconds(77));
    handed_over.packet.offload() = {.gso_type = GsoType::kTcp6,
                                    .gso_size = 1440,
                                    .checksum = ChecksumState::kPartial,
                                    .checksum_start = 40,
                                    .checksum_offset = 16};
    ASSERT_TRUE(box.TryPush(handed_over));
  }
  EXPECT_EQ(sender.stats().live, 0u);
  PackedPackets packed;
  box.PopAll(packed);
  std::vector<size_t> sizes;
  packed.UnpackAll(owner, [&sizes](InterfaceId interface, Packet packet) {
    EXPECT_EQ(interface, 3);
    EXPECT_EQ(packet.ingress(), Instant::FromNanoseconds(77));
    EXPECT_EQ(packet.offload().gso_type, GsoType::kTcp6);
    EXPECT_EQ(packet.offload().gso_size, 1440);
    EXPECT_EQ(packet.offload().checksum, ChecksumState::kPartial);
    EXPECT_EQ(packet.offload().checksum_start, 40);
    EXPECT_EQ(packet.offload().checksum_offset, 16);
    sizes.push_back(packet.size());
    ViewChain payload = packet.TakePayload();
    std::vector<uint8_t> bytes(payload.size());
    payload.CopyTo(bytes);
    EXPECT_EQ(bytes, Pattern(bytes.size()));
  });
  EXPECT_EQ(sizes, (std::vector<size_t>{40, 60'000, 0}));
  EXPECT_TRUE(packed.empty());
}

TEST(PacketBox, AFullOneTakesNothingUntilItIsEmptied) {
  SlabPool pool;
  PacketBox box(10'000);
  const HandedOverPacket packet = MakeHandedOver(pool, 1000);
  int taken = 0;
  while (box.TryPush(packet)) ++taken;
  EXPECT_GE(taken, 8);
  EXPECT_LE(taken, 10);
  EXPECT_FALSE(box.TryPush(packet));
  PackedPackets packed;
  box.PopAll(packed);
  EXPECT_TRUE(box.TryPush(packet));
  packed.UnpackAll(pool, [&taken](InterfaceId, Packet) { --taken; });
  EXPECT_EQ(taken, 0);
}

TEST(PacketBox, EmptyPacketsFillItToo) {
  SlabPool pool;
  PacketBox box(10'000);
  const HandedOverPacket packet = MakeHandedOver(pool, 0);
  int taken = 0;
  while (box.TryPush(packet)) ASSERT_LT(++taken, 10'000);
}

TEST(PacketBox, WakesItsOwnerWhilePacketsWait) {
  SlabPool pool;
  PacketBox box(10'000);
  PackedPackets packed;
  EXPECT_FALSE(IsReadable(box.wake_fd()));
  EXPECT_TRUE(box.TryPush(MakeHandedOver(pool, 100)));
  EXPECT_TRUE(box.TryPush(MakeHandedOver(pool, 100)));
  EXPECT_TRUE(IsReadable(box.wake_fd()));
  box.PopAll(packed);
  EXPECT_FALSE(IsReadable(box.wake_fd()));
  packed.UnpackAll(pool, [](InterfaceId, Packet) {});
  EXPECT_TRUE(box.TryPush(MakeHandedOver(pool, 100)));
  EXPECT_TRUE(IsReadable(box.wake_fd()));
}

TEST(PacketBox, AllocatesNothingPerPacketOnceWarm) {
  SlabPool sender;
  SlabPool owner;
  PacketBox box(1 << 20);
  PackedPackets packed;
  const HandedOverPacket packet = MakeHandedOver(sender, 60'000);
  const auto round = [&] {
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(box.TryPush(packet));
    box.PopAll(packed);
    packed.UnpackAll(owner, [](InterfaceId, Packet) {});
  };
  round();
  round();  // the other buffer of the two
  const sim::AllocationCounter counter;
  round();
  round();
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace tcpip
