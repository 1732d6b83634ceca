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
#include "tcpip/base/checksum.h"
#include "tcpip/link/gso.h"
#include "tcpip/testing/packet_builder.h"
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
    device.rx = device.tx = kAllTunOffloads;
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
  EXPECT_TRUE(with.checksum_offload);
  EXPECT_EQ(with.max_gso_bytes_ipv4, 65455u);
  EXPECT_EQ(with.max_gso_bytes_ipv6, 65455u);
  const LinkCapabilities without =
      TunQueue(Device(kernel_, false)).capabilities();
  EXPECT_FALSE(without.checksum_offload);
  EXPECT_EQ(without.max_gso_bytes_ipv4, 0u);
  EXPECT_EQ(without.max_gso_bytes_ipv6, 0u);
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

struct Shape {
  bool ipv6 = false;
  size_t payload_bytes = 0;
  uint16_t gso_size = 0;  // 0: a single packet
};

Bytes Complete(const Shape& shape) {
  return sim::Build(sim::TcpPacket{
      .from = *IpEndpoint::Parse(shape.ipv6 ? "[fd00::1]:1" : "10.0.0.1:1"),
      .to = *IpEndpoint::Parse(shape.ipv6 ? "[fd00::2]:2" : "10.0.0.2:2"),
      .seq = 77,
      .flags = wire::TcpFlags::kAck,
      .payload = PacketBytes(shape.payload_bytes)});
}

// As the stack makes it: the checksum is that of the pseudo header.
Packet Unfinished(SlabPool& pool, const Shape& shape) {
  Bytes bytes = Complete(shape);
  const uint16_t ip = shape.ipv6 ? 40 : 20;
  const size_t addresses = shape.ipv6 ? 8 : 12;
  PartialSum pseudo =
      SumBytes(ByteSpan(bytes).subspan(addresses, ip - addresses));
  constexpr uint8_t kTcp = 6;
  pseudo.AddWord(kTcp);
  pseudo.AddWord(static_cast<uint16_t>(bytes.size() - ip));
  StoreBe16(&bytes[ip + 16], pseudo.value());
  Packet packet = Outgoing(pool, bytes, ip + 20, 3);
  packet.offload().checksum = ChecksumState::kPartial;
  packet.offload().checksum_start = ip;
  packet.offload().checksum_offset = 16;
  if (shape.gso_size != 0) {
    packet.offload().gso_type = shape.ipv6 ? GsoType::kTcp6 : GsoType::kTcp4;
    packet.offload().gso_size = shape.gso_size;
  }
  return packet;
}

// What is written when it is finished before the device.
std::vector<Bytes> Frames(const Shape& shape) {
  SlabPool pool(0);
  PacketBatch pieces;
  SplitGso(Unfinished(pool, shape), pieces);
  std::vector<Bytes> frames;
  for (const Packet& piece : pieces) {
    EXPECT_TRUE(sim::Read(Flatten(piece))->checksum_valid);
    frames.push_back(WithVnet(Flatten(piece)));
  }
  return frames;
}

constexpr Shape kSuper4 = {.payload_bytes = 5001, .gso_size = 1000};
constexpr Shape kSuper6 = {
    .ipv6 = true, .payload_bytes = 5001, .gso_size = 1000};
constexpr Shape kSingle = {.payload_bytes = 800};

// [fault L01] the kernel refuses a super-segment with a short tail
TEST_F(TunQueueTest, ARefusedSuperSegmentIsCutAndNothingIsLost) {
  for (const Shape& shape : {kSuper4, kSuper6}) {
    TunQueue queue(Device(kernel_));
    kernel_.written.clear();
    kernel_.write_results = {-EINVAL};
    batch_.clear();
    batch_.push_back(Unfinished(pool_, shape));
    EXPECT_EQ(queue.WriteBatch(batch_), 1u);
    EXPECT_EQ(kernel_.written, Frames(shape));
    EXPECT_EQ(queue.counters().packets_out, 6u);
    EXPECT_EQ(queue.counters().write_errors, 0u);
    EXPECT_EQ(queue.counters().refused_offloads, 1u);
    EXPECT_EQ(queue.counters().disabled_offloads, 0u);
    EXPECT_EQ(queue.capabilities().max_gso_bytes_ipv4, 65455u);
  }
}

// [fault L06] the largest one, left to the kernel and cut here
TEST_F(TunQueueTest, TheLargestSuperSegmentHasRoomOnBothWays) {
  TunQueue queue(Device(kernel_));
  const uint32_t most = queue.capabilities().max_gso_bytes_ipv4;
  const Shape shape = {.payload_bytes = most, .gso_size = 1460};
  for (const LinkOffloads& tx : {kAllTunOffloads, LinkOffloads{}}) {
    ASSERT_TRUE(queue.SetOffloads({}, tx).ok());
    kernel_.written.clear();
    batch_.clear();
    batch_.push_back(Unfinished(pool_, shape));
    EXPECT_EQ(queue.WriteBatch(batch_), 1u);
    if (tx == LinkOffloads{}) {
      EXPECT_EQ(kernel_.written, Frames(shape));
    } else {
      ASSERT_EQ(kernel_.written.size(), 1u);
      EXPECT_EQ(kernel_.written[0].size(), 10 + 20 + 20 + most);
    }
  }
}

