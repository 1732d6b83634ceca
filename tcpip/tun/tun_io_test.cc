#include "tcpip/tun/tun_io.h"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

// A socket pair stands for the device: it needs no rights.
class KernelTunIoTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds_.data()), 0);
    ASSERT_EQ(io_->Adopt(fds_[0]), 0);
  }
  void TearDown() override { close(fds_[1]); }

  std::unique_ptr<TunIo> io_ = KernelTunIo();
  std::array<int, 2> fds_ = {-1, -1};
};

// [fault L18] no child inherits the device
TEST_F(KernelTunIoTest, AdoptedDescriptorDoesNotBlockAndIsCloseOnExec) {
  EXPECT_EQ(io_->fd(), fds_[0]);
  EXPECT_NE(fcntl(fds_[0], F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(fcntl(fds_[0], F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(KernelTunIoTest, GathersAndScatters) {
  char hello[] = "hello", world[] = " world";
  const std::array<iovec, 2> from = {iovec{hello, 5}, iovec{world, 6}};
  EXPECT_EQ(io_->Write(from), 11);
  std::array<char, 32> whole = {};
  ASSERT_EQ(read(fds_[1], whole.data(), whole.size()), 11);
  EXPECT_STREQ(whole.data(), "hello world");

  ASSERT_EQ(write(fds_[1], "abcdef", 6), 6);
  std::array<char, 4> first = {};
  std::array<char, 4> rest = {};
  const std::array<iovec, 2> to = {iovec{first.data(), 2},
                                   iovec{rest.data(), 4}};
  EXPECT_EQ(io_->Read(to), 6);
  EXPECT_EQ(first[1], 'b');
  EXPECT_EQ(rest[3], 'f');
}

TEST_F(KernelTunIoTest, FailuresAreNegativeErrnos) {
  char byte;
  const std::array<iovec, 1> to = {iovec{&byte, 1}};
  EXPECT_EQ(io_->Read(to), -EAGAIN);
  ifreq request = {};
  EXPECT_EQ(io_->TunIoctl(TUNGETIFF, &request), -ENOTTY);
  std::strcpy(request.ifr_name, "no-such-device");
  EXPECT_EQ(io_->InterfaceIoctl(SIOCGIFMTU, request), -ENODEV);
  EXPECT_EQ(KernelTunIo()->Adopt(-1), -EBADF);
}

TEST_F(KernelTunIoTest, ClosesWhatItOwns) {
  io_.reset();
  EXPECT_EQ(fcntl(fds_[0], F_GETFD), -1);
}

}  // namespace
}  // namespace tcpip
