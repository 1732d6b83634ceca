#include "tcpip/testing/virtual_clock.h"

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

TEST(VirtualClock, MovesOnlyWhenToldTo) {
  VirtualClock clock;
  EXPECT_EQ(clock.now(), VirtualClock::kStart);
  clock.Advance(Duration::Milliseconds(3));
  EXPECT_EQ(clock.now() - VirtualClock::kStart, Duration::Milliseconds(3));
  clock.AdvanceTo(clock.now());
  EXPECT_EQ(clock.now() - VirtualClock::kStart, Duration::Milliseconds(3));
}

}  // namespace
}  // namespace tcpip::sim
