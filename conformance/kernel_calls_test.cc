// Sockets of this machine, over its loopback.
#include "conformance/kernel_calls.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "conformance/linux_constants.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

using tcpip::IpAddress;
using tcpip::IpEndpoint;

const IpAddress kLoopback = IpAddress::Ipv4(127, 0, 0, 1);

// Closes what it opened.
class KernelCallsTest : public testing::Test {
 protected:
  ~KernelCallsTest() override {
    for (const int fd : open_) close(fd);
  }
  int Descriptor(const Call& call) {
    const CallResult result = RunOnKernel(call);
    EXPECT_GE(result.value, 0) << result.error;
    open_.push_back(static_cast<int>(result.value));
    return open_.back();
  }
  int Socket(int domain, int type) {
    return Descriptor(call::Socket{.domain = domain, .type = type});
  }
  static void Do(const Call& call) {
    const CallResult result = RunOnKernel(call);
    EXPECT_EQ(result.value, 0);
    EXPECT_EQ(result.error, 0);
  }
  static IpEndpoint Bound(int fd) {
    sockaddr_in address = {};
    socklen_t size = sizeof address;
    getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    return {kLoopback, ntohs(address.sin_port)};
  }
  struct Pair {
    int client;
    int server;
    CallResult accepted;
  };
  // A name of its own: clang cannot evaluate a consteval function in a default
  // argument.
  static constexpr int kIpv4 = Linux("AF_INET");
  Pair Connected(int client_domain = kIpv4) {
    const int listener = Socket(Linux("AF_INET"), Linux("SOCK_STREAM"));
    Do(call::Bind{.fd = listener, .local = {kLoopback, 0}});
    Do(call::Listen{.fd = listener, .backlog = 1});
    const int client = Socket(client_domain, Linux("SOCK_STREAM"));
    Do(call::Connect{.fd = client, .remote = Bound(listener)});
    const CallResult accepted = RunOnKernel(call::Accept{.fd = listener});
    open_.push_back(static_cast<int>(accepted.value));
    return {client, open_.back(), accepted};
  }

 private:
  std::vector<int> open_;
};

TEST_F(KernelCallsTest, AFailureHasItsErrno) {
  const CallResult result = RunOnKernel(call::Close{.fd = -1});
  EXPECT_EQ(result.value, -1);
  EXPECT_EQ(result.error, Linux("EBADF"));
}

TEST_F(KernelCallsTest, BytesGoInPiecesAndCanBePeekedAt) {
  const Pair pair = Connected();
  EXPECT_EQ(RunOnKernel(call::Send{.fd = pair.client, .lengths = {3, 4}}).value,
            7);
  const call::Receive peek = {
      .fd = pair.server, .lengths = {2, 3}, .flags = Linux("MSG_PEEK")};
  EXPECT_EQ(RunOnKernel(peek).value, 5);
  const CallResult queued = RunOnKernel(call::Ioctl{
      .fd = pair.server, .request = static_cast<uint64_t>(Linux("SIOCINQ"))});
  EXPECT_EQ(std::get<int>(*queued.option), 7);
  EXPECT_EQ(
      RunOnKernel(call::Receive{.fd = pair.server, .lengths = {100}}).value, 7);
  Do(call::Shutdown{.fd = pair.client, .how = Linux("SHUT_WR")});
  EXPECT_EQ(
      RunOnKernel(call::Receive{.fd = pair.server, .lengths = {100}}).value, 0);
}

TEST_F(KernelCallsTest, AWriteToAConnectionThatIsShutRaisesNoSignal) {
  const Pair pair = Connected();
  Do(call::Shutdown{.fd = pair.client, .how = Linux("SHUT_WR")});
  EXPECT_EQ(RunOnKernel(call::Send{.fd = pair.client, .lengths = {1}}).error,
            Linux("EPIPE"));
}

