#include "emulator/relay.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/link/channel.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/tcp.h"

namespace emulator {
namespace {

using tcpip::Channel;
using tcpip::Duration;
using tcpip::Instant;
using tcpip::IpAddress;
using tcpip::Packet;
using tcpip::PacketBatch;
using tcpip::sim::Bytes;

constexpr Instant kStart = Instant::FromNanoseconds(5'000'000'000);
constexpr tcpip::LinkCapabilities kPlain = {.mtu = 1500};
constexpr tcpip::LinkCapabilities kCutting = {.mtu = 1500,
                                              .tx = tcpip::kAllOffloads};

Duration Ms(int64_t n) { return Duration::Milliseconds(n); }

// The n-th segment of a flow, 1000 bytes each.
Bytes Segment(uint32_t n) {
  return Build(
      tcpip::sim::TcpPacket{.from = {*IpAddress::Parse("10.0.0.1"), 1000},
                            .to = {*IpAddress::Parse("10.0.0.2"), 2000},
                            .seq = n * 1000,
                            .flags = tcpip::wire::TcpFlags::kAck,
                            .payload = Bytes(1000, static_cast<uint8_t>(n))});
}

class RelayTest : public testing::Test {
 protected:
  void Inject(Channel& link, const Bytes& bytes) {
    PacketBatch one;
    one.push_back(Packet::Copy(pool_, bytes));
    ASSERT_EQ(link.Inject(one), 1u);
  }
  std::vector<Bytes> Taken(Channel& link) {
    PacketBatch batch;
    link.Take(batch, 10'000);
    std::vector<Bytes> result;
    for (const Packet& packet : batch) {
      result.push_back(tcpip::sim::Flatten(packet));
    }
    return result;
  }

  tcpip::SlabPool pool_;
  Channel left_{kPlain, 4000};
  Channel right_{kPlain, 4000};
};

TEST_F(RelayTest, EachWayHasAPathOfItsOwn) {
  Relay relay(left_, right_,
              {.there = {.delay = Ms(10)}, .back = {.delay = Ms(3)}});
  Inject(left_, Segment(1));
  Inject(right_, Segment(2));
  EXPECT_FALSE(relay.Read());
  relay.Advance(kStart);
  EXPECT_EQ(relay.NextDeadline(), kStart + Ms(3));
  relay.Advance(kStart + Ms(3));
  EXPECT_EQ(Taken(left_), std::vector<Bytes>{Segment(2)});
  EXPECT_EQ(relay.NextDeadline(), kStart + Ms(10));
  relay.Advance(kStart + Ms(10));
  EXPECT_EQ(Taken(right_), std::vector<Bytes>{Segment(1)});
  EXPECT_TRUE(relay.NextDeadline().IsNever());
}

TEST_F(RelayTest, TheTwoWaysHaveDifferentLuck) {
  const PathConfig lossy = {.loss = Percent(50)};
  Relay relay(left_, right_, {.there = lossy, .back = lossy, .seed = 1});
  std::vector<bool> there;
  std::vector<bool> back;
  for (uint32_t i = 0; i < 100; ++i) {
    Inject(left_, Segment(i));
    Inject(right_, Segment(i));
    relay.Read();
    relay.Advance(kStart);
    there.push_back(Taken(right_).empty());
    back.push_back(Taken(left_).empty());
  }
  EXPECT_NE(there, back);
}

TEST_F(RelayTest, ReadsABatchAndSaysThatThereMayBeMore) {
  Relay relay(left_, right_, {});
  for (uint32_t i = 0; i < 20; ++i) Inject(left_, Segment(i));
  EXPECT_TRUE(relay.Read());
  EXPECT_FALSE(relay.Read());
  relay.Advance(kStart);
  EXPECT_EQ(Taken(right_).size(), 20u);
}

TEST_F(RelayTest, WhatArrivesTogetherIsMergedForALinkThatCuts) {
  Channel right(kCutting, 100);
  Relay relay(left_, right, {});
  for (uint32_t i = 0; i < 4; ++i) Inject(left_, Segment(i));
  relay.Read();
  relay.Advance(kStart);
  PacketBatch taken;
  right.Take(taken, 100);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].size(), 40u + 4 * 1000);
  EXPECT_EQ(taken[0].offload().gso_size, 1000);
}

TEST_F(RelayTest, AFullLinkKeepsPacketsWaiting) {
  Channel right(kPlain, 2);
  Relay relay(left_, right, {});
  for (uint32_t i = 0; i < 5; ++i) Inject(left_, Segment(i));
  relay.Read();
  relay.Advance(kStart);
  EXPECT_TRUE(relay.IsBlocked(Relay::kThere));
  EXPECT_FALSE(relay.IsBlocked(Relay::kBack));
  std::vector<Bytes> got = Taken(right);
  while (relay.IsBlocked(Relay::kThere)) {
    relay.Advance(kStart);
    for (Bytes& bytes : Taken(right)) got.push_back(std::move(bytes));
  }
  ASSERT_EQ(got.size(), 5u);
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(got[i], Segment(i));
  EXPECT_EQ(relay.undelivered(Relay::kThere), 0u);
}

TEST_F(RelayTest, ALinkThatTakesNothingForLongLosesPackets) {
  Channel right(kPlain, 1);
  Relay relay(left_, right, {});
  for (uint32_t i = 0; i < 3000; ++i) Inject(left_, Segment(i));
  while (relay.Read()) relay.Advance(kStart);
  relay.Advance(kStart);
  EXPECT_GT(relay.undelivered(Relay::kThere), 1000u);
  // One is in the link; the oldest of those that waited is not given up.
  EXPECT_EQ(Taken(right), std::vector<Bytes>{Segment(0)});
  relay.Advance(kStart);
  EXPECT_EQ(Taken(right), std::vector<Bytes>{Segment(1)});
}

}  // namespace
}  // namespace emulator
