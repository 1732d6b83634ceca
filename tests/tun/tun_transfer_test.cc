// Bytes through a real TUN device, both ways, against the kernel's TCP.
#include <poll.h>
#include <sys/resource.h>

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/tun/transfer.h"
#include "tests/tun/tun_fixture.h"

namespace tcpip {
namespace {

constexpr uint64_t kBulk = uint64_t{64} << 20;

class TunTransfer : public TunPathTest {};

TEST_P(TunTransfer, KernelToStackAndBackKeepsEveryByte) {
  KernelSocket socket = KernelSocket::Connected(Remote(bench::kEchoPort));
  ASSERT_TRUE(socket.ok());
  EXPECT_EQ(EchoPattern(socket, kBulk), kBulk);
}

TEST_P(TunTransfer, StackToKernelKeepsEveryByte) {
  KernelSocket socket = KernelSocket::Connected(Remote(bench::kSourcePort));
  ASSERT_TRUE(socket.ok());
  EXPECT_EQ(FetchPattern(socket, kBulk), kBulk);
}

TEST_P(TunTransfer, KernelToStackIsCountedToTheByte) {
  KernelSocket socket = KernelSocket::Connected(Remote(bench::kDiscardPort));
  ASSERT_TRUE(socket.ok());
  EXPECT_TRUE(SendPattern(socket, kBulk));
  socket.ShutdownWrite();
  std::vector<uint8_t> nothing;
  EXPECT_TRUE(socket.RecvUntilEof(nothing, 0));
}

INSTANTIATE_TEST_SUITE_P(Paths, TunTransfer, testing::ValuesIn(kTunPaths),
                         PathName);

class TunConnections : public TunTest {};

TEST_F(TunConnections, AThousandAtOnceFetchAMebibyteEach) {
  constexpr size_t kConnections = 1000;
  constexpr uint64_t kEach = uint64_t{1} << 20;
  rlimit files;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = files.rlim_max;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  std::vector<KernelSocket> sockets;
  for (size_t i = 0; i < kConnections; ++i) {
    sockets.push_back(KernelSocket::Connected(StackEnd(
        i % 2 == 0 ? IpFamily::kIpv4 : IpFamily::kIpv6, bench::kSourcePort)));
    ASSERT_TRUE(sockets.back().ok()) << i;
  }
  for (KernelSocket& socket : sockets) {
    ASSERT_TRUE(RequestPattern(socket, kEach));
  }
  std::vector<uint64_t> got(kConnections);
  std::vector<pollfd> waiting(kConnections);
  for (size_t i = 0; i < kConnections; ++i) {
    waiting[i] = {sockets[i].fd(), POLLIN, 0};
  }
  std::vector<uint8_t> block(size_t{64} << 10);
  size_t open = kConnections;
  while (open > 0) {
    ASSERT_GT(poll(waiting.data(), waiting.size(), 20'000), 0)
        << open << " connections stand still";
    for (size_t i = 0; i < kConnections; ++i) {
      if (waiting[i].revents == 0) continue;
      const ssize_t n = sockets[i].Recv(block);
      ASSERT_GE(n, 0) << i;
      if (n == 0) {
        EXPECT_EQ(got[i], kEach) << i;
        waiting[i].fd = -1;
        --open;
        continue;
      }
      const ByteSpan bytes(block.data(), static_cast<size_t>(n));
      ASSERT_TRUE(IsPattern(bytes, got[i])) << i << " at " << got[i];
      got[i] += bytes.size();
    }
  }
  sockets.clear();
  EXPECT_TRUE(Eventually([](const reply::Stats& stats) {
    return stats.stack.tcp_curr_estab == 0;
  }));
}

}  // namespace
}  // namespace tcpip