TEST_F(KernelCallsTest, AcceptTellsThePeer) {
  const Pair pair = Connected();
  EXPECT_EQ(pair.accepted.peer, Bound(pair.client));
}

TEST_F(KernelCallsTest, SocketsOfIpv6KnowMappedAddresses) {
  const Pair pair = Connected(Linux("AF_INET6"));
  EXPECT_EQ(RunOnKernel(call::Send{.fd = pair.client, .lengths = {1}}).value,
            1);
}

TEST_F(KernelCallsTest, OptionsAreNumbersLingersAndTexts) {
  const int fd = Socket(Linux("AF_INET"), Linux("SOCK_STREAM"));
  const int socket = Linux("SOL_SOCKET");
  const int tcp = Linux("SOL_TCP");
  const auto get = [fd](int level, int name) {
    return RunOnKernel(call::GetOption{.fd = fd, .level = level, .name = name})
        .option;
  };
  for (const auto& [level, name, value] :
       std::vector<std::tuple<int, int, call::OptionValue>>{
           {socket, Linux("SO_KEEPALIVE"), 1},
           {socket, Linux("SO_LINGER"), call::Linger{1, 7}},
           {tcp, Linux("TCP_CONGESTION"), "reno"}}) {
    Do(call::SetOption{.fd = fd, .level = level, .name = name, .value = value});
    EXPECT_EQ(get(level, name), value) << name;
  }
}

TEST_F(KernelCallsTest, InfoHasLinuxsNames) {
  const Pair pair = Connected();
  const CallResult info = RunOnKernel(call::GetOption{
      .fd = pair.client, .level = Linux("SOL_TCP"), .name = Linux("TCP_INFO")});
  EXPECT_EQ(info.error, 0);
  EXPECT_EQ(info.info.at("tcpi_state"), 1);
  EXPECT_GT(info.info.at("tcpi_snd_cwnd"), 0);
  EXPECT_GT(info.info.at("tcpi_snd_mss"), 0);
}

TEST_F(KernelCallsTest, PollAndEpollTellWhatIsReady) {
  const Pair pair = Connected();
  const int in = Linux("POLLIN");
  const call::Poll poll = {.entries = {{.fd = pair.server, .events = in}},
                           .timeout_ms = 0};
  EXPECT_EQ(RunOnKernel(poll).value, 0);
  const int epoll = Descriptor(call::EpollCreate{});
  Do(call::EpollControl{
      .epoll_fd = epoll,
      .operation = Linux("EPOLL_CTL_ADD"),
      .fd = pair.server,
      .event = {static_cast<uint32_t>(Linux("EPOLLIN")), 77}});
  RunOnKernel(call::Send{.fd = pair.client, .lengths = {1}});
  const CallResult polled = RunOnKernel(poll);
  EXPECT_EQ(polled.value, 1);
  EXPECT_EQ(polled.poll.at(0).revents, in);
  const CallResult waited = RunOnKernel(
      call::EpollWait{.epoll_fd = epoll, .max_events = 1, .timeout_ms = 0});
  ASSERT_EQ(waited.epoll.size(), 1u);
  EXPECT_EQ(waited.epoll[0].data, 77u);
}

TEST_F(KernelCallsTest, ADatagramThatIsCutSaysSo) {
  const int to = Socket(Linux("AF_INET"), Linux("SOCK_DGRAM"));
  Do(call::Bind{.fd = to, .local = {kLoopback, 0}});
  const int from = Socket(Linux("AF_INET"), Linux("SOCK_DGRAM"));
  EXPECT_EQ(RunOnKernel(call::Send{.fd = from, .lengths = {9}, .to = Bound(to)})
                .value,
            9);
  const CallResult cut = RunOnKernel(call::Receive{.fd = to, .lengths = {5}});
  EXPECT_EQ(cut.value, 5);
  EXPECT_EQ(cut.message_flags, Linux("MSG_TRUNC"));
  EXPECT_EQ(cut.peer, Bound(from));
}

}  // namespace
}  // namespace conformance
