// What a device does not finish, with what stands in front of it in a shard:
// nothing is lost, in whatever order it refuses, is full, or is switched.
#include <linux/if_tun.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/gso.h"
#include "tcpip/link/link.h"
#include "tcpip/link/software_offload.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/tun/fake_tun_io.h"
#include "tcpip/tun/tun_device.h"
#include "tcpip/tun/tun_queue.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/virtio_net.h"

namespace tcpip {
namespace {

using sim::Bytes;
using sim::Flatten;

struct Shape {
  bool ipv6 = false;
  uint32_t payload_bytes = 0;
  uint16_t gso_size = 0;  // 0: a single packet
};
constexpr Shape kSuper4 = {.payload_bytes = 5001, .gso_size = 1000};
constexpr Shape kSuper6 = {
    .ipv6 = true, .payload_bytes = 5001, .gso_size = 1000};
constexpr Shape kSingle = {.payload_bytes = 800};

// As the stack makes it: the checksum is that of the pseudo header.
Packet Unfinished(SlabPool& pool, const Shape& shape) {
  const IpEndpoint from =
      *IpEndpoint::Parse(shape.ipv6 ? "[fd00::1]:1" : "10.0.0.1:1");
  const IpEndpoint to =
      *IpEndpoint::Parse(shape.ipv6 ? "[fd00::2]:2" : "10.0.0.2:2");
  Bytes bytes =
      sim::Build(sim::TcpPacket{.from = from,
                                .to = to,
                                .seq = 77,
                                .flags = wire::TcpFlags::kAck,
                                .payload = Bytes(shape.payload_bytes, 'x')});
  const uint16_t ip = shape.ipv6 ? 40 : 20;
  StoreBe16(&bytes[ip + wire::kTcpChecksumOffset],
            wire::PseudoHeaderSum(from.address, to.address, wire::kTcp,
                                  static_cast<uint32_t>(bytes.size()) - ip)
                .value());
  Packet packet = Packet::Copy(pool, bytes);
  packet.offload() = {.gso_size = shape.gso_size,
                      .checksum = ChecksumState::kPartial,
                      .checksum_start = ip,
                      .checksum_offset = wire::kTcpChecksumOffset};
  if (shape.gso_size != 0) {
    packet.offload().gso_type = shape.ipv6 ? GsoType::kTcp6 : GsoType::kTcp4;
  }
  return packet;
}

Bytes FrameOf(const Packet& packet) {
  Bytes frame(wire::kVirtioNetHeaderSize);
  const Bytes bytes = Flatten(packet);
  frame.insert(frame.end(), bytes.begin(), bytes.end());
  return frame;
}

// What is written when it is finished before the device.
std::vector<Bytes> Frames(const Shape& shape) {
  SlabPool pool(0);
  PacketBatch pieces;
  SplitGso(Unfinished(pool, shape), pieces);
  std::vector<Bytes> frames;
  for (const Packet& piece : pieces) {
    EXPECT_TRUE(sim::Read(Flatten(piece))->checksum_valid);
    frames.push_back(FrameOf(piece));
  }
  return frames;
}

class TunRefusal : public testing::Test {
 protected:
  static TunDevice Device(FakeKernel& kernel) {
    TunDevice device;
    device.io = std::make_unique<FakeTunIo>(kernel);
    device.attachment = {"nst0", IFF_TUN | IFF_NO_PI | IFF_VNET_HDR};
    device.rx = device.tx = kAllOffloads;
    return device;
  }
  // Writes one packet of that shape.
  size_t Write(const Shape& shape) {
    PacketBatch batch;
    batch.push_back(Unfinished(pool_, shape));
    return link_.WriteBatch(batch);
  }

