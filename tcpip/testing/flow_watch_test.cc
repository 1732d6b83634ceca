#include "tcpip/testing/flow_watch.h"

#include <initializer_list>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

using tcp::RecoveryState;

constexpr uint32_t kSegment = 1000;
// Payload crosses the end of sequence numbers after two and a half segments.
constexpr uint32_t kIss = 0u - 2501;

Instant At(int64_t ms) {
  return Instant::FromNanoseconds(0) + Duration::Milliseconds(ms);
}

// A sender by hand: segments and acknowledgments by number, from 0 on.
class FlowWatchTest : public testing::Test {
 protected:
  enum Fate { kArrives, kIsLost };

  FlowWatchTest() {
    ReadTcp syn;
    syn.header.seq = kIss;
    syn.header.flags = wire::TcpFlags::kSyn;
    watch_.OnSent(syn, false, info_, At(0));
  }

  void Send(int segment, Fate fate, int64_t ms) {
    ReadTcp tcp;
    tcp.header.seq = SeqOf(segment);
    tcp.header.flags = wire::TcpFlags::kAck;
    tcp.payload = payload_;
    watch_.OnSent(tcp, fate == kIsLost, info_, At(ms));
  }

  // Everything before `next` has arrived, and of what follows `sacked`.
  void Ack(int next, int64_t ms, std::initializer_list<int> sacked = {}) {
    ReadTcp tcp;
    tcp.header.ack = SeqOf(next);
    tcp.header.flags = wire::TcpFlags::kAck;
    for (const int segment : sacked) {
      tcp.options.sack_blocks[tcp.options.sack_block_count++] = {
          SeqOf(segment), SeqOf(segment + 1)};
    }
    watch_.OnAcked(tcp, info_, At(ms));
  }

  static uint32_t SeqOf(int segment) {
    return kIss + 1 + static_cast<uint32_t>(segment) * kSegment;
  }
  std::vector<int64_t> RttsInMs() const {
    std::vector<int64_t> ms;
    for (const Duration rtt : watch_.rtts()) ms.push_back(rtt.milliseconds());
    return ms;
  }
  void EnterRecovery() {
    info_.recovery = RecoveryState::kRecovery;
    ++info_.fast_recoveries;
  }
  void TimeOut() {
    info_.recovery = RecoveryState::kLoss;
    ++info_.timeouts;
  }

  const std::vector<uint8_t> payload_ = std::vector<uint8_t>(kSegment);
  tcp::TcpInfo info_;
  FlowWatch watch_{true};
};

TEST_F(FlowWatchTest, NothingIsRepeatedOnACleanPath) {
  for (int i = 0; i < 5; ++i) Send(i, kArrives, i);
  Ack(2, 100);
  Ack(5, 101);
  EXPECT_EQ(watch_.counts().segs_sent, 5u);
  EXPECT_EQ(watch_.counts().retrans_fast + watch_.counts().retrans_timeout +
                watch_.counts().retrans_other,
            0u);
  EXPECT_EQ(RttsInMs(), (std::vector<int64_t>{99, 97}));
}

TEST_F(FlowWatchTest, AFastRetransmissionOfWhatWasLostIsNeeded) {
  Send(0, kIsLost, 0);
  for (int i = 1; i < 5; ++i) Send(i, kArrives, i);
  Ack(0, 100, {1});
  EnterRecovery();
  Send(0, kArrives, 102);
  Ack(5, 202);
  EXPECT_EQ(watch_.counts().segs_lost, 1u);
  EXPECT_EQ(watch_.counts().retrans_fast, 1u);
  EXPECT_EQ(watch_.counts().retrans_needless, 0u);
  EXPECT_EQ(watch_.counts().fast_recoveries, 1u);
  EXPECT_EQ(watch_.counts().spurious, 0u);
}

TEST_F(FlowWatchTest, ARecoveryWithoutLossIsSpurious) {
  for (int i = 0; i < 5; ++i) Send(i, kArrives, i);
  Ack(0, 100, {1, 2, 3});
  EnterRecovery();
  Send(0, kArrives, 102);
  Ack(5, 103);
  EXPECT_EQ(watch_.counts().retrans_needless, 1u);
  EXPECT_EQ(watch_.counts().spurious, 1u);
}

// What was lost may have been sent again in the recovery before.
TEST_F(FlowWatchTest, ARecoveryAfterTheRepairOfItsLossIsNotSpurious) {
  for (int i = 0; i < 5; ++i) Send(i, i == 3 ? kIsLost : kArrives, i);
  Send(3, kArrives, 50);
  Ack(3, 100);
  EnterRecovery();
  Ack(5, 150);
  EXPECT_EQ(watch_.counts().fast_recoveries, 1u);
  EXPECT_EQ(watch_.counts().spurious, 0u);
}

