#include "tcpip/tun/tun_queue.h"

#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/tun/fake_tun_io.h"
#include "tcpip/tun/tun_offload.h"
#include "tcpip/wire/virtio_net.h"

namespace tcpip {
namespace {

using sim::Bytes;
using sim::Flatten;

constexpr Instant kNow = Instant::FromNanoseconds(1234);

TunDevice Device(FakeKernel& kernel, bool offload = true) {
  TunDevice device;
  device.io = std::make_unique<FakeTunIo>(kernel);
  device.attachment = {"nst0", IFF_TUN | IFF_NO_PI};
  if (offload) {
    device.attachment.flags |= IFF_VNET_HDR;
    device.rx = device.tx = kAllOffloads;
  }
  return device;
}

// An "IPv4 packet" of n bytes whose bytes tell their position.
Bytes PacketBytes(size_t n) {
  Bytes bytes(n);
  for (size_t i = 0; i < n; ++i) bytes[i] = static_cast<uint8_t>(i % 251);
  if (n > 0) bytes[0] = 0x45;
  return bytes;
}

Bytes WithVnet(Bytes packet, wire::VirtioNetHeader header = {}) {
  Bytes frame(wire::kVirtioNetHeaderSize);
  wire::StoreVirtioNet(header, frame.data());
  frame.insert(frame.end(), packet.begin(), packet.end());
  return frame;
}

class TunQueueTest : public testing::Test {
 protected:
  void Readable(Bytes frame) { kernel_.readable.push_back({std::move(frame)}); }

