#include "tcpip/stack/capture.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"
#include "tcpip/wire/tcp.h"

namespace tcpip {
namespace {

const FourTuple kFlow = {.local = {Ip("10.0.0.9"), 1000},
                         .remote = {Ip("10.0.0.1"), 2000}};

Bytes Syn() {
  return MakeTcp(kFlow, {.flags = wire::TcpFlags::kSyn, .options = {}});
}

// How often `part` stands in `bytes`.
size_t Count(const Bytes& bytes, const Bytes& part) {
  size_t count = 0;
  for (auto it = bytes.begin();; ++it, ++count) {
    it = std::search(it, bytes.end(), part.begin(), part.end());
    if (it == bytes.end()) return count;
  }
}

class CaptureTest : public testing::Test {
 protected:
  void Start(const CaptureConfig& config) {
    capture_.emplace(config);
    host_.stack().SetTap(&*capture_);
  }
  Host host_{1,
             {.name = "link0"},
             {"10.0.0.1/24"},
             {.unowned_answers_per_second = 1, .unowned_answers_burst = 1}};
  std::optional<Capture> capture_;
};

TEST_F(CaptureTest, HasEveryPacketOnceAndWhyItWasDropped) {
  Start({.interfaces = {"link0"}});
  const std::vector<Bytes> reset = host_.Exchange(Syn());
  ASSERT_EQ(reset.size(), 1u);
  const Bytes file = capture_->Take();
  EXPECT_EQ(file.size() % 4, 0u);
  EXPECT_EQ(Count(file, Syn()), 1u);
  EXPECT_EQ(Count(file, reset[0]), 1u);
  EXPECT_EQ(Count(file, ToBytes("dropped: tcp_no_socket")), 1u);
  EXPECT_EQ(Count(file, ToBytes("link0")), 1u);
}

TEST_F(CaptureTest, APacketDroppedTwiceSaysBoth) {
  Start({.interfaces = {"link0"}});
  host_.Receive(Syn());
  host_.Receive(Syn());
  const Bytes file = capture_->Take();
  EXPECT_EQ(Count(file, Syn()), 2u);
  EXPECT_EQ(Count(file, ToBytes("dropped: tcp_no_socket, answer_rate_limited")),
            1u);
}

TEST_F(CaptureTest, TakeGoesOnWhereTheLastOneEnded) {
  Start({.interfaces = {"link0"}});
  const Bytes header = capture_->Take();
  EXPECT_EQ(Count(header, ToBytes("link0")), 1u);
  EXPECT_TRUE(capture_->Take().empty());
  host_.Receive(Syn());
  const Bytes more = capture_->Take();
  EXPECT_EQ(Count(more, Syn()), 1u);
  EXPECT_EQ(Count(more, ToBytes("link0")), 0u);
}

TEST_F(CaptureTest, WhatFindsNoRoomIsCounted) {
  Start({.interfaces = {"link0"}, .buffer_bytes = 200});
  for (int i = 0; i < 5; ++i) host_.Receive(Syn());
  EXPECT_GT(capture_->left_out(), 0u);
  const uint64_t kept = 5 - capture_->left_out();
  EXPECT_EQ(Count(capture_->Take(), Syn()), kept);
  host_.Receive(Syn());
  EXPECT_EQ(Count(capture_->Take(), Syn()), 1u);
}

// [fault L06] in one record, not cut
TEST_F(CaptureTest, ASuperSegmentIsOnePacket) {
  Start({.interfaces = {"link0"}});
  Bytes payload(65'000);
  for (size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<uint8_t>(i * 7 / 3);
  }
  const Bytes bytes = MakeTcp(
      kFlow, {.seq = 1, .flags = wire::TcpFlags::kAck, .options = {}}, payload);
  Packet packet = Packet::Copy(host_.pool(), bytes);
  packet.offload() = {.gso_type = GsoType::kTcp4,
                      .gso_size = 1460,
                      .checksum = ChecksumState::kVerified};
  host_.stack().OnPackets(host_.link(), {&packet, 1}, kTestStart);
  const Bytes file = capture_->Take();
  EXPECT_EQ(Count(file, bytes), 1u);
  EXPECT_EQ(Count(file, ToBytes("dropped: tcp_no_socket")), 1u);
  EXPECT_LT(file.size(), bytes.size() + 500);
}

// [fault X39] payload stays out of the file where that is asked for
TEST_F(CaptureTest, KeepsNoMoreThanTheSnapLength) {
  Start({.interfaces = {"link0"}, .snap_length = 40});
  host_.Receive(MakeTcp(kFlow, {.flags = wire::TcpFlags::kSyn, .options = {}},
                        ToBytes("a secret in the payload")));
  EXPECT_EQ(Count(capture_->Take(), ToBytes("secret")), 0u);
}

}  // namespace
}  // namespace tcpip
