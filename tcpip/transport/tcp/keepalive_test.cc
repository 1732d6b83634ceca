#include "tcpip/transport/tcp/keepalive.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

using Expiry = Keepalive::Expiry;

Instant At(int64_t s) {
  return Instant::FromNanoseconds(0) + Duration::Seconds(s);
}

SocketSettings Settings() {
  SocketSettings s;
  s.keepalive = true;
  s.keepalive_idle = Duration::Seconds(100);
  s.keepalive_interval = Duration::Seconds(10);
  s.keepalive_count = 2;
  return s;
}

// [RFC 9293 3.8.4 MUST-25, MUST-28] off unless the user asks
TEST(Keepalive, IsOffByDefault) {
  Timers timers;
  Keepalive keepalive;
  keepalive.SetSettings(SocketSettings(), timers);
  EXPECT_FALSE(timers.IsArmed(TimerSlot::kKeepalive));
  EXPECT_GE(SocketSettings().keepalive_idle, Duration::Seconds(2 * 3600));
}

// [RFC 9293 3.8.4 MUST-27, MUST-29]
TEST(Keepalive, ProbesAfterTheIdleTimeAndGivesUpAfterTheCount) {
  Timers timers;
  Keepalive keepalive;
  keepalive.OnArrival(At(0));
  keepalive.SetSettings(Settings(), timers);
  EXPECT_EQ(timers.deadline(TimerSlot::kKeepalive), At(100));
  EXPECT_EQ(keepalive.OnTimer(Settings(), false, timers, At(100)),
            Expiry::kProbe);
  EXPECT_TRUE(keepalive.TakeProbe());
  EXPECT_FALSE(keepalive.TakeProbe());
  EXPECT_EQ(timers.deadline(TimerSlot::kKeepalive), At(110));
  EXPECT_EQ(keepalive.OnTimer(Settings(), false, timers, At(110)),
            Expiry::kProbe);
  EXPECT_EQ(keepalive.OnTimer(Settings(), false, timers, At(120)),
            Expiry::kGiveUp);
}

// [RFC 9293 3.8.4 MUST-26]
TEST(Keepalive, AnArrivalStartsTheIdleTimeAnew) {
  Timers timers;
  Keepalive keepalive;
  keepalive.SetSettings(Settings(), timers);
  keepalive.OnArrival(At(60));
  EXPECT_EQ(keepalive.OnTimer(Settings(), false, timers, At(100)),
            Expiry::kWait);
  EXPECT_EQ(timers.deadline(TimerSlot::kKeepalive), At(160));
}

// [RFC 9293 3.8.4 MUST-26]
TEST(Keepalive, DataInFlightIsProbeEnough) {
  Timers timers;
  Keepalive keepalive;
  keepalive.SetSettings(Settings(), timers);
  EXPECT_EQ(keepalive.OnTimer(Settings(), true, timers, At(100)),
            Expiry::kWait);
  EXPECT_EQ(timers.deadline(TimerSlot::kKeepalive), At(200));
}

}  // namespace
}  // namespace tcpip::tcp
