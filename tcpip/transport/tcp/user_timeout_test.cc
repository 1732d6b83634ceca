#include "tcpip/transport/tcp/user_timeout.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

constexpr Duration kLimit = Duration::Seconds(30);
constexpr TimerSlot kSlot = TimerSlot::kUserTimeout;

Instant At(int64_t seconds) {
  return Instant::FromNanoseconds(seconds * 1'000'000'000);
}

TEST(UserTimeout, CountsFromTheLastProgress) {
  Timers timers;
  UserTimeout timeout(SeqNum(1));
  timeout.Watch(kLimit, true, SeqNum(1), timers, At(0));
  EXPECT_EQ(timers.deadline(kSlot), At(30));
  timeout.Watch(kLimit, true, SeqNum(1), timers, At(10));
  EXPECT_EQ(timers.deadline(kSlot), At(30));
  timeout.Watch(kLimit, true, SeqNum(2), timers, At(20));
  EXPECT_EQ(timers.deadline(kSlot), At(50));
}

TEST(UserTimeout, RestsWhileNothingWaitsOrNothingIsSet) {
  Timers timers;
  UserTimeout timeout(SeqNum(1));
  timeout.Watch(Duration::Zero(), true, SeqNum(1), timers, At(0));
  EXPECT_FALSE(timers.IsArmed(kSlot));
  timeout.Watch(kLimit, true, SeqNum(1), timers, At(0));
  timeout.Watch(kLimit, false, SeqNum(2), timers, At(1));
  EXPECT_FALSE(timers.IsArmed(kSlot));
  timeout.Watch(kLimit, true, SeqNum(2), timers, At(90));
  EXPECT_EQ(timers.deadline(kSlot), At(120));
}

}  // namespace
}  // namespace tcpip::tcp
