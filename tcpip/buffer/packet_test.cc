#include "tcpip/buffer/packet.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip {
namespace {

constexpr size_t kHeadBytes = SlabCapacity(SlabClass::kSmall) - kPacketHeadroom;

std::vector<uint8_t> Pattern(size_t n) {
  std::vector<uint8_t> bytes(n);
  for (size_t i = 0; i < n; ++i) bytes[i] = static_cast<uint8_t>(i * 31 >> 3);
  return bytes;
}

std::vector<uint8_t> Flatten(const ViewChain& chain) {
  std::vector<uint8_t> bytes(chain.size());
  chain.CopyTo(bytes);
  return bytes;
}

std::vector<uint8_t> Flatten(const Packet& packet) {
  std::vector<uint8_t> bytes(packet.head().begin(), packet.head().end());
  const auto body = Flatten(packet.body());
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

class PacketTest : public ::testing::Test {
 protected:
  SlabPool pool_{/*max_free_bytes=*/0};
};

TEST_F(PacketTest, DefaultIsEmpty) {
  Packet packet;
  EXPECT_EQ(packet.size(), 0u);
  EXPECT_TRUE(packet.head().empty());
  EXPECT_TRUE(packet.TakePayload().empty());
}

TEST_F(PacketTest, HeadersArePrependedInFrontOfEachOther) {
  Packet packet = Packet::WithHeadroom(pool_);
  EXPECT_EQ(packet.size(), 0u);
  EXPECT_EQ(packet.head_view().headroom(), kPacketHeadroom);
  std::ranges::fill(packet.Prepend(2), 'T');
  std::ranges::fill(packet.Prepend(3), 'I');
  std::ranges::fill(packet.AppendToHead(1), 'p');
  EXPECT_EQ(std::string(packet.head().begin(), packet.head().end()), "IIITTp");
  EXPECT_EQ(packet.head_view().headroom(), kPacketHeadroom - 5);
}

TEST_F(PacketTest, HeadroomHoldsTheLargestHeaders) {
  constexpr uint32_t kVirtioNet = 12, kIpv6 = 40, kTcpWithOptions = 60;
  static_assert(kVirtioNet + kIpv6 + kTcpWithOptions <= kPacketHeadroom);
  Packet packet = Packet::WithHeadroom(pool_);
  packet.Prepend(kPacketHeadroom);
  EXPECT_EQ(packet.head_view().headroom(), 0u);
}

TEST_F(PacketTest, CopyFillsOneSmallBlockThenWhatTheRestFits) {
  struct Case {
    size_t size, head, views, pinned;
  };
  const Case kCases[] = {
      {0, 0, 0, 0},
      {1, 1, 0, 0},
      {kHeadBytes, kHeadBytes, 0, 0},
      {kHeadBytes + 1, kHeadBytes, 1, 2'048},
      {kHeadBytes + 2'049, kHeadBytes, 1, 16'384},
      {65'535, kHeadBytes, 1, 65'536},
      {kHeadBytes + 65'537, kHeadBytes, 2, 65'536 + 2'048},
  };
  for (const Case& c : kCases) {
    const auto bytes = Pattern(c.size);
    const Packet packet = Packet::Copy(pool_, bytes);
    EXPECT_EQ(packet.size(), c.size);
    EXPECT_EQ(packet.head().size(), c.head) << c.size;
    EXPECT_EQ(packet.body().view_count(), c.views) << c.size;
    EXPECT_EQ(packet.body().pinned_bytes(), c.pinned) << c.size;
    EXPECT_EQ(Flatten(packet), bytes) << c.size;
  }
}

TEST_F(PacketTest, TakePayloadIsTheRestOfTheHeadAndTheBody) {
  const auto bytes = Pattern(5'000);
  Packet packet = Packet::Copy(pool_, bytes);
  packet.TrimFront(40);
  const ViewChain payload = packet.TakePayload();
  EXPECT_EQ(Flatten(payload),
            std::vector<uint8_t>(bytes.begin() + 40, bytes.end()));
  EXPECT_EQ(packet.size(), 0u);
  EXPECT_EQ(pool_.stats().live, 2u);
}

// A head that is all header must not stay pinned by the payload.
TEST_F(PacketTest, TakePayloadLeavesOutAHeadWithoutPayload) {
  Packet packet = Packet::Copy(pool_, Pattern(kHeadBytes + 100));
  packet.TrimFront(kHeadBytes);
  const ViewChain payload = packet.TakePayload();
  EXPECT_EQ(payload.view_count(), 1u);
  EXPECT_EQ(payload.size(), 100u);
  EXPECT_EQ(pool_.stats().live, 1u);
}

TEST_F(PacketTest, TrimToSizeDropsTheBodyFirstThenTheHead) {
  const auto bytes = Pattern(5'000);
  for (size_t n : {size_t{5'000}, size_t{4'999}, kHeadBytes, kHeadBytes - 1,
                   size_t{1}, size_t{0}}) {
    Packet packet = Packet::Copy(pool_, bytes);
    packet.TrimToSize(n);
    EXPECT_EQ(packet.size(), n);
    EXPECT_EQ(packet.head().size(), std::min(n, kHeadBytes));
    EXPECT_EQ(Flatten(packet),
              std::vector<uint8_t>(bytes.begin(),
                                   bytes.begin() + static_cast<long>(n)));
  }
}

TEST_F(PacketTest, TrimToALargerSizeChangesNothing) {
  Packet packet = Packet::Copy(pool_, Pattern(100));
  packet.TrimToSize(101);
  EXPECT_EQ(packet.size(), 100u);
}

TEST_F(PacketTest, MovingKeepsFactsAndLeavesTheSourceEmpty) {
  Packet packet = Packet::Copy(pool_, Pattern(5'000));
  packet.offload().gso_type = GsoType::kTcp6;
  packet.offload().gso_size = 1'440;
  packet.set_ingress(Instant::FromNanoseconds(77));
  const Packet moved = std::move(packet);
  EXPECT_EQ(packet.size(), 0u);
  EXPECT_EQ(moved.size(), 5'000u);
  EXPECT_EQ(moved.offload().gso_type, GsoType::kTcp6);
  EXPECT_EQ(moved.offload().gso_size, 1'440);
  EXPECT_EQ(moved.ingress(), Instant::FromNanoseconds(77));
}

TEST_F(PacketTest, BodySharesTheViewsOfAQueue) {
  ViewChain queue;
  queue.AppendCopy(pool_, Pattern(3'000));
  Packet packet = Packet::WithHeadroom(pool_);
  packet.SetBody(queue.Slice(1'000, 500));
  packet.Prepend(40);
  EXPECT_EQ(packet.size(), 540u);
  EXPECT_EQ(packet.body().view(0).data(), queue.view(0).data() + 1'000);
}

TEST(PacketSum, IsThatOfItsBytesHoweverTheyAreCut) {
  SeededRng rng(7);
  SlabPool pool;
  for (int round = 0; round < 200; ++round) {
    std::vector<uint8_t> bytes(1 + rng.Below(1500));
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng.Next());
    ByteSpan rest = bytes;
    Packet packet = Packet::WithHeadroom(pool);
    const uint32_t head = rng.Below(static_cast<uint32_t>(rest.size()) + 1);
    std::copy_n(rest.begin(), head, packet.AppendToHead(head).begin());
    rest = rest.subspan(head);
    ViewChain body;
    while (!rest.empty()) {
      const uint32_t n = 1 + rng.Below(static_cast<uint32_t>(rest.size()));
      body.Append(View::Copy(pool, rest.first(n)));
      rest = rest.subspan(n);
    }
    packet.SetBody(std::move(body));
    EXPECT_EQ(SumOf(packet), SumBytes(bytes)) << "round " << round;
    const uint32_t from = rng.Below(head + 1);
    EXPECT_EQ(SumOf(packet, from), SumBytes(ByteSpan(bytes).subspan(from)));
  }
}

}  // namespace
}  // namespace tcpip
