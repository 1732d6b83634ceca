#include "tcpip/link/software_offload.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/testing/segmentation.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/tcp.h"

namespace tcpip {
namespace {

using sim::Bytes;

constexpr Instant kNow = Instant::FromNanoseconds(7);

// A device with so much room, and what was written to it.
class Device final : public Link {
 public:
  LinkCapabilities capabilities() const override { return able; }
  size_t ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                   Instant now) override {
    const size_t n = std::min(max, input.size());
    for (size_t i = 0; i < n; ++i) {
      to.push_back(Packet::Copy(pool, input[i]));
      to.back().set_ingress(now);
    }
    input.erase(input.begin(), input.begin() + static_cast<ptrdiff_t>(n));
    return n;
  }
  size_t WriteBatch(std::span<Packet> packets) override {
    const size_t n = std::min(packets.size(), room);
    room -= n;
    for (const Packet& packet : packets.first(n)) {
      offloads.push_back(packet.offload());
      output.push_back(sim::Flatten(packet));
    }
    return n;
  }
  int poll_fd() const override { return 42; }
  LinkCounters counters() const override {
    return {.packets_in = 1, .packets_out = output.size()};
  }
  void Refresh() override { ++refreshed; }
  absl::Status Reopen() override { return absl::OkStatus(); }
  absl::Status SetOffloads(const LinkOffloads& rx,
                           const LinkOffloads& tx) override {
    able.tx = tx;
    return rx == tx ? absl::OkStatus() : absl::InvalidArgumentError("");
  }

  LinkCapabilities able;
  std::vector<Bytes> input;
  size_t room = 1000;
  std::vector<Bytes> output;
  std::vector<Offload> offloads;
  int refreshed = 0;
};

Bytes Segment(uint32_t seq, size_t payload_bytes, bool ipv6 = false) {
  const char* const from = ipv6 ? "[2001:db8::1]:1" : "10.0.0.1:1";
  const char* const to = ipv6 ? "[2001:db8::2]:2" : "10.0.0.2:2";
  return sim::Build(sim::TcpPacket{.from = *IpEndpoint::Parse(from),
                                   .to = *IpEndpoint::Parse(to),
                                   .seq = seq,
                                   .ack = 5,
                                   .flags = wire::TcpFlags::kAck,
                                   .payload = Bytes(payload_bytes, 'x')});
}

// As the stack sends where checksums are offloaded.
Packet Owing(SlabPool& pool, Bytes bytes, uint16_t gso_size = 0) {
  const auto read = sim::Read(bytes);
  StoreBe16(&bytes[read->ip_header_size + wire::kTcpChecksumOffset],
            wire::PseudoHeaderSum(read->source, read->destination, 6,
                                  static_cast<uint32_t>(read->transport.size()))
                .value());
  Packet packet = Packet::Copy(pool, bytes);
  packet.offload() = {
      .gso_size = gso_size,
      .checksum = ChecksumState::kPartial,
      .checksum_start = static_cast<uint16_t>(read->ip_header_size),
      .checksum_offset = wire::kTcpChecksumOffset};
  if (gso_size != 0) {
    packet.offload().gso_type =
        read->source.IsIpv4() ? GsoType::kTcp4 : GsoType::kTcp6;
  }
  return packet;
}

std::vector<Bytes> SegmentsFrom(uint32_t seq, size_t count) {
  std::vector<Bytes> result;
  for (size_t i = 0; i < count; ++i) {
    result.push_back(Segment(seq + static_cast<uint32_t>(i) * 1000, 1000));
  }
  return result;
}

class SoftwareOffloadTest : public testing::Test {
 protected:
  // The stack's side: offers what was not taken until all is.
  void WriteAll(PacketBatch packets, size_t room_each_time) {
    size_t taken = 0;
    for (int i = 0; taken < packets.size(); ++i) {
      ASSERT_LT(i, 1000);
      device_.room = room_each_time;
      taken += link_.WriteBatch(std::span(packets).subspan(taken));
    }
  }

