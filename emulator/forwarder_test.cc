#include "emulator/forwarder.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/base/units.h"
#include "tcpip/testing/counting_allocator.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/testing/segmentation.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"

namespace emulator {
namespace {

using tcpip::Bandwidth;
using tcpip::ChecksumState;
using tcpip::Duration;
using tcpip::GsoType;
using tcpip::Instant;
using tcpip::IpAddress;
using tcpip::IpEndpoint;
using tcpip::Packet;
using tcpip::PacketBatch;
using tcpip::sim::Bytes;

constexpr Instant kStart = Instant::FromNanoseconds(5'000'000'000);

Duration Ms(int64_t n) { return Duration::Milliseconds(n); }

Bytes Segment(size_t payload, uint8_t tos = 0) {
  Bytes data(payload);
  for (size_t i = 0; i < payload; ++i) data[i] = static_cast<uint8_t>(i * 7);
  Bytes bytes =
      Build(tcpip::sim::TcpPacket{.from = {*IpAddress::Parse("10.0.0.1"), 1000},
                                  .to = {*IpAddress::Parse("10.0.0.2"), 2000},
                                  .seq = 100,
                                  .flags = tcpip::wire::TcpFlags::kAck,
                                  .payload = std::move(data)});
  bytes[tcpip::wire::kIpv4TosOffset] = tos;
  bytes[tcpip::wire::kIpv4IdOffset] = 7;  // pieces count on from it
  tcpip::StoreBe16(&bytes[10], 0);
  tcpip::StoreBe16(
      &bytes[10], tcpip::SumBytes(tcpip::ByteSpan(bytes).first(20)).Checksum());
  return bytes;
}

class ForwarderTest : public testing::Test {
 protected:
  Packet Single(const Bytes& bytes) { return Packet::Copy(pool_, bytes); }

  // As the kernel leaves one to its device.
  Packet SuperSegment(size_t payload, uint16_t gso_size) {
    Bytes bytes = Segment(payload);
    Packet packet = Packet::Copy(pool_, bytes);
    packet.offload() = {.gso_type = GsoType::kTcp4,
                        .gso_size = gso_size,
                        .checksum = ChecksumState::kPartial,
                        .checksum_start = 20,
                        .checksum_offset = 16};
    return packet;
  }

  void Take(Forwarder& forwarder, Packet packet, Instant now) {
    PacketBatch batch;
    batch.push_back(std::move(packet));
    forwarder.Take(batch, now);
    EXPECT_TRUE(batch.empty());
  }

  std::vector<Bytes> Due(Forwarder& forwarder, Instant now) {
    PacketBatch due;
    forwarder.Due(now, due);
    std::vector<Bytes> result;
    for (const Packet& packet : due) {
      result.push_back(tcpip::sim::Flatten(packet));
    }
    return result;
  }

  tcpip::SlabPool pool_;
};

TEST_F(ForwarderTest, APacketArrivesWhenItIsDueAndNotBefore) {
  Forwarder forwarder({.delay = Ms(30)}, 1, pool_);
  EXPECT_TRUE(forwarder.NextDeadline().IsNever());
  const Bytes bytes = Segment(100);
  Take(forwarder, Single(bytes), kStart);
  EXPECT_EQ(forwarder.NextDeadline(), kStart + Ms(30));
  EXPECT_EQ(forwarder.packets_on_the_way(), 1u);
  EXPECT_TRUE(
      Due(forwarder, kStart + Ms(30) - Duration::Nanoseconds(1)).empty());
  EXPECT_EQ(Due(forwarder, kStart + Ms(30)), std::vector<Bytes>{bytes});
  EXPECT_TRUE(forwarder.NextDeadline().IsNever());
}

TEST_F(ForwarderTest, PacketsArriveInTheOrderOfTheirTimesThenOfOffers) {
  // Half of them are held: they come last, each kind in order.
  Forwarder forwarder({.delay = Ms(1), .hold = Percent(50), .hold_for = Ms(10)},
                      1, pool_);
  for (size_t size = 1; size <= 100; ++size) {
    Take(forwarder, Single(Segment(size)), kStart);
  }
  const auto prompt = Due(forwarder, kStart + Ms(1));
  const auto held = Due(forwarder, kStart + Ms(11));
  EXPECT_EQ(prompt.size() + held.size(), 100u);
  EXPECT_EQ(held.size(), forwarder.path().counters().held);
  for (const auto& some : {prompt, held}) {
    EXPECT_GT(some.size(), 20u);
    EXPECT_TRUE(std::is_sorted(
        some.begin(), some.end(),
        [](const Bytes& a, const Bytes& b) { return a.size() < b.size(); }));
  }
}

TEST_F(ForwarderTest, EachPieceOfASuperSegmentHasATimeOfItsOwn) {
  // 1500 bytes take a millisecond.
  Forwarder forwarder({.rate = Bandwidth::MegabitsPerSecond(12)}, 1, pool_);
  Packet whole = SuperSegment(1460 * 3, 1460);
  const std::vector<Bytes> want = tcpip::sim::Cut(Segment(1460 * 3), 1460);
  Take(forwarder, std::move(whole), kStart);
  EXPECT_EQ(forwarder.path().counters().offered, 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(forwarder.NextDeadline(), kStart + Ms(i + 1));
    EXPECT_EQ(Due(forwarder, kStart + Ms(i + 1)), std::vector<Bytes>{want[i]});
  }
}

TEST_F(ForwarderTest, ASuperSegmentOfOneFateStaysWhole) {
  Forwarder forwarder({.delay = Ms(1)}, 1, pool_);
  Take(forwarder, SuperSegment(1460 * 3 + 1, 1460), kStart);
  EXPECT_EQ(forwarder.path().counters().offered, 4u);
  EXPECT_EQ(forwarder.path().counters().offered_bytes, 1460 * 3 + 1 + 4 * 40u);
  EXPECT_EQ(forwarder.packets_on_the_way(), 1u);
  PacketBatch due;
  forwarder.Due(kStart + Ms(1), due);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].offload().gso_size, 1460);
  EXPECT_EQ(tcpip::sim::Flatten(due[0]), Segment(1460 * 3 + 1));
}

TEST_F(ForwarderTest, ASuperSegmentWithAHoleOrACopyArrivesInPieces) {
  const std::vector<Bytes> pieces = tcpip::sim::Cut(Segment(1460 * 3), 1460);
  Forwarder losing({.lose_packets = {2}}, 1, pool_);
  Take(losing, SuperSegment(1460 * 3, 1460), kStart);
  EXPECT_EQ(Due(losing, kStart), (std::vector<Bytes>{pieces[0], pieces[2]}));
  Forwarder doubling({.duplicate = kPerMillion}, 1, pool_);
  Take(doubling, SuperSegment(1460 * 3, 1460), kStart);
  EXPECT_EQ(Due(doubling, kStart),
            (std::vector<Bytes>{pieces[0], pieces[0], pieces[1], pieces[1],
                                pieces[2], pieces[2]}));
}

TEST_F(ForwarderTest, ASuperSegmentThatIsLostWholeIsGone) {
  Forwarder forwarder({.loss = kPerMillion}, 1, pool_);
  Take(forwarder, SuperSegment(1460 * 3, 1460), kStart);
  EXPECT_EQ(forwarder.path().counters().Dropped(PathDrop::kRandom), 3u);
  EXPECT_EQ(forwarder.packets_on_the_way(), 0u);
}

TEST_F(ForwarderTest, AnOwedChecksumIsCompletedOnTheWay) {
  Forwarder forwarder({}, 1, pool_);
  Bytes bytes = Segment(50);
  const Bytes want = bytes;
  // The field holds what the pseudo header adds, as the kernel leaves it.
  tcpip::StoreBe16(&bytes[36], 0);
  const auto sum = tcpip::SumBytes(tcpip::ByteSpan(bytes).subspan(20));
  const uint16_t whole = tcpip::LoadBe16(&want[36]);
  // whole = ~(pseudo + sum), so pseudo = ~whole - sum.
  uint32_t pseudo = static_cast<uint16_t>(~whole) + uint32_t{sum.Checksum()};
  pseudo = (pseudo & 0xffff) + (pseudo >> 16);
  tcpip::StoreBe16(&bytes[36], static_cast<uint16_t>(pseudo));
  Packet packet = Single(bytes);
  packet.offload() = {.checksum = ChecksumState::kPartial,
                      .checksum_start = 20,
                      .checksum_offset = 16};
  Take(forwarder, std::move(packet), kStart);
  EXPECT_EQ(Due(forwarder, kStart), std::vector<Bytes>{want});
}

TEST_F(ForwarderTest, BothCopiesOfADuplicateAreWholeAndTheirOwn) {
  Forwarder forwarder({.duplicate = kPerMillion}, 1, pool_);
  const Bytes bytes = Segment(4000);  // more than one block
  Take(forwarder, Single(bytes), kStart);
  PacketBatch due;
  forwarder.Due(kStart, due);
  ASSERT_EQ(due.size(), 2u);
  due[0].mutable_head()[1] = 0xff;
  EXPECT_EQ(tcpip::sim::Flatten(due[1]), bytes);
}

// [RFC 3168 5] the mark, and the checksum that covers it
TEST_F(ForwarderTest, MarksWhatWaitsTooLong) {
  Forwarder forwarder(
      {.rate = Bandwidth::MegabitsPerSecond(12), .mark_wait = Ms(0)}, 1, pool_);
  for (int i = 0; i < 2; ++i) {
    Take(forwarder, Single(Segment(1000, /*tos=*/2)), kStart);
  }
  const auto due = Due(forwarder, kStart + Ms(10));
  ASSERT_EQ(due.size(), 2u);
  EXPECT_EQ(due[0], Segment(1000, 2));
  EXPECT_EQ(due[1], Segment(1000, 3));
}

TEST_F(ForwarderTest, ACorruptedPacketDiffersInOneBitAndIsVouchedForByNobody) {
  Forwarder forwarder({.corrupt = kPerMillion}, 1, pool_);
  for (const size_t payload : {10, 1400, 8000}) {
    const Bytes bytes = Segment(payload);
    Packet packet = Single(bytes);
    packet.offload().checksum = ChecksumState::kVerified;
    Take(forwarder, std::move(packet), kStart);
    PacketBatch due;
    forwarder.Due(kStart, due);
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].offload().checksum, ChecksumState::kUnverified);
    const Bytes got = tcpip::sim::Flatten(due[0]);
    ASSERT_EQ(got.size(), bytes.size());
    int bits = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      bits += __builtin_popcount(got[i] ^ bytes[i]);
    }
    EXPECT_EQ(bits, 1);
  }
}

