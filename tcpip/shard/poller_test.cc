#include "tcpip/shard/poller.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

// A stream socket stands for the link: it can be readable, full and hung up.
class PollerTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, link_.data()),
              0);
    wake_ = eventfd(0, EFD_NONBLOCK);
    ASSERT_GE(wake_, 0);
  }
  void TearDown() override {
    close(link_[0]);
    if (link_[1] >= 0) close(link_[1]);
    close(wake_);
  }
  void FillLink() {
    const std::array<char, 4096> junk = {};
    while (write(link_[0], junk.data(), junk.size()) > 0) {
    }
  }

  std::array<int, 2> link_ = {-1, -1};
  int wake_ = -1;
};

constexpr Duration kLong = Duration::Seconds(30);

TEST_F(PollerTest, NothingReadyReturnsAtTheDeadline) {
  Poller poller({.link = link_[0], .commands = wake_});
  const Poller::Ready ready = poller.Wait(Duration::Microseconds(50));
  EXPECT_FALSE(ready.readable);
  EXPECT_FALSE(ready.writable);
  EXPECT_FALSE(ready.link_lost);
}

TEST_F(PollerTest, NegativeTimeoutDoesNotWait) {
  Poller poller({.link = link_[0], .commands = wake_});
  EXPECT_FALSE(poller.Wait(Duration::Seconds(-5)).readable);
}

TEST_F(PollerTest, PacketsAreReadableUntilRead) {
  Poller poller({.link = link_[0], .commands = wake_});
  ASSERT_EQ(write(link_[1], "x", 1), 1);
  EXPECT_TRUE(poller.Wait(kLong).readable);
  EXPECT_TRUE(poller.Wait(kLong).readable);
  char byte;
  ASSERT_EQ(read(link_[0], &byte, 1), 1);
  EXPECT_FALSE(poller.Wait(Duration::Zero()).readable);
}

TEST_F(PollerTest, MailEndsTheWait) {
  Poller poller({.link = link_[0], .commands = wake_});
  ASSERT_EQ(eventfd_write(wake_, 1), 0);
  EXPECT_FALSE(poller.Wait(kLong).readable);
}

TEST_F(PollerTest, PacketsOfOtherShardsEndTheWait) {
  Poller poller({.link = link_[0], .packets = wake_});
  eventfd_write(wake_, 1);
  EXPECT_FALSE(poller.Wait(kLong).readable);
}

TEST_F(PollerTest, RoomIsReportedOnlyWhileWatched) {
  Poller poller({.link = link_[0], .commands = wake_});
  EXPECT_FALSE(poller.Wait(Duration::Zero()).writable);
  poller.WatchWritable(true);
  EXPECT_TRUE(poller.Wait(kLong).writable);
  FillLink();
  EXPECT_FALSE(poller.Wait(Duration::Zero()).writable);
  poller.WatchWritable(false);
  EXPECT_FALSE(poller.Wait(Duration::Zero()).writable);
}

// [fault L16] a device that went away is told once and then not polled: no
// busy loop
TEST_F(PollerTest, LostLinkIsToldOnce) {
  Poller poller({.link = link_[0], .commands = wake_});
  close(link_[1]);
  link_[1] = -1;
  EXPECT_TRUE(poller.Wait(kLong).link_lost);
  const Poller::Ready after = poller.Wait(Duration::Zero());
  EXPECT_FALSE(after.link_lost);
  EXPECT_FALSE(after.readable);
  poller.WatchWritable(true);
  ASSERT_EQ(eventfd_write(wake_, 1), 0);
  poller.Wait(kLong);
}

// [fault L12]
TEST_F(PollerTest, ALinkThatIsBackIsWatchedAgain) {
  Poller poller({.link = link_[0], .commands = wake_});
  poller.WatchWritable(true);
  close(link_[1]);
  EXPECT_TRUE(poller.Wait(kLong).link_lost);
  close(link_[0]);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, link_.data()),
            0);
  poller.WatchLink(link_[0]);
  EXPECT_TRUE(poller.Wait(kLong).writable);
  ASSERT_EQ(write(link_[1], "x", 1), 1);
  EXPECT_TRUE(poller.Wait(kLong).readable);
}

TEST_F(PollerTest, LookingBeforeItSleepsChangesNoAnswer) {
  Poller poller({.link = link_[0], .commands = wake_, .busy_poll = kLong});
  for (int round = 0; round < 2; ++round) {  // from the second on it looks
    EXPECT_FALSE(poller.Wait(Duration::Microseconds(50)).readable);
    ASSERT_EQ(eventfd_write(wake_, 1), 0);
    EXPECT_FALSE(poller.Wait(kLong).readable);
    ASSERT_EQ(write(link_[1], "x", 1), 1);
    EXPECT_TRUE(poller.Wait(kLong).readable);
    char byte;
    ASSERT_EQ(read(link_[0], &byte, 1), 1);
    eventfd_t value;
    ASSERT_EQ(eventfd_read(wake_, &value), 0);
  }
}

TEST_F(PollerTest, WorksWithoutALink) {
  Poller poller({.commands = wake_});
  poller.WatchWritable(true);
  ASSERT_EQ(eventfd_write(wake_, 1), 0);
  EXPECT_FALSE(poller.Wait(kLong).readable);
}

}  // namespace
}  // namespace tcpip
