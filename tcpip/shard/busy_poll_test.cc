#include "tcpip/shard/busy_poll.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

constexpr Duration kLongest = Duration::Microseconds(10);

TEST(BusyPoll, LooksOnlyWhileWorkComesInTime) {
  BusyPoll poll(kLongest);
  EXPECT_EQ(poll.window(), Duration::Zero());
  poll.OnWaited(Duration::Microseconds(20));
  EXPECT_EQ(poll.window(), kLongest);
  poll.OnWaited(Duration::Microseconds(3));
  EXPECT_EQ(poll.window(), kLongest);
  poll.OnWaited(Duration::Microseconds(21));
  EXPECT_EQ(poll.window(), Duration::Zero());
}

TEST(BusyPoll, AWindowOfZeroNeverLooks) {
  BusyPoll poll(Duration::Zero());
  poll.OnWaited(Duration::Zero());
  EXPECT_EQ(poll.window(), Duration::Zero());
}

}  // namespace
}  // namespace tcpip