  SlabPool pool_{0};
  Device device_;
  SoftwareOffload link_{device_};
};

TEST_F(SoftwareOffloadTest, OffersWhatTheInnerLinkLacks) {
  device_.able.mtu = 1280;
  EXPECT_EQ(link_.capabilities().mtu, 1280u);
  EXPECT_EQ(link_.capabilities().tx, kAllOffloads);
  EXPECT_EQ(link_.capabilities().max_gso_bytes, kMaxGsoPayload);
  device_.able.max_gso_bytes = 16'000;
  EXPECT_EQ(link_.capabilities().max_gso_bytes, 16'000u);
  EXPECT_EQ(link_.poll_fd(), 42);
  EXPECT_EQ(link_.counters().packets_in, 1u);
}

TEST_F(SoftwareOffloadTest, CutsAndCompletesWhatIsWritten) {
  PacketBatch packets;
  packets.push_back(Owing(pool_, Segment(0, 0)));
  packets.push_back(Owing(pool_, Segment(0, 5000), 1000));
  packets.push_back(Owing(pool_, Segment(5000, 1000)));
  packets.push_back(Owing(pool_, Segment(6000, 2000), 1000));
  EXPECT_EQ(link_.WriteBatch(packets), 4u);
  std::vector<Bytes> want = SegmentsFrom(0, 8);
  want.insert(want.begin(), Segment(0, 0));
  EXPECT_EQ(device_.output, want);
}

// [fault P09] back-pressure in the middle of a super-segment loses nothing and
// repeats nothing, whatever room there is.
TEST_F(SoftwareOffloadTest, APieceNotTakenIsWrittenLater) {
  for (size_t room = 1; room < 12; ++room) {
    SCOPED_TRACE(room);
    device_.output.clear();
    PacketBatch packets;
    packets.push_back(Owing(pool_, Segment(0, 5000), 1000));
    packets.push_back(Owing(pool_, Segment(5000, 1000)));
    packets.push_back(Owing(pool_, Segment(6000, 4000), 1000));
    WriteAll(std::move(packets), room);
    EXPECT_EQ(device_.output, SegmentsFrom(0, 10));
  }
}

TEST_F(SoftwareOffloadTest, ASuperSegmentIsTakenWithItsLastPiece) {
  PacketBatch packets;
  packets.push_back(Owing(pool_, Segment(0, 3000), 1000));
  device_.room = 2;
  EXPECT_EQ(link_.WriteBatch(packets), 0u);
  EXPECT_EQ(device_.output.size(), 2u);
  EXPECT_EQ(link_.WriteBatch(packets), 0u);
  device_.room = 1;
  EXPECT_EQ(link_.WriteBatch(packets), 1u);
  EXPECT_EQ(device_.output, SegmentsFrom(0, 3));
}

TEST_F(SoftwareOffloadTest, LeavesToTheInnerLinkWhatItCanDo) {
  device_.able.tx = {.checksum = true, .tso4 = true};
  PacketBatch packets;
  packets.push_back(Owing(pool_, Segment(0, 5000), 1000));
  packets.push_back(Owing(pool_, Segment(5000, 1000)));
  packets.push_back(Owing(pool_, Segment(0, 5000, true), 1000));
  EXPECT_EQ(link_.WriteBatch(packets), 3u);
  ASSERT_EQ(device_.output.size(), 7u);  // IPv6 it cannot cut
  EXPECT_EQ(device_.offloads[0].gso_type, GsoType::kTcp4);
  EXPECT_EQ(device_.offloads[0].checksum, ChecksumState::kPartial);
  EXPECT_EQ(device_.offloads[1].checksum, ChecksumState::kPartial);
  EXPECT_EQ(device_.output[2], Segment(0, 1000, true));
}

// [fault L01] a device may lose, or find again, an ability between two writes
TEST_F(SoftwareOffloadTest, FollowsALinkThatChangesItsMind) {
  PacketBatch packets;
  packets.push_back(Owing(pool_, Segment(0, 3000), 1000));
  packets.push_back(Owing(pool_, Segment(3000, 3000), 1000));
  device_.room = 1;
  EXPECT_EQ(link_.WriteBatch(packets), 0u);
  device_.room = 100;
  device_.able.tx = kAllOffloads;
  EXPECT_EQ(link_.WriteBatch(packets), 2u);
  ASSERT_EQ(device_.output.size(), 4u);
  EXPECT_EQ(device_.output[2], Segment(2000, 1000));
  EXPECT_EQ(device_.offloads[3].gso_size, 1000);
}

TEST_F(SoftwareOffloadTest, TheDeviceIsTendedThroughIt) {
  link_.Refresh();
  EXPECT_EQ(device_.refreshed, 1);
  EXPECT_TRUE(link_.Reopen().ok());
  const LinkOffloads checksum = {.checksum = true};
  EXPECT_TRUE(link_.SetOffloads(checksum, checksum).ok());
  EXPECT_EQ(device_.able.tx, checksum);
  EXPECT_FALSE(link_.SetOffloads(checksum, {}).ok());
}

TEST_F(SoftwareOffloadTest, MergesWhatIsRead) {
  device_.input = SegmentsFrom(0, 10);
  PacketBatch batch;
  batch.push_back(Packet::Copy(pool_, Segment(7, 1)));  // from elsewhere
  EXPECT_EQ(link_.ReadBatch(pool_, batch, 8, kNow), 8u);
  ASSERT_EQ(batch.size(), 2u);
  EXPECT_EQ(batch[1].offload().gso_size, 1000);
  EXPECT_EQ(batch[1].ingress(), kNow);
  EXPECT_EQ(sim::Complete(batch[1]), sim::Merge(SegmentsFrom(0, 8)));
  EXPECT_EQ(link_.ReadBatch(pool_, batch, 8, kNow), 2u);
  EXPECT_EQ(link_.ReadBatch(pool_, batch, 8, kNow), 0u);
}

TEST_F(SoftwareOffloadTest, LeavesInputOfALinkThatMergesAlone) {
  device_.able.tx = kAllOffloads;
  device_.input = SegmentsFrom(0, 2);
  PacketBatch batch;
  EXPECT_EQ(link_.ReadBatch(pool_, batch, 8, kNow), 2u);
  EXPECT_EQ(batch.size(), 2u);
}

}  // namespace
}  // namespace tcpip