  SlabPool pool_{0};
  FakeKernel kernel_;
  TunQueue queue_{Device(kernel_)};
  SoftwareOffload link_{queue_};
};

// [fault L01] the kernel refuses a super-segment with a short tail
TEST_F(TunRefusal, ARefusedPacketIsFinishedAndNothingIsLost) {
  for (const Shape& shape : {kSuper4, kSuper6, kSingle}) {
    kernel_.written.clear();
    kernel_.write_results = {-EINVAL};
    EXPECT_EQ(Write(shape), 1u);
    EXPECT_EQ(kernel_.written, Frames(shape));
    EXPECT_EQ(queue_.capabilities().tx, kAllOffloads);
  }
  EXPECT_EQ(link_.counters().write_errors, 0u);
  EXPECT_EQ(link_.counters().refused_offloads, 3u);
  EXPECT_EQ(link_.counters().disabled_offloads, 0u);
}

// [fault L01] and the third time it is not asked again
TEST_F(TunRefusal, WhatIsTurnedOffIsDoneInSoftware) {
  const std::vector<Bytes> once = Frames(kSuper4);
  std::vector<Bytes> all;
  for (int i = 0; i < 5; ++i) {
    if (i < 3) kernel_.write_results = {-EINVAL};
    EXPECT_EQ(Write(kSuper4), 1u);
    all.insert(all.end(), once.begin(), once.end());
  }
  EXPECT_EQ(kernel_.written, all);
  EXPECT_EQ(link_.refused(), (LinkOffloads{.tso4 = true}));
  EXPECT_EQ(link_.capabilities().tx, kAllOffloads);
}

// [fault L06] the largest one, left to the kernel and cut here
TEST_F(TunRefusal, TheLargestSuperSegmentHasRoomOnBothWays) {
  const uint32_t most = link_.capabilities().max_gso_bytes;
  const Shape shape = {.payload_bytes = most, .gso_size = 1460};
  EXPECT_EQ(Write(shape), 1u);
  ASSERT_EQ(kernel_.written.size(), 1u);
  EXPECT_EQ(kernel_.written[0].size(), 10 + 20 + 20 + most);
  kernel_.written.clear();
  ASSERT_TRUE(link_.SetOffloads({}, {}).ok());
  EXPECT_EQ(Write(shape), 1u);
  EXPECT_EQ(kernel_.written, Frames(shape));
}

// Wherever the device is full, order and bytes are those of the whole, also
// when it refuses the packet first.
TEST_F(TunRefusal, AFullDeviceBetweenTwoPiecesLosesNothing) {
  std::vector<Bytes> want = Frames(kSuper4);
  const size_t pieces = want.size();
  want.push_back(Frames(kSingle).front());
  for (const bool refuses : {false, true}) {
    for (size_t full_at = 0; full_at < pieces; ++full_at) {
      FakeKernel kernel;
      TunQueue queue(Device(kernel));
      SoftwareOffload link(queue);
      if (refuses) {
        kernel.write_results.push_back(-EINVAL);
      } else {
        ASSERT_TRUE(link.SetOffloads({}, {}).ok());
      }
      PacketBatch batch;
      batch.push_back(Unfinished(pool_, kSuper4));
      SplitGso(Unfinished(pool_, kSingle), batch);
      kernel.write_results.insert(kernel.write_results.end(), full_at, 0);
      kernel.write_results.push_back(-EAGAIN);
      kernel.write_results.push_back(-EAGAIN);
      EXPECT_EQ(link.WriteBatch(batch), 0u) << full_at;
      EXPECT_EQ(link.WriteBatch(batch), 0u) << full_at;
      EXPECT_EQ(kernel.written.size(), full_at);
      EXPECT_EQ(link.WriteBatch(batch), 2u) << full_at;
      EXPECT_EQ(kernel.written, want) << full_at;
      EXPECT_EQ(link.counters().packets_out, pieces + 1);
    }
  }
}

// [fault L02] a connection that was open before goes on as it was
TEST_F(TunRefusal, PacketsMadeBeforeASwitchArriveAllTheSame) {
  ASSERT_TRUE(link_.SetOffloads({}, {.checksum = true, .tso6 = true}).ok());
  EXPECT_EQ(Write(kSuper4), 1u);
  EXPECT_EQ(kernel_.written, Frames(kSuper4));
}

}  // namespace
}  // namespace tcpip