  FakeKernel kernel_;
  SlabPool pool_{0};
  PacketBatch batch_;
};

TEST_F(TunQueueTest, CapabilitiesFollowTheDevice) {
  const LinkCapabilities with = TunQueue(Device(kernel_)).capabilities();
  EXPECT_EQ(with.mtu, 1500u);
  EXPECT_EQ(with.tx, kAllOffloads);
  EXPECT_EQ(with.max_gso_bytes, kMaxGsoPayload);
  const LinkCapabilities without =
      TunQueue(Device(kernel_, false)).capabilities();
  EXPECT_EQ(without.tx, LinkOffloads{});
}

TEST_F(TunQueueTest, ReadsUntilNothingWaits) {
  TunQueue queue(Device(kernel_));
  Readable(WithVnet(PacketBytes(40)));
  Readable(WithVnet(PacketBytes(1500)));
  EXPECT_EQ(queue.ReadBatch(pool_, batch_, 64, kNow), 2u);
  ASSERT_EQ(batch_.size(), 2u);
  EXPECT_EQ(Flatten(batch_[0]), PacketBytes(40));
  EXPECT_EQ(Flatten(batch_[1]), PacketBytes(1500));
  EXPECT_EQ(batch_[1].ingress(), kNow);
  EXPECT_EQ(queue.counters().packets_in, 2u);
  EXPECT_EQ(queue.counters().bytes_in, 1540u);
  EXPECT_EQ(queue.ReadBatch(pool_, batch_, 64, kNow), 0u);
  EXPECT_EQ(queue.counters().read_errors, 0u);
}

TEST_F(TunQueueTest, PlainDeviceHasNoHeader) {
  TunQueue queue(Device(kernel_, false));
  Readable(PacketBytes(60));
  ASSERT_EQ(queue.ReadBatch(pool_, batch_, 64, kNow), 1u);
  EXPECT_EQ(Flatten(batch_[0]), PacketBytes(60));
  EXPECT_EQ(batch_[0].offload().checksum, ChecksumState::kUnverified);
}

TEST_F(TunQueueTest, StopsAtMaxAndLosesNothing) {
  TunQueue queue(Device(kernel_));
  for (size_t n = 40; n < 45; ++n) Readable(WithVnet(PacketBytes(n)));
  EXPECT_EQ(queue.ReadBatch(pool_, batch_, 3, kNow), 3u);
  EXPECT_EQ(queue.ReadBatch(pool_, batch_, 3, kNow), 2u);
  ASSERT_EQ(batch_.size(), 5u);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(batch_[i].size(), 40 + i);
}

TEST_F(TunQueueTest, HeadKeepsItsHeadroom) {
  TunQueue queue(Device(kernel_));
  Readable(WithVnet(PacketBytes(100)));
  ASSERT_EQ(queue.ReadBatch(pool_, batch_, 1, kNow), 1u);
  EXPECT_EQ(batch_[0].head_view().headroom(), kPacketHeadroom);
}

// [fault L11]
TEST_F(TunQueueTest, SizesUpToTheLargestComeBackWhole) {
  TunQueue queue(Device(kernel_));
  for (size_t n :
       {20, 1919, 1920, 1921, 3968, 3969, 18304, 18305, 65535, 65575}) {
    batch_.clear();
    Readable(WithVnet(PacketBytes(n)));
    ASSERT_EQ(queue.ReadBatch(pool_, batch_, 1, kNow), 1u) << n;
    EXPECT_EQ(Flatten(batch_[0]), PacketBytes(n)) << n;
  }
}

// A packet keeps no more memory alive than its size asks for.
TEST_F(TunQueueTest, FewBytesNeverPinALargeBlock) {
  struct Row {
    size_t packet_bytes;
    size_t pinned_body;
  };
  const Row rows[] = {{40, 0},        {1920, 0},     {1921, 2048},
                      {3968, 2048},   {3969, 16384}, {18304, 16384},
                      {18305, 65536}, {65535, 65536}};
  TunQueue queue(Device(kernel_));
  for (const Row& row : rows) {
    batch_.clear();
    Readable(WithVnet(PacketBytes(row.packet_bytes)));
    ASSERT_EQ(queue.ReadBatch(pool_, batch_, 1, kNow), 1u);
    EXPECT_EQ(batch_[0].body().pinned_bytes(), row.pinned_body)
        << row.packet_bytes;
    EXPECT_EQ(pool_.stats().live_bytes, 2048 + row.pinned_body)
        << row.packet_bytes;
  }
}

TEST_F(TunQueueTest, SuperSegmentCarriesItsFacts) {
  TunQueue queue(Device(kernel_));
  Readable(
      WithVnet(PacketBytes(30000), {.flags = wire::VirtioNetHeader::kNeedsCsum,
                                    .gso_type = wire::VirtioNetHeader::kGsoTcp4,
                                    .hdr_len = 52,
                                    .gso_size = 1448,
                                    .csum_start = 20,
                                    .csum_offset = 16}));
  ASSERT_EQ(queue.ReadBatch(pool_, batch_, 1, kNow), 1u);
  EXPECT_EQ(batch_[0].offload().gso_type, GsoType::kTcp4);
  EXPECT_EQ(batch_[0].offload().gso_size, 1448);
  EXPECT_EQ(batch_[0].offload().checksum, ChecksumState::kPartial);
}

// [fault L10] frames of every length below a packet's
TEST_F(TunQueueTest, ShortFramesAreCountedAndDropped) {
  TunQueue queue(Device(kernel_));
  for (size_t n = 0; n < 30; ++n) Readable(Bytes(n, 0x45));
  Readable(WithVnet(PacketBytes(20)));
  EXPECT_EQ(queue.ReadBatch(pool_, batch_, 64, kNow), 1u);
  EXPECT_EQ(queue.counters().bad_frames_in, 30u);
  EXPECT_EQ(queue.counters().packets_in, 1u);
}

TEST_F(TunQueueTest, NonsenseHeaderIsCountedAndDropped) {
  TunQueue queue(Device(kernel_));
  Readable(WithVnet(PacketBytes(40), {.gso_type = 77}));
  Readable(WithVnet(PacketBytes(40)));
  EXPECT_EQ(queue.ReadBatch(pool_, batch_, 64, kNow), 1u);
  EXPECT_EQ(queue.counters().bad_frames_in, 1u);
}

TEST_F(TunQueueTest, DroppedFramesCountAgainstTheBatch) {
  TunQueue queue(Device(kernel_));
  for (int i = 0; i < 100; ++i) Readable(Bytes{});
  EXPECT_EQ(queue.ReadBatch(pool_, batch_, 8, kNow), 0u);
  EXPECT_EQ(queue.counters().bad_frames_in, 8u);
}

// [fault L11] [fault L12] what came before the error is not lost
TEST_F(TunQueueTest, ReadErrorIsCountedAndInterruptRetried) {
  TunQueue queue(Device(kernel_));
  kernel_.readable.push_back({{}, EINTR});
  Readable(WithVnet(PacketBytes(40)));
  kernel_.readable.push_back({{}, EBADFD});
  EXPECT_EQ(queue.ReadBatch(pool_, batch_, 64, kNow), 1u);
  EXPECT_EQ(queue.counters().read_errors, 1u);
}

// A packet as the stack sends it: headers in the head, payload in `views`.
Packet Outgoing(SlabPool& pool, const Bytes& bytes, size_t head_bytes,
                size_t views) {
  Packet packet = Packet::WithHeadroom(pool);
  const ByteSpan all(bytes);
  std::copy_n(all.data(), head_bytes,
              packet.AppendToHead(static_cast<uint32_t>(head_bytes)).data());
  ViewChain body;
  ByteSpan rest = all.subspan(head_bytes);
  for (size_t i = 0; i < views; ++i) {
    const size_t n = i + 1 == views ? rest.size() : rest.size() / (views - i);
    body.Append(View::Copy(pool, rest.first(n)));
    rest = rest.subspan(n);
  }
  packet.SetBody(std::move(body));
  return packet;
}

TEST_F(TunQueueTest, WriteGathersHeaderHeadAndBody) {
  TunQueue queue(Device(kernel_));
  batch_.push_back(Outgoing(pool_, PacketBytes(9000), 52, 3));
  batch_[0].offload() = {.gso_type = GsoType::kTcp4,
                         .gso_size = 1448,
                         .checksum = ChecksumState::kPartial,
                         .checksum_start = 20,
                         .checksum_offset = 16};
  EXPECT_EQ(queue.WriteBatch(batch_), 1u);
  ASSERT_EQ(kernel_.written.size(), 1u);
  EXPECT_EQ(kernel_.iovec_counts[0], 5u);
  const Bytes& frame = kernel_.written[0];
  const wire::VirtioNetHeader header = wire::LoadVirtioNet(frame.data());
  EXPECT_EQ(header.flags, wire::VirtioNetHeader::kNeedsCsum);
  EXPECT_EQ(header.gso_type, wire::VirtioNetHeader::kGsoTcp4);
  EXPECT_EQ(header.gso_size, 1448);
  EXPECT_EQ(Bytes(frame.begin() + 10, frame.end()), PacketBytes(9000));
  EXPECT_EQ(queue.counters().packets_out, 1u);
  EXPECT_EQ(queue.counters().bytes_out, 9000u);
}

TEST_F(TunQueueTest, PlainWriteHasNoHeader) {
  TunQueue queue(Device(kernel_, false));
  batch_.push_back(Outgoing(pool_, PacketBytes(60), 60, 0));
  EXPECT_EQ(queue.WriteBatch(batch_), 1u);
  EXPECT_EQ(kernel_.written[0], PacketBytes(60));
}

TEST_F(TunQueueTest, ManyViewsAreGatheredIntoTheLastIovec) {
  TunQueue queue(Device(kernel_));
  for (size_t views : {61, 62, 63, 500}) {
    batch_.clear();
    kernel_.written.clear();
    batch_.push_back(Outgoing(pool_, PacketBytes(20000), 40, views));
    EXPECT_EQ(queue.WriteBatch(batch_), 1u);
    EXPECT_LE(kernel_.iovec_counts.back(), 64u);
    const Bytes& frame = kernel_.written[0];
    EXPECT_EQ(Bytes(frame.begin() + 10, frame.end()), PacketBytes(20000))
        << views;
  }
}

TEST_F(TunQueueTest, FullDeviceLeavesTheRestWithTheCaller) {
  TunQueue queue(Device(kernel_));
  for (int i = 0; i < 3; ++i) {
    batch_.push_back(Outgoing(pool_, PacketBytes(60), 60, 0));
  }
  kernel_.write_results = {0, -EAGAIN};
  EXPECT_EQ(queue.WriteBatch(batch_), 1u);
  EXPECT_EQ(queue.counters().packets_out, 1u);
  EXPECT_EQ(queue.counters().write_errors, 0u);
}

// [fault L12] an error costs one packet, is counted, and the rest goes on
TEST_F(TunQueueTest, DeviceErrorsCostOnePacketEach) {
  TunQueue queue(Device(kernel_));
  for (int i = 0; i < 6; ++i) {
    batch_.push_back(Outgoing(pool_, PacketBytes(60), 60, 0));
  }
  kernel_.write_results = {-ENOBUFS, -ENOMEM, -EINTR, -EMSGSIZE, -EINVAL};
  EXPECT_EQ(queue.WriteBatch(batch_), 6u);
  EXPECT_EQ(queue.counters().write_errors, 4u);
  EXPECT_EQ(queue.counters().packets_out, 2u);
}

// --- What the kernel does not finish

// Owes a checksum, and segmentation where `gso_type` says so.
Packet Unfinished(SlabPool& pool, GsoType gso_type) {
  Packet packet = Outgoing(pool, PacketBytes(5000), 40, 3);
  packet.offload() = {
      .gso_type = gso_type,
      .gso_size = static_cast<uint16_t>(gso_type == GsoType::kNone ? 0 : 1000),
      .checksum = ChecksumState::kPartial,
      .checksum_start = 20,
      .checksum_offset = 16};
  return packet;
}

// [fault L01] once or twice it is borne, by the packet refused alone
TEST_F(TunQueueTest, WhatTheKernelRefusesIsNotTakenAndNotClaimed) {
  TunQueue queue(Device(kernel_));
  batch_.push_back(Outgoing(pool_, PacketBytes(60), 60, 0));
  batch_.push_back(Unfinished(pool_, GsoType::kTcp4));
  batch_.push_back(Outgoing(pool_, PacketBytes(60), 60, 0));
  for (int i = 0; i < 2; ++i) {
    kernel_.write_results = {0, -EINVAL};
    EXPECT_EQ(queue.WriteBatch(batch_), 1u);
    EXPECT_EQ(queue.capabilities().tx,
              (LinkOffloads{.checksum = true, .tso6 = true}));
    EXPECT_EQ(queue.WriteBatch(std::span(batch_).subspan(1)), 0u);
    EXPECT_EQ(queue.WriteBatch(std::span(batch_).subspan(2)), 1u);
    EXPECT_EQ(queue.capabilities().tx, kAllOffloads);
    EXPECT_EQ(queue.refused(), LinkOffloads{});
  }
  EXPECT_EQ(queue.counters().packets_out, 4u);
  EXPECT_EQ(queue.counters().write_errors, 0u);
}

struct RefusalCase {
  GsoType type;
  LinkOffloads refused;
  LinkOffloads left;
};
const RefusalCase kRefusals[] = {
    {GsoType::kNone, kAllOffloads, {}},
    {GsoType::kTcp4, {.tso4 = true}, {.checksum = true, .tso6 = true}},
    {GsoType::kTcp6, {.tso6 = true}, {.checksum = true, .tso4 = true}}};

// [fault L01] and then it is not asked again
TEST_F(TunQueueTest, TheThirdRefusalTurnsOffWhatThePacketNeeded) {
  for (const RefusalCase& c : kRefusals) {
    TunQueue queue(Device(kernel_));
    PacketBatch packets;
    packets.push_back(Unfinished(pool_, c.type));
    packets.push_back(Outgoing(pool_, PacketBytes(60), 60, 0));
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(queue.refused(), LinkOffloads{});
      kernel_.write_results = {-EINVAL};
      EXPECT_EQ(queue.WriteBatch(packets), 0u);
      EXPECT_EQ(queue.WriteBatch(std::span(packets).last(1)), 1u);
    }
    EXPECT_EQ(queue.capabilities().tx, c.left);
    EXPECT_EQ(queue.refused(), c.refused);
    EXPECT_EQ(queue.counters().refused_offloads, 3u);
    EXPECT_EQ(queue.counters().disabled_offloads, 1u);
    // Whoever switches it on again may hear of it again.
    ASSERT_TRUE(queue.SetOffloads(kAllOffloads, kAllOffloads).ok());
    EXPECT_EQ(queue.refused(), LinkOffloads{});
    EXPECT_EQ(queue.WriteBatch(packets), 2u);
  }
}

// [fault L02] at run time, each way and feature by itself
TEST_F(TunQueueTest, OffloadsCanBeSwitched) {
  TunQueue queue(Device(kernel_));
  uintptr_t asked = 99;
  kernel_.tun_answers[TUNSETOFFLOAD] = [&](void* argument) {
    asked = reinterpret_cast<uintptr_t>(argument);
    return 0;
  };
  const LinkOffloads no_tso4 = {.checksum = true, .tso6 = true};
  ASSERT_TRUE(queue.SetOffloads({.checksum = true}, no_tso4).ok());
  EXPECT_EQ(asked, uintptr_t{TUN_F_CSUM});
  EXPECT_EQ(queue.capabilities().tx, no_tso4);
  EXPECT_EQ(queue.offloads(), (SwitchedOffloads{{.checksum = true}, no_tso4}));
  batch_.push_back(Unfinished(pool_, GsoType::kTcp4));
  EXPECT_EQ(queue.WriteBatch(batch_), 0u);

  ASSERT_TRUE(queue.SetOffloads(kAllOffloads, kAllOffloads).ok());
  EXPECT_EQ(asked, uintptr_t{TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6});
  EXPECT_EQ(queue.capabilities().tx, kAllOffloads);
}

// [fault L12] each queue of a device was told, and may be the one that asks
TEST_F(TunQueueTest, ADeviceThatCameBackHasTheOffloadsThatWereSwitched) {
  TunQueue queue(Device(kernel_));
  ASSERT_TRUE(queue.SetOffloads({.checksum = true}, {}).ok());
  uintptr_t asked = 99;
  kernel_.tun_answers[TUNSETOFFLOAD] = [&](void* argument) {
    asked = reinterpret_cast<uintptr_t>(argument);
    return 0;
  };
  EXPECT_TRUE(queue.Reopen().ok());
  EXPECT_EQ(asked, uintptr_t{TUN_F_CSUM});
}

TEST_F(TunQueueTest, OffloadsThatCannotBeAreRefused) {
  TunQueue queue(Device(kernel_));
  EXPECT_EQ(queue.SetOffloads({.tso4 = true}, {}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(queue.SetOffloads({}, {.tso6 = true}).code(),
            absl::StatusCode::kInvalidArgument);
  kernel_.tun_answers[TUNSETOFFLOAD] = [](void*) { return -EINVAL; };
  EXPECT_EQ(queue.SetOffloads(kAllOffloads, {}).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(queue.capabilities().tx, kAllOffloads);
  EXPECT_EQ(TunQueue(Device(kernel_, false)).SetOffloads({}, {}).code(),
            absl::StatusCode::kFailedPrecondition);
}

// --- A device that is full, down or gone

// [fault P09] 10 MB at once into a device that takes 64 packets at a time
TEST_F(TunQueueTest, ABurstWaitsAndNothingIsDropped) {
  constexpr size_t kPackets = 10'000'000 / 1500, kRoom = 64;
  TunQueue queue(Device(kernel_));
  for (size_t i = 0; i < kPackets; ++i) {
    Bytes bytes(1500);
    StoreBe32(&bytes[40], static_cast<uint32_t>(i));
    batch_.push_back(Outgoing(pool_, bytes, 40, 1));
  }
  std::span<Packet> rest(batch_);
  while (!rest.empty()) {
    kernel_.write_results.assign(kRoom, 0);
    kernel_.write_results.push_back(-EAGAIN);
    const size_t taken = queue.WriteBatch(rest);
    EXPECT_EQ(taken, std::min(kRoom, rest.size()));
    rest = rest.subspan(taken);
  }
  ASSERT_EQ(kernel_.written.size(), kPackets);
  for (size_t i = 0; i < kPackets; ++i) {
    ASSERT_EQ(LoadBe32(&kernel_.written[i][10 + 40]), i);
  }
  EXPECT_EQ(queue.counters().packets_out, kPackets);
  EXPECT_EQ(queue.counters().write_errors, 0u);
}

// [fault O06] [fault L12]
TEST_F(TunQueueTest, APacketWaitsForADeviceThatIsDownOrGone) {
  kernel_.interface_answers[SIOCGIFFLAGS] = [](ifreq& r) {
    r.ifr_flags = 0;
    return 0;
  };
  for (const int error : {EIO, ENETDOWN, EBADFD}) {
    TunQueue queue(Device(kernel_));
    kernel_.written.clear();
    batch_.clear();
    for (int i = 0; i < 3; ++i) {
      batch_.push_back(Outgoing(pool_, PacketBytes(60), 60, 0));
    }
    kernel_.write_results = {0, -error};
    EXPECT_EQ(queue.WriteBatch(batch_), 1u) << error;
    EXPECT_EQ(queue.counters().down, 1u);
    EXPECT_EQ(queue.WriteBatch(std::span(batch_).subspan(1)), 2u);
    EXPECT_EQ(kernel_.written.size(), 3u);
    EXPECT_EQ(queue.counters().write_errors, 0u);
  }
}

// [fault L12] its name goes before our descriptor is told
TEST_F(TunQueueTest, ADeviceThatIsBeingDeletedKeepsItsPackets) {
  kernel_.interface_answers[SIOCGIFFLAGS] = [](ifreq&) { return -ENODEV; };
  TunQueue queue(Device(kernel_));
  batch_.push_back(Outgoing(pool_, PacketBytes(60), 60, 0));
  kernel_.write_results = {-EIO};
  EXPECT_EQ(queue.WriteBatch(batch_), 0u);
  EXPECT_EQ(queue.counters().write_errors, 0u);
  EXPECT_EQ(queue.counters().down, 1u);
}

// Else the writer would spin: the device says that it has room.
TEST_F(TunQueueTest, EioOfADeviceThatIsUpCostsThePacket) {
  kernel_.interface_answers[SIOCGIFFLAGS] = [](ifreq& r) {
    r.ifr_flags = IFF_UP;
    return 0;
  };
  TunQueue queue(Device(kernel_));
  batch_.push_back(Outgoing(pool_, PacketBytes(60), 60, 0));
  kernel_.write_results = {-EIO};
  EXPECT_EQ(queue.WriteBatch(batch_), 1u);
  EXPECT_EQ(queue.counters().write_errors, 1u);
  EXPECT_EQ(queue.counters().packets_out, 0u);
}

TEST_F(TunQueueTest, TheMtuIsFollowed) {
  TunQueue queue(Device(kernel_));
  EXPECT_EQ(queue.capabilities().mtu, 1500u);
  kernel_.interface_answers[SIOCGIFMTU] = [](ifreq& r) {
    r.ifr_mtu = 1280;
    return 0;
  };
  queue.Refresh();
  EXPECT_EQ(queue.capabilities().mtu, 1280u);
  kernel_.interface_answers[SIOCGIFMTU] = [](ifreq&) { return -ENODEV; };
  queue.Refresh();
  EXPECT_EQ(queue.capabilities().mtu, 1280u);
}

TEST_F(TunQueueTest, DropsOfTheKernelAreShown) {
  kernel_.drops = 12;
  EXPECT_EQ(TunQueue(Device(kernel_)).counters().drops_in, 12u);
}

}  // namespace
}  // namespace tcpip