TEST_F(ForwarderTest, OffloadFactsThatContradictThePacketCostItOnly) {
  Forwarder forwarder({}, 1, pool_);
  const tcpip::Offload nonsense[] = {
      {.checksum = ChecksumState::kPartial,
       .checksum_start = 4000,
       .checksum_offset = 16},
      {.gso_type = GsoType::kTcp4, .gso_size = 100},  // owes no checksum
      {.gso_type = GsoType::kTcp4,
       .gso_size = 100,
       .checksum = ChecksumState::kPartial,
       .checksum_start = 39,  // too late for a TCP header
       .checksum_offset = 16},
      {.gso_type = GsoType::kTcp4,
       .gso_size = 100,
       .checksum = ChecksumState::kPartial,
       .checksum_start = 20,
       .checksum_offset = 6},  // UDP's
  };
  for (const tcpip::Offload& offload : nonsense) {
    Packet packet = Single(Segment(10));
    packet.offload() = offload;
    Take(forwarder, std::move(packet), kStart);
  }
  EXPECT_EQ(forwarder.malformed(), std::size(nonsense));
  EXPECT_EQ(forwarder.path().counters().offered, 0u);
}

TEST_F(ForwarderTest, StopsAllocatingOnceItIsWarm) {
  Forwarder forwarder({.rate = Bandwidth::MegabitsPerSecond(1000),
                       .delay = Ms(1),
                       .jitter = Ms(1),
                       .reorder = true},
                      1, pool_);
  PacketBatch in;
  PacketBatch due;
  Instant now = kStart;
  const auto run = [&](int rounds) {
    for (int i = 0; i < rounds; ++i, now += Duration::Microseconds(200)) {
      in.push_back(SuperSegment(1460 * 10, 1460));
      forwarder.Take(in, now);
      forwarder.Due(now, due);
      due.clear();
    }
  };
  // The packets themselves are made here, by three allocations each.
  run(2000);
  const tcpip::sim::AllocationCounter made;
  for (int i = 0; i < 100; ++i) SuperSegment(1460 * 10, 1460);
  const uint64_t making = made.count();
  const tcpip::sim::AllocationCounter counter;
  run(100);
  EXPECT_EQ(counter.count(), making);
}

}  // namespace
}  // namespace emulator
