#include "tcpip/transport/tcp/timers.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

constexpr Instant At(int64_t ms) {
  return Instant() + Duration::Milliseconds(ms);
}

TEST(Timers, NothingIsArmedAtFirst) {
  const Timers timers;
  EXPECT_TRUE(timers.NextDeadline().IsNever());
  for (int slot = 0; slot < kTimerSlotCount; ++slot) {
    EXPECT_FALSE(timers.IsArmed(static_cast<TimerSlot>(slot)));
  }
}

TEST(Timers, EverySlotCountsForTheNextDeadline) {
  Timers timers;
  for (int slot = 0; slot < kTimerSlotCount; ++slot) {
    timers.Set(static_cast<TimerSlot>(slot), At(100 - slot));
    EXPECT_EQ(timers.NextDeadline(), At(100 - slot));
  }
  timers.Cancel(TimerSlot::kLinger);
  EXPECT_EQ(timers.NextDeadline(), At(100 - (kTimerSlotCount - 2)));
  timers.CancelAll();
  EXPECT_TRUE(timers.NextDeadline().IsNever());
}

TEST(Timers, SettingAgainMovesTheDeadlineEitherWay) {
  Timers timers;
  timers.Set(TimerSlot::kRetransmit, At(200));
  timers.Set(TimerSlot::kRetransmit, At(300));
  EXPECT_EQ(timers.NextDeadline(), At(300));
  timers.Set(TimerSlot::kRetransmit, At(100));
  EXPECT_EQ(timers.NextDeadline(), At(100));
}

TEST(Timers, ExpiresOnceAndNotBeforeItsDeadline) {
  Timers timers;
  timers.Set(TimerSlot::kDelayedAck, At(5));
  timers.Set(TimerSlot::kPersist, At(9));
  EXPECT_FALSE(timers.TakeExpired(TimerSlot::kDelayedAck, At(4)));
  EXPECT_TRUE(timers.IsArmed(TimerSlot::kDelayedAck));
  EXPECT_TRUE(timers.TakeExpired(TimerSlot::kDelayedAck, At(5)));
  EXPECT_FALSE(timers.TakeExpired(TimerSlot::kDelayedAck, At(6)));
  EXPECT_EQ(timers.NextDeadline(), At(9));
}

TEST(Timers, AnUnarmedSlotNeverExpires) {
  Timers timers;
  EXPECT_FALSE(timers.TakeExpired(TimerSlot::kHold, At(1'000'000'000)));
}

}  // namespace
}  // namespace tcpip::tcp
