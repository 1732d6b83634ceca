// Ends of connections over a real TUN device: half-close each way, resets and
// deaths of either side, ports where nobody listens.
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/tun/transfer.h"
#include "tests/tun/tun_fixture.h"

namespace tcpip {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;
constexpr uint16_t kNobody = 4444;

class TunClose : public TunPathTest {
 protected:
  // A connection the stack dialled to a listening kernel socket.
  std::pair<SocketId, KernelSocket> Dialled(uint16_t port) {
    KernelSocket listener = KernelSocket::Listening(KernelEnd(family(), port));
    EXPECT_TRUE(listener.ok());
    command::TcpDial dial;
    dial.options.remote = KernelEnd(family(), port);
    const SocketId socket = client_->Call<reply::Opened>(dial).socket;
    return {socket, listener.Accept()};
  }
};

TEST_P(TunClose, KernelHalfClosesAndStillReceives) {
  KernelSocket socket = KernelSocket::Connected(Remote(bench::kSourcePort));
  ASSERT_TRUE(socket.ok());
  ASSERT_TRUE(RequestPattern(socket, kMebibyte));
  socket.ShutdownWrite();
  EXPECT_EQ(RecvPattern(socket, kMebibyte), kMebibyte);
}

TEST_P(TunClose, StackHalfClosesAndStillReceives) {
  auto [socket, kernel] = Dialled(9001);
  ASSERT_TRUE(kernel.ok());
  client_->Call<reply::Done>(command::TcpCloseWrite{socket});
  std::vector<uint8_t> nothing;
  EXPECT_TRUE(kernel.RecvUntilEof(nothing, 0));
  ASSERT_TRUE(SendPattern(kernel, kMebibyte));
  kernel.Close();
  uint64_t got = 0;
  for (bool eof = false; !eof;) {
    const auto received =
        client_->Call<reply::Received>(command::TcpRecv{socket});
    ASSERT_TRUE(IsPattern(received.data.span(), got));
    got += received.data.size();
    eof = received.eof;
    ASSERT_TRUE(eof || received.data.size() > 0);
  }
  EXPECT_EQ(got, kMebibyte);
  client_->Call<reply::Done>(command::Close{socket});
}

TEST_P(TunClose, StackSendsThenClosesAndAllOfItArrives) {
  auto [socket, kernel] = Dialled(9002);
  ASSERT_TRUE(kernel.ok());
  OwnedBytes bytes = OwnedBytes::Allocate(kMebibyte);
  for (uint64_t i = 0; i < kMebibyte; ++i) {
    bytes.mutable_data()[i] = bench::PatternByte(i);
  }
  client_->Call<reply::Done>(command::TcpSend{socket, std::move(bytes)});
  client_->Call<reply::Done>(command::Close{socket});
  EXPECT_EQ(RecvPattern(kernel, kMebibyte), kMebibyte);
}

TEST_P(TunClose, ResetByTheKernelIsReported) {
  auto [socket, kernel] = Dialled(9003);
  ASSERT_TRUE(kernel.ok());
  kernel.Reset();
  const Reply reply = client_->Ask(command::TcpRecv{socket});
  EXPECT_EQ(reply.status, absl::AbortedError("connection reset by peer"));
}

TEST_P(TunClose, ResetInTheMiddleOfATransferFreesTheStacksSide) {
  KernelSocket source = KernelSocket::Connected(Remote(bench::kSourcePort));
  KernelSocket echo = KernelSocket::Connected(Remote(bench::kEchoPort));
  ASSERT_TRUE(source.ok() && echo.ok());
  ASSERT_TRUE(RequestPattern(source, 0));
  ASSERT_TRUE(SendPattern(echo, kMebibyte));
  std::vector<uint8_t> block(1000);
  ASSERT_GT(source.Recv(block), 0);
  source.Reset();
  echo.Close();  // with unread bytes: a RST, too
  EXPECT_TRUE(Eventually([](const reply::Stats& stats) {
    return stats.stack.tcp_curr_estab == 0;
  }));
  ExpectAlive();
}

TEST_P(TunClose, AbortByTheStackResetsTheKernel) {
  auto [socket, kernel] = Dialled(9004);
  ASSERT_TRUE(kernel.ok());
  client_->Call<reply::Done>(command::Abort{socket});
  std::vector<uint8_t> block(10);
  EXPECT_EQ(kernel.Recv(block), -1);
  EXPECT_EQ(errno, ECONNRESET);
}

TEST_P(TunClose, DeathOfTheStackResetsTheKernel) {
  KernelSocket socket = KernelSocket::Connected(Remote(bench::kEchoPort));
  ASSERT_TRUE(socket.ok());
  const uint8_t byte[1] = {1};
  uint8_t back[1];
  ASSERT_TRUE(socket.SendAll(byte));
  ASSERT_EQ(socket.Recv(back), 1);
  shard_->Stop();
  EXPECT_EQ(socket.Recv(back), -1);
  EXPECT_EQ(errno, ECONNRESET);
}

TEST_P(TunClose, ClosedTcpPortRefusesAtOnce) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(KernelSocket::Connected(Remote(kNobody)).ok());
  EXPECT_EQ(errno, ECONNREFUSED);
  // Long before the kernel's first SYN retry.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST_P(TunClose, ClosedKernelPortRefusesTheStack) {
  command::TcpDial dial;
  dial.options.remote = KernelEnd(family(), kNobody);
  EXPECT_EQ(client_->Ask(dial).status,
            absl::UnavailableError("connection refused"));
}

TEST_P(TunClose, ClosedUdpPortAnswersWithIcmp) {
  KernelSocket socket = KernelSocket::Make(family(), SOCK_DGRAM);
  const KernelAddress remote(Remote(kNobody));
  ASSERT_EQ(connect(socket.fd(), remote.get(), remote.size), 0);
  const uint8_t byte[1] = {1};
  uint8_t back[1];
  ASSERT_TRUE(socket.SendAll(byte));
  EXPECT_EQ(socket.Recv(back), -1);
  EXPECT_EQ(errno, ECONNREFUSED);
}

INSTANTIATE_TEST_SUITE_P(Paths, TunClose, testing::ValuesIn(kTunPaths),
                         PathName);

}  // namespace
}  // namespace tcpip