TEST_F(FlowWatchTest, ATimeoutIsSpuriousWhenOnlyTheAcknowledgmentIsLate) {
  Send(0, kArrives, 0);
  TimeOut();
  Send(0, kArrives, 300);
  Ack(1, 310);
  EXPECT_EQ(watch_.counts().timeouts, 1u);
  EXPECT_EQ(watch_.counts().retrans_timeout, 1u);
  EXPECT_EQ(watch_.counts().retrans_needless, 1u);
  EXPECT_EQ(watch_.counts().spurious, 1u);
}

TEST_F(FlowWatchTest, ARetransmissionThatIsLostLeavesItsSegmentLost) {
  Send(0, kIsLost, 0);
  TimeOut();
  Send(0, kIsLost, 300);
  TimeOut();
  Send(0, kArrives, 900);
  Ack(1, 1000);
  EXPECT_EQ(watch_.counts().segs_lost, 2u);
  EXPECT_EQ(watch_.counts().retrans_needless, 0u);
  EXPECT_EQ(watch_.counts().spurious, 0u);
}

TEST_F(FlowWatchTest, ASpuriousCopyThatIsLostIsNoLoss) {
  Send(0, kArrives, 0);
  TimeOut();
  Send(0, kIsLost, 300);
  TimeOut();
  Send(0, kArrives, 900);
  EXPECT_EQ(watch_.counts().retrans_needless, 2u);
  EXPECT_EQ(watch_.counts().spurious, 2u);
}

TEST_F(FlowWatchTest, WhatWasSentTwiceGivesNoRtt) {
  Send(0, kIsLost, 0);
  TimeOut();
  Send(0, kArrives, 300);
  Ack(1, 400);
  EXPECT_EQ(RttsInMs(), std::vector<int64_t>{});
}

TEST_F(FlowWatchTest, EachSegmentGivesAnRttWhenItIsFirstCovered) {
  for (int i = 0; i < 4; ++i) Send(i, kArrives, i * 10);
  Ack(0, 110, {1});
  Ack(0, 120, {1, 2});
  Ack(0, 125, {2, 1});  // nothing new
  Ack(4, 130);
  EXPECT_EQ(RttsInMs(), (std::vector<int64_t>{100, 100, 100}));
}

TEST_F(FlowWatchTest, ARepeatedSynIsNoSpuriousTimeout) {
  TimeOut();
  ReadTcp syn;
  syn.header.seq = kIss;
  syn.header.flags = wire::TcpFlags::kSyn;
  watch_.OnSent(syn, false, info_, At(1000));
  Send(0, kArrives, 1100);
  EXPECT_EQ(watch_.counts().timeouts, 1u);
  EXPECT_EQ(watch_.counts().spurious, 0u);
  EXPECT_EQ(watch_.counts().segs_sent, 1u);
}

TEST_F(FlowWatchTest, ALostFinIsALoss) {
  ReadTcp fin;
  fin.header.seq = SeqOf(0);
  fin.header.flags =
      wire::TcpFlags(wire::TcpFlags::kFin).With(wire::TcpFlags::kAck);
  watch_.OnSent(fin, true, info_, At(0));
  TimeOut();
  watch_.OnSent(fin, false, info_, At(300));
  EXPECT_EQ(watch_.counts().spurious, 0u);
  EXPECT_EQ(watch_.counts().retrans_needless, 0u);
}

TEST_F(FlowWatchTest, AKeepaliveIsNoRetransmission) {
  Send(0, kArrives, 0);
  Ack(1, 100);
  Send(0, kArrives, 5000);
  EXPECT_EQ(watch_.counts().segs_sent, 1u);
}

TEST_F(FlowWatchTest, EventsTellWhatHappenedInOrder) {
  info_.cwnd = 10'000;
  Send(0, kArrives, 5);
  Send(1, kIsLost, 6);
  info_.cwnd = 11'000;
  Ack(1, 105);
  TimeOut();
  Send(1, kArrives, 400);
  const std::vector<FlowEvent>& events = watch_.events();
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].end, kSegment);
  EXPECT_FALSE(events[0].lost);
  EXPECT_EQ(events[1].begin, kSegment);
  EXPECT_TRUE(events[1].lost);
  EXPECT_EQ(events[2].kind, FlowEvent::Kind::kAcked);
  EXPECT_EQ(events[2].end, kSegment);
  EXPECT_EQ(events[2].rtt, Duration::Milliseconds(100));
  EXPECT_EQ(events[2].info.cwnd, 11'000u);
  EXPECT_EQ(events[3].sent, SendKind::kTimeout);
  EXPECT_EQ(events[3].at, At(400));
}

}  // namespace
}  // namespace tcpip::sim
