#include "tcpip/transport/tcp/receive/ack_policy.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

constexpr TcpConfig kConfig;

// What becomes of one arrival after everything before it was settled.
enum class Ack { kNow, kDelayed };

class AckPolicyTest : public testing::Test {
 protected:
  Ack Arrive(uint32_t segments) {
    policy_.OnInOrderData(segments, timers_, now_);
    if (policy_.WantsAckNow()) {
      policy_.OnAckSent(timers_);
      return Ack::kNow;
    }
    EXPECT_TRUE(timers_.IsArmed(TimerSlot::kDelayedAck));
    return Ack::kDelayed;
  }

  // Lone segments, each acknowledged at once.
  void UseUpTheBudget() {
    for (uint32_t i = 0; i < kConfig.quick_ack_segments; ++i) {
      EXPECT_EQ(Arrive(1), Ack::kNow) << i;
    }
  }

  void FireTimer() {
    now_ = timers_.NextDeadline();
    ASSERT_TRUE(timers_.TakeExpired(TimerSlot::kDelayedAck, now_));
    policy_.OnTimer();
  }

  AckPolicy policy_{kConfig};
  Timers timers_;
  Instant now_;
};

TEST_F(AckPolicyTest, LoneSegmentsAreAcknowledgedAtOnceUntilTheBudgetIsUsedUp) {
  // [RFC 9293 3.8.6.3 MUST-40] the delay is short and bounded
  // [req A-38] 32 immediate ACKs, the 33rd after 5 ms, then 32 more
  for (int round = 0; round < 3; ++round) {
    UseUpTheBudget();
    const Instant arrival = now_;
    EXPECT_EQ(Arrive(1), Ack::kDelayed);
    EXPECT_EQ(timers_.NextDeadline(), arrival + Duration::Milliseconds(5));
    FireTimer();
    EXPECT_TRUE(policy_.WantsAckNow());
    policy_.OnAckSent(timers_);
  }
}

TEST_F(AckPolicyTest, BulkIsAcknowledgedEverySecondSegment) {
  // [RFC 9293 3.8.6.3 SHLD-19]
  UseUpTheBudget();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Arrive(1), Ack::kDelayed);
    EXPECT_EQ(Arrive(1), Ack::kNow);
    EXPECT_FALSE(timers_.IsArmed(TimerSlot::kDelayedAck));
  }
}

TEST_F(AckPolicyTest, SuperSegmentsWeighAsMuchAsTheirSegments) {
  struct Row {
    uint32_t segments;
    Ack want;
  };
  UseUpTheBudget();
  for (const Row& row : {Row{40, Ack::kNow}, Row{2, Ack::kNow},
                         Row{1, Ack::kDelayed}, Row{40, Ack::kNow}}) {
    EXPECT_EQ(Arrive(row.segments), row.want) << row.segments;
  }
}

TEST_F(AckPolicyTest, ASuperSegmentUsesUpTheBudgetOfItsSegments) {
  EXPECT_EQ(Arrive(31), Ack::kNow);
  EXPECT_EQ(Arrive(40), Ack::kNow);
  EXPECT_EQ(Arrive(1), Ack::kDelayed);
}

TEST_F(AckPolicyTest, TheTimerRunsFromTheFirstUnacknowledgedSegment) {
  UseUpTheBudget();
  policy_.OnInOrderData(1, timers_, now_);
  const Instant deadline = timers_.NextDeadline();
  policy_.OnInOrderData(1, timers_, now_ + Duration::Milliseconds(3));
  EXPECT_EQ(timers_.NextDeadline(), deadline);
}

TEST_F(AckPolicyTest, ASegmentThatLeavesSettlesThePendingAck) {
  // [req A-38] sending data cancels a pending ACK
  UseUpTheBudget();
  EXPECT_EQ(Arrive(1), Ack::kDelayed);
  policy_.OnAckSent(timers_);
  EXPECT_FALSE(timers_.IsArmed(TimerSlot::kDelayedAck));
  EXPECT_EQ(Arrive(1), Ack::kDelayed);  // counted from zero again
}

TEST_F(AckPolicyTest, AnAckThatMustLeaveIsNotPutOffByMoreData) {
  UseUpTheBudget();
  policy_.AckNow();
  policy_.OnInOrderData(1, timers_, now_);
  EXPECT_TRUE(policy_.WantsAckNow());
  EXPECT_FALSE(timers_.IsArmed(TimerSlot::kDelayedAck));
}

TEST_F(AckPolicyTest, ATimerWithoutAPendingAckChangesNothing) {
  UseUpTheBudget();
  policy_.OnTimer();
  EXPECT_FALSE(policy_.WantsAckNow());
  EXPECT_EQ(Arrive(1), Ack::kDelayed);
}

}  // namespace
}  // namespace tcpip::tcp