// [fault L01] and then it is not asked again
TEST_F(TunQueueTest, TheThirdRefusalTurnsOffTheOffloadOfThatFamily) {
  TunQueue queue(Device(kernel_));
  const std::vector<Bytes> once = Frames(kSuper4);
  std::vector<Bytes> all;
  for (int i = 0; i < 5; ++i) {
    if (i < 3) kernel_.write_results = {-EINVAL};
    batch_.clear();
    batch_.push_back(Unfinished(pool_, kSuper4));
    EXPECT_EQ(queue.WriteBatch(batch_), 1u);
    all.insert(all.end(), once.begin(), once.end());
  }
  EXPECT_EQ(kernel_.written, all);
  EXPECT_EQ(queue.counters().refused_offloads, 3u);
  EXPECT_EQ(queue.counters().disabled_offloads, 1u);
  EXPECT_EQ(queue.capabilities().max_gso_bytes_ipv4, 0u);
  EXPECT_EQ(queue.capabilities().max_gso_bytes_ipv6, 65455u);
  EXPECT_TRUE(queue.capabilities().checksum_offload);
  EXPECT_EQ(queue.capabilities().refused, (LinkOffloads{.tso4 = true}));
  EXPECT_EQ(queue.offloads().tx,
            (LinkOffloads{.checksum = true, .tso6 = true}));
  // Whoever switches it on again may hear of it again.
  ASSERT_TRUE(queue.SetOffloads(kAllTunOffloads, kAllTunOffloads).ok());
  EXPECT_EQ(queue.capabilities().refused, LinkOffloads{});
}

TEST_F(TunQueueTest, RefusedChecksumsTurnOffAll) {
  TunQueue queue(Device(kernel_));
  for (int i = 0; i < 4; ++i) {
    if (i < 3) kernel_.write_results = {-EINVAL};
    kernel_.written.clear();
    batch_.clear();
    batch_.push_back(Unfinished(pool_, kSingle));
    EXPECT_EQ(queue.WriteBatch(batch_), 1u);
    EXPECT_EQ(kernel_.written, Frames(kSingle));
  }
  EXPECT_EQ(queue.capabilities(), LinkCapabilities{.refused = kAllTunOffloads});
  EXPECT_EQ(queue.counters().write_errors, 0u);
}

// Wherever the device is full, order and bytes are those of the whole.
TEST_F(TunQueueTest, AFullDeviceBetweenTwoPiecesLosesNothing) {
  std::vector<Bytes> want = Frames(kSuper4);
  const size_t pieces = want.size();
  want.push_back(WithVnet(PacketBytes(60)));
  for (size_t full_at = 0; full_at < pieces; ++full_at) {
    FakeKernel kernel;
    TunQueue queue(Device(kernel));
    ASSERT_TRUE(queue.SetOffloads({}, {}).ok());
    batch_.clear();
    batch_.push_back(Unfinished(pool_, kSuper4));
    batch_.push_back(Outgoing(pool_, PacketBytes(60), 60, 0));
    kernel.write_results.assign(full_at, 0);
    kernel.write_results.push_back(-EAGAIN);
    kernel.write_results.push_back(-EAGAIN);
    EXPECT_EQ(queue.WriteBatch(batch_), 0u) << full_at;
    EXPECT_EQ(queue.WriteBatch(batch_), 0u) << full_at;
    EXPECT_EQ(kernel.written.size(), full_at);
    EXPECT_EQ(queue.WriteBatch(batch_), 2u) << full_at;
    EXPECT_EQ(kernel.written, want) << full_at;
    EXPECT_EQ(queue.counters().packets_out, pieces + 1);
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
  EXPECT_EQ(queue.capabilities().max_gso_bytes_ipv4, 0u);
  EXPECT_EQ(queue.capabilities().max_gso_bytes_ipv6, 65455u);
  EXPECT_EQ(queue.offloads(), (SwitchedOffloads{{.checksum = true}, no_tso4}));
  // A connection that was open before goes on as it was.
  batch_.push_back(Unfinished(pool_, kSuper4));
  EXPECT_EQ(queue.WriteBatch(batch_), 1u);
  EXPECT_EQ(kernel_.written, Frames(kSuper4));

  ASSERT_TRUE(queue.SetOffloads(kAllTunOffloads, kAllTunOffloads).ok());
  EXPECT_EQ(asked, uintptr_t{TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6});
  EXPECT_EQ(queue.capabilities().max_gso_bytes_ipv4, 65455u);
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
  EXPECT_TRUE(queue.Reopen());
  EXPECT_EQ(asked, uintptr_t{TUN_F_CSUM});
}

TEST_F(TunQueueTest, OffloadsThatCannotBeAreRefused) {
  TunQueue queue(Device(kernel_));
  EXPECT_EQ(queue.SetOffloads({.tso4 = true}, {}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(queue.SetOffloads({}, {.tso6 = true}).code(),
            absl::StatusCode::kInvalidArgument);
  kernel_.tun_answers[TUNSETOFFLOAD] = [](void*) { return -EINVAL; };
  EXPECT_EQ(queue.SetOffloads(kAllTunOffloads, {}).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(queue.capabilities().checksum_offload);
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
