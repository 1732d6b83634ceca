#include "conformance/posix_tcp.h"

#include <functional>
#include <string>
#include <vector>

#include "conformance/linux_constants.h"
#include "conformance/posix_fixture.h"
#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"

namespace conformance {
namespace {

using tcpip::Duration;
using tcpip::Ip;
using tcpip::IpEndpoint;

const IpEndpoint kSomeone = {Ip("10.0.0.2"), 8080};

call::Receive Read(int fd, uint32_t length, int flags = 0) {
  return {.fd = fd, .lengths = {length}, .flags = flags};
}
call::Send Write(int fd, uint32_t length, int flags = 0) {
  return {.fd = fd, .lengths = {length}, .flags = flags};
}
call::GetOption SocketError(int fd) {
  return {fd, Linux("SOL_SOCKET"), Linux("SO_ERROR")};
}
call::SetOption ResetOnClose(int fd) {
  return {fd, Linux("SOL_SOCKET"), Linux("SO_LINGER"), call::Linger{1, 0}};
}
int Int(const CallResult& result) { return std::get<int>(*result.option); }

constexpr int kNonblock = Linux("SOCK_NONBLOCK");

// A socket in some state, and what a call on it says. As Linux does, which was
// asked.
struct Case {
  const char* name;
  std::function<int(PosixFixture&)> socket;
  std::vector<std::pair<Call, std::string>> calls;  // fd 0: the socket
};

int Fresh(PosixFixture& f) { return f.Socket(kNonblock); }
int Listening(PosixFixture& f) { return f.Listener(5, kNonblock); }
int Opening(PosixFixture& f) { return f.Connect(kNonblock).fd; }
int Open(PosixFixture& f) {
  const int fd = f.Accepted().fd;
  f.Do(call::Fcntl{fd, Linux("F_SETFL"), Linux("O_NONBLOCK")});
  return fd;
}
int Reset(PosixFixture& f) {
  auto [fd, peer] = f.Accepted();
  f.Send(peer, "P.", 3);
  f.Send(peer, "R.");
  return fd;
}
int ResetAfterFin(PosixFixture& f) {
  auto [fd, peer] = f.Accepted();
  f.Send(peer, "F.");
  f.Send(peer, "R.");
  return fd;
}
int Refused(PosixFixture& f) {
  auto c = f.Connect(kNonblock);
  f.Send(c.peer, "R.");
  return c.fd;
}
int TimeWait(PosixFixture& f) {
  auto [fd, peer] = f.Accepted();
  f.Do(call::Shutdown{fd, Linux("SHUT_WR")});
  f.Hear(peer);
  f.Send(peer, "F.");
  return fd;
}

const Case kCases[] = {
    {"Fresh",
     Fresh,
     {{Write(0, 1), "-1 EPIPE"},
      {Read(0, 1), "-1 ENOTCONN"},
      {call::Accept{0}, "-1 EINVAL"},
      {call::Shutdown{0, Linux("SHUT_WR")}, "-1 ENOTCONN"},
      {call::Ioctl{0, Linux("SIOCINQ")}, "0"},
      {call::Ioctl{0, Linux("SIOCOUTQ")}, "0"},
      {call::Ioctl{0, 0x1234}, "unsupported: ioctl 0x1234"},
      {call::Connect{0, {Ip("2001:db8::2"), 1}}, "-1 EAFNOSUPPORT"},
      {call::Connect{0, {Ip("192.0.2.1"), 1}}, "-1 ENETUNREACH"},
      {call::Bind{0, {Ip("10.9.9.9"), 1}}, "-1 EADDRNOTAVAIL"},
      {call::Bind{0, {Ip("10.0.0.1"), 1}}, "0"},
      {call::Bind{0, {Ip("10.0.0.1"), 2}}, "-1 EINVAL"},
      {call::Listen{0, 1}, "0"},
      {SocketError(0), "0"}}},
    {"Listening",
     Listening,
     {{Write(0, 1), "-1 EPIPE"},
      {Read(0, 1), "-1 ENOTCONN"},
      {call::Accept{0}, "-1 EAGAIN"},
      {call::Connect{0, kSomeone}, "-1 EISCONN"},
      {call::Bind{0, {Ip("10.0.0.1"), 1}}, "-1 EINVAL"},
      {call::Listen{0, 5}, "0"},
      {call::Listen{0, 6}, "unsupported: another backlog for a listener"},
      {call::Ioctl{0, Linux("SIOCINQ")}, "-1 EINVAL"},
      {call::Shutdown{0, Linux("SHUT_WR")}, "0"},
      {call::Accept{0}, "-1 EAGAIN"},
      {call::Shutdown{0, Linux("SHUT_RD")}, "0"},
      {call::Accept{0}, "-1 EINVAL"}}},
    {"Opening",
     Opening,
     {{call::Connect{0, kSomeone}, "-1 EALREADY"},
      {Write(0, 1), "-1 EAGAIN"},
      {Read(0, 1), "-1 EAGAIN"},
      {call::Listen{0, 1}, "-1 EINVAL"},
      {SocketError(0), "0"},
      {call::Shutdown{0, Linux("SHUT_WR")}, "0"},  // that was that
      {Write(0, 1), "-1 EPIPE"}}},
    {"Open",
     Open,
     {{Read(0, 1), "-1 EAGAIN"},
      {Read(0, 0), "0"},
      {Write(0, 100), "100"},
      {Write(0, 0), "0"},
      {call::Connect{0, kSomeone}, "-1 EISCONN"},
      {call::Listen{0, 1}, "-1 EINVAL"},
      {call::Accept{0}, "-1 EINVAL"},
      {call::Bind{0, {Ip("10.0.0.1"), 1}}, "-1 EINVAL"},
      {call::Shutdown{0, 7}, "-1 EINVAL"},
      {Write(0, 1, Linux("MSG_MORE")), "unsupported: flag MSG_MORE"},
      {Read(0, 1, Linux("MSG_OOB") | Linux("MSG_PEEK")),
       "unsupported: flag MSG_OOB"},
      {Read(0, 1, Linux("MSG_WAITALL") | Linux("MSG_PEEK")),
       "unsupported: flag MSG_PEEK with MSG_WAITALL"},
      {call::Shutdown{0, Linux("SHUT_WR")}, "0"},
      {Write(0, 1), "-1 EPIPE"},
      {call::Shutdown{0, Linux("SHUT_RD")}, "0"},
      {Read(0, 1), "0"}}},
    // What came before the error is read before it, and the error is told once.
    {"Reset",
     Reset,
     {{Read(0, 100), "3"},
      {Read(0, 100), "-1 ECONNRESET"},
      {Read(0, 100), "0"},
      {Write(0, 1), "-1 EPIPE"},
      {SocketError(0), "0"},
      {call::Shutdown{0, Linux("SHUT_WR")}, "-1 ENOTCONN"},
      {call::Connect{0, kSomeone}, "-1 EISCONN"}}},
    {"ResetToldToAWriter",
     Reset,
     {{Write(0, 1), "-1 ECONNRESET"},
      {Write(0, 1), "-1 EPIPE"},
      {Read(0, 100), "3"},
      {Read(0, 100), "0"}}},
    {"ResetAfterFin",
     ResetAfterFin,
     {{Read(0, 100), "0"}, {Write(0, 1), "-1 EPIPE"}, {SocketError(0), "0"}}},
    {"RefusedToldByRead",
     Refused,
     {{Read(0, 1), "-1 ECONNREFUSED"},
      {Read(0, 1), "0"},
      {Write(0, 1), "-1 EPIPE"},
      {call::Connect{0, kSomeone}, "-1 ECONNABORTED"},
      {call::Connect{0, kSomeone}, "-1 EINPROGRESS"}}},
    {"RefusedToldByConnect",
     Refused,
     {{call::Connect{0, kSomeone}, "-1 ECONNREFUSED"},
      {Read(0, 1), "-1 ENOTCONN"},
      {call::Connect{0, kSomeone}, "-1 EINPROGRESS"}}},
    {"TimeWait",
     TimeWait,
     {{Read(0, 1), "0"},
      {Write(0, 1), "-1 EPIPE"},
      {call::Shutdown{0, Linux("SHUT_WR")}, "-1 ENOTCONN"},
      {call::Connect{0, kSomeone}, "-1 EISCONN"}}},
};

Call WithDescriptor(Call call, int fd) {
  std::visit(
      [fd](auto& c) {
        if constexpr (requires { c.fd; }) c.fd = fd;
      },
      call);
  return call;
}

class CallsInAState : public testing::TestWithParam<Case> {};

TEST_P(CallsInAState, SayWhatLinuxSays) {
  PosixFixture f;
  const int fd = GetParam().socket(f);
  int step = 0;
  for (const auto& [call, said] : GetParam().calls) {
    EXPECT_EQ(Said(f.Do(WithDescriptor(call, fd))), said) << "call " << step;
    ++step;
  }
}

INSTANTIATE_TEST_SUITE_P(PosixTcp, CallsInAState, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(PosixTcp, ConnectIsDoneOnceAndThenIsConnected) {
  PosixFixture f;
  auto c = f.Connect(kNonblock);
  EXPECT_EQ(Said(f.sockets().Take(c.call)->result), "-1 EINPROGRESS");
  f.Send(c.peer, "S.");
  EXPECT_EQ(Said(f.Do(call::Connect{c.fd, kSomeone})), "0");
  EXPECT_EQ(Said(f.Do(call::Connect{c.fd, kSomeone})), "-1 EISCONN");
}

TEST(PosixTcp, ErrorIsTakenByWhoAsksForIt) {
  PosixFixture f;
  const int fd = Refused(f);
  EXPECT_EQ(Int(f.Do(SocketError(fd))), Linux("ECONNREFUSED"));
  EXPECT_EQ(Int(f.Do(SocketError(fd))), 0);
}

TEST(PosixTcp, SilenceTimesOut) {
  PosixFixture f;
  auto c = f.Connect();
  f.Pass(Duration::Seconds(200));
  EXPECT_EQ(Said(f.sockets().Take(c.call)->result), "-1 ETIMEDOUT");
}

TEST(PosixTcp, PeekLeavesBytesAndTheWindowAlone) {
  PosixFixture f;
  auto [fd, peer] = f.Accepted();
  f.Send(peer, "P.", 1000);
  EXPECT_EQ(f.Do(Read(fd, 600, Linux("MSG_PEEK"))).value, 600);
  EXPECT_EQ(f.Do(Read(fd, 5000, Linux("MSG_PEEK"))).value, 1000);
  EXPECT_EQ(Int(f.Do(call::Ioctl{fd, Linux("SIOCINQ")})), 1000);
  EXPECT_EQ(f.Do(Read(fd, 600)).value, 600);
  EXPECT_EQ(Int(f.Do(call::Ioctl{fd, Linux("SIOCINQ")})), 400);
  EXPECT_EQ(f.Do(call::Receive{.fd = fd, .lengths = {100, 200}}).value, 300);
}

TEST(PosixTcp, WhatIsNotAcknowledgedIsInTheOutputQueue) {
  PosixFixture f;
  auto [fd, peer] = f.Accepted();
  EXPECT_EQ(f.Do(Write(fd, 500)).value, 500);
  EXPECT_EQ(Int(f.Do(call::Ioctl{fd, Linux("SIOCOUTQ")})), 500);
  EXPECT_EQ(Int(f.Do(call::Ioctl{fd, Linux("SIOCOUTQNSD")})), 0);
  f.Hear(peer);
  f.Send(peer, ".");
  EXPECT_EQ(Int(f.Do(call::Ioctl{fd, Linux("SIOCOUTQ")})), 0);
}

struct CloseCase {
  const char* name;
  bool linger;
  size_t unread;
  std::string sent;  // by the host
};

class Closing : public testing::TestWithParam<CloseCase> {};

// [RFC 2525 2.17] what was not read must not look delivered
TEST_P(Closing, SaysFinOrResets) {
  PosixFixture f;
  auto [fd, peer] = f.Accepted();
  if (GetParam().unread > 0) f.Send(peer, "P.", GetParam().unread);
  if (GetParam().linger) {
    EXPECT_EQ(Said(f.Do(ResetOnClose(fd))), "0");
  }
  peer.flags.clear();
  EXPECT_EQ(Said(f.Do(call::Close{fd})), "0");
  f.Hear(peer);
  EXPECT_EQ(peer.flags, GetParam().sent);
  EXPECT_EQ(Said(f.Do(Read(fd, 1))), "-1 EBADF");
}

INSTANTIATE_TEST_SUITE_P(
    PosixTcp, Closing,
    testing::Values(CloseCase{"WithNothingUnread", false, 0, "F."},
                    CloseCase{"WithBytesUnread", false, 10, "R."},
                    CloseCase{"WithLingerZero", true, 0, "R."}),
    [](const auto& info) { return info.param.name; });

struct BindCase {
  const char* name;
  const char* first;
  const char* second;
  bool reuse;
  bool first_listens;
  std::string said;
};

class Binding : public testing::TestWithParam<BindCase> {};

TEST_P(Binding, IsRefusedWhereAnotherIs) {
  PosixFixture f;
  const BindCase& c = GetParam();
  const auto open = [&](const char* address) {
    const auto fd = static_cast<int>(
        f.Do(call::Socket{Linux("AF_INET6"), Linux("SOCK_STREAM")}).value);
    f.Do(call::SetOption{fd, Linux("SOL_SOCKET"), Linux("SO_REUSEADDR"),
                         c.reuse ? 1 : 0});
    return std::pair(fd, f.Do(call::Bind{fd, {Ip(address), 80}}));
  };
  const auto [first, bound] = open(c.first);
  EXPECT_EQ(Said(bound), "0");
  if (c.first_listens) {
    EXPECT_EQ(Said(f.Do(call::Listen{first, 1})), "0");
  }
  EXPECT_EQ(Said(open(c.second).second), c.said);
}

INSTANTIATE_TEST_SUITE_P(
    PosixTcp, Binding,
    testing::Values(BindCase{"SameAddress", "10.0.0.1", "10.0.0.1", false,
                             false, "-1 EADDRINUSE"},
                    BindCase{"Wildcard", "0.0.0.0", "10.0.0.1", false, false,
                             "-1 EADDRINUSE"},
                    BindCase{"DualWildcard", "10.0.0.1", "::", false, false,
                             "-1 EADDRINUSE"},
                    BindCase{"OtherFamily", "10.0.0.1", "2001:db8::1", false,
                             false, "0"},
                    BindCase{"Reuse", "10.0.0.1", "10.0.0.1", true, false, "0"},
                    BindCase{"ReuseOfAListenersAddress", "10.0.0.1", "10.0.0.1",
                             true, true, "-1 EADDRINUSE"}),
    [](const auto& info) { return info.param.name; });

TEST(PosixTcp, SettingsOfAListenerAreThoseOfItsConnections) {
  PosixFixture f;
  const int listener = f.Listener();
  const auto no_delay = [&](int fd) {
    return Int(
        f.Do(call::GetOption{fd, Linux("SOL_TCP"), Linux("TCP_NODELAY")}));
  };
  EXPECT_EQ(Said(f.Do(call::SetOption{listener, Linux("SOL_TCP"),
                                      Linux("TCP_NODELAY"), 1})),
            "0");
  EXPECT_EQ(no_delay(f.Accepted().fd), 1);
  EXPECT_EQ(Said(f.Do(call::SetOption{listener, Linux("SOL_SOCKET"),
                                      Linux("SO_RCVBUF"), 5000})),
            "unsupported: another buffer for a listener");
}

TEST(PosixTcp, InfoHasLinuxsStates) {
  const struct {
    int (*socket)(PosixFixture&);
    int state;
  } kStates[] = {
      {Fresh, Linux("TCP_CLOSE")},      {Listening, Linux("TCP_LISTEN")},
      {Opening, Linux("TCP_SYN_SENT")}, {Open, Linux("TCP_ESTABLISHED")},
      {Reset, Linux("TCP_CLOSE")},      {TimeWait, Linux("TCP_CLOSE")}};
  for (const auto& [socket, state] : kStates) {
    PosixFixture f;
    const CallResult info =
        f.Do(call::GetOption{socket(f), Linux("SOL_TCP"), Linux("TCP_INFO")});
    EXPECT_EQ(info.info.at("tcpi_state"), state);
  }
}

TEST(PosixTcp, ConnectionThatSomebodyElseAbortedIsAborted) {
  PosixFixture f;
  auto [fd, peer] = f.Accepted();
  uint32_t cursor = 0;
  for (const auto& socket : f.stack().ListSockets(cursor, 10)) {
    if (!socket.is_listener) {
      EXPECT_TRUE(f.stack().Abort(socket.socket, f.now()).ok());
    }
  }
  EXPECT_EQ(Said(f.Do(Read(fd, 1))), "-1 ECONNABORTED");
  EXPECT_EQ(Said(f.Do(Read(fd, 1))), "0");
  EXPECT_EQ(Said(f.Do(call::Close{fd})), "0");
}

}  // namespace
}  // namespace conformance
