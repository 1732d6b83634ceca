#include "conformance/tcp_view.h"

#include <functional>
#include <string>

#include "conformance/linux_constants.h"
#include "conformance/posix_fixture.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

// What poll() says of a socket, of all there is. Linux was asked.
struct Case {
  const char* name;
  std::function<int(PosixFixture&)> socket;
  std::string events;
};

void Shut(PosixFixture& f, int fd, int how) {
  EXPECT_EQ(Said(f.Do(call::Shutdown{fd, how})), "0");
}

const Case kCases[] = {
    {"Fresh", [](PosixFixture& f) { return f.Socket(); },
     "POLLOUT|POLLHUP|POLLWRNORM"},
    {"Listening", [](PosixFixture& f) { return f.Listener(); }, "0"},
    {"ListeningWithSomebodyWaiting",
     [](PosixFixture& f) {
       const int fd = f.Listener();
       f.Knock();
       return fd;
     },
     "POLLIN|POLLRDNORM"},
    {"Connecting",
     [](PosixFixture& f) { return f.Connect(Linux("SOCK_NONBLOCK")).fd; }, "0"},
    {"Connected",
     [](PosixFixture& f) {
       auto c = f.Connect();
       f.Send(c.peer, "S.");
       return c.fd;
     },
     "POLLOUT|POLLWRNORM"},
    {"Refused",
     [](PosixFixture& f) {
       auto c = f.Connect(Linux("SOCK_NONBLOCK"));
       f.Send(c.peer, "R.");
       return c.fd;
     },
     "POLLIN|POLLOUT|POLLERR|POLLHUP|POLLRDNORM|POLLWRNORM|POLLRDHUP"},
    {"WithData",
     [](PosixFixture& f) {
       auto [fd, peer] = f.Accepted();
       f.Send(peer, "P.", 1);
       return fd;
     },
     "POLLIN|POLLOUT|POLLRDNORM|POLLWRNORM"},
    {"AfterTheirFin",
     [](PosixFixture& f) {
       auto [fd, peer] = f.Accepted();
       f.Send(peer, "F.");
       return fd;
     },
     "POLLIN|POLLOUT|POLLRDNORM|POLLWRNORM|POLLRDHUP"},
    {"AfterOurFin",
     [](PosixFixture& f) {
       const int fd = f.Accepted().fd;
       Shut(f, fd, Linux("SHUT_WR"));
       return fd;
     },
     "POLLOUT|POLLWRNORM"},
    {"AfterShuttingBoth",
     [](PosixFixture& f) {
       const int fd = f.Accepted().fd;
       Shut(f, fd, Linux("SHUT_RDWR"));
       return fd;
     },
     "POLLIN|POLLOUT|POLLHUP|POLLRDNORM|POLLWRNORM|POLLRDHUP"},
    {"AfterShuttingReading",
     [](PosixFixture& f) {
       const int fd = f.Accepted().fd;
       Shut(f, fd, Linux("SHUT_RD"));
       return fd;
     },
     "POLLIN|POLLOUT|POLLRDNORM|POLLWRNORM|POLLRDHUP"},
    {"TimeWait",
     [](PosixFixture& f) {
       auto [fd, peer] = f.Accepted();
       Shut(f, fd, Linux("SHUT_WR"));
       f.Hear(peer);
       f.Send(peer, "F.");
       return fd;
     },
     "POLLIN|POLLOUT|POLLHUP|POLLRDNORM|POLLWRNORM|POLLRDHUP"},
    {"Reset",
     [](PosixFixture& f) {
       auto [fd, peer] = f.Accepted();
       f.Send(peer, "R.");
       return fd;
     },
     "POLLIN|POLLOUT|POLLERR|POLLHUP|POLLRDNORM|POLLWRNORM|POLLRDHUP"},
    {"ResetAndTold",
     [](PosixFixture& f) {
       auto [fd, peer] = f.Accepted();
       f.Send(peer, "R.");
       f.Do(call::Receive{.fd = fd, .lengths = {1}});
       return fd;
     },
     "POLLIN|POLLOUT|POLLHUP|POLLRDNORM|POLLWRNORM|POLLRDHUP"},
};

class PollOf : public testing::TestWithParam<Case> {};

TEST_P(PollOf, SaysWhatLinuxSays) {
  PosixFixture f;
  const int fd = GetParam().socket(f);
  const CallResult result = f.Do(
      call::Poll{.entries = {{.fd = fd, .events = 0x7fff}}, .timeout_ms = 0});
  EXPECT_EQ(
      FlagsText(kPollEvents, static_cast<uint64_t>(result.poll.at(0).revents)),
      GetParam().events);
}

INSTANTIATE_TEST_SUITE_P(TcpView, PollOf, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(TcpView, WriterIsWokenWhenAThirdIsFree) {
  TcpDescriptor d;
  d.options.settings.send_buffer_bytes = 3000;
  TcpView view;
  view.info.unsent_bytes = 1000;
  view.info.unacked_bytes = 1000;
  EXPECT_TRUE(IsWritable(d, view));
  view.info.unacked_bytes = 1001;
  EXPECT_FALSE(IsWritable(d, view));
  view.info.unacked_bytes = 9000;  // the buffer was larger once
  EXPECT_FALSE(IsWritable(d, view));
}

}  // namespace
}  // namespace conformance
