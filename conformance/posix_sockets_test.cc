#include "conformance/posix_sockets.h"

#include <string>
#include <variant>

#include "conformance/linux_constants.h"
#include "conformance/posix_fixture.h"
#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"

namespace conformance {
namespace {

using tcpip::Duration;
using tcpip::Instant;
using tcpip::Ip;

constexpr int kIn = Linux("POLLIN");
constexpr int kOut = Linux("POLLOUT");

call::Receive Read(int fd, uint32_t length, int flags = 0) {
  return {.fd = fd, .lengths = {length}, .flags = flags};
}
call::Send Write(int fd, uint32_t length, int flags = 0) {
  return {.fd = fd, .lengths = {length}, .flags = flags};
}
call::Poll Poll(int fd, int events, int timeout_ms) {
  return {.entries = {{.fd = fd, .events = events}}, .timeout_ms = timeout_ms};
}
// "" while the call blocks.
std::string SaidOf(PosixFixture& f, PosixSockets::CallId id) {
  const auto finished = f.sockets().Take(id);
  return finished ? Said(finished->result) : "";
}

struct SocketCase {
  int domain;
  int type;
  int protocol;
  std::string said;
};

TEST(PosixSockets, SocketsAreOfKnownKinds) {
  const SocketCase kCases[] = {
      {Linux("AF_INET"), Linux("SOCK_STREAM"), Linux("IPPROTO_TCP"), "3"},
      {Linux("AF_INET6"), Linux("SOCK_STREAM"), 0, "3"},
      {Linux("AF_INET"), Linux("SOCK_DGRAM"), Linux("IPPROTO_UDP"), "3"},
      {Linux("AF_INET6"), Linux("SOCK_DGRAM") | Linux("SOCK_CLOEXEC"), 0, "3"},
      {99, Linux("SOCK_STREAM"), 0, "-1 EAFNOSUPPORT"},
      {Linux("AF_INET"), Linux("SOCK_STREAM"), Linux("IPPROTO_UDP"),
       "-1 EPROTONOSUPPORT"},
      {Linux("AF_INET"), Linux("SOCK_STREAM"), Linux("IPPROTO_MPTCP"),
       "unsupported: protocol IPPROTO_MPTCP"},
      {Linux("AF_INET"), Linux("SOCK_RAW"), Linux("IPPROTO_TCP"),
       "unsupported: socket type 3"},
  };
  for (const SocketCase& c : kCases) {
    PosixFixture f;
    EXPECT_EQ(Said(f.Do(call::Socket{c.domain, c.type, c.protocol})), c.said);
  }
}

TEST(PosixSockets, WhatIsNotOpenOrNoSocketIsRefused) {
  PosixFixture f;
  EXPECT_EQ(Said(f.Do(call::EpollCreate{})), "3");
  EXPECT_EQ(Said(f.Do(Read(3, 1))), "-1 ENOTSOCK");
  EXPECT_EQ(Said(f.Do(call::Listen{3, 1})), "-1 ENOTSOCK");
  for (const Call& call : std::initializer_list<Call>{
           Read(9, 1), Write(9, 1), call::Close{9}, call::Fcntl{9, 3, 0},
           call::EpollWait{.epoll_fd = 9, .max_events = 1}}) {
    EXPECT_EQ(Said(f.Do(call)), "-1 EBADF");
  }
}

TEST(PosixSockets, NonBlockingIsAFlagThatCanBeRead) {
  PosixFixture f;
  const int fd = f.Socket(Linux("SOCK_NONBLOCK"));
  const auto flags = [&] {
    return f.Do(call::Fcntl{fd, Linux("F_GETFL")}).value;
  };
  EXPECT_EQ(flags(), Linux("O_RDWR") | Linux("O_NONBLOCK"));
  f.Do(call::Fcntl{fd, Linux("F_SETFL"), Linux("O_RDWR")});
  EXPECT_EQ(flags(), Linux("O_RDWR"));
  EXPECT_EQ(Said(f.Do(call::Fcntl{fd, Linux("F_DUPFD")})),
            "unsupported: fcntl 0");
}

// --- What blocks.

TEST(PosixSockets, AcceptWaitsForAConnection) {
  PosixFixture f;
  const int listener = f.Listener();
  const auto id = f.Begin(call::Accept{listener, Linux("SOCK_NONBLOCK")});
  f.Pass(Duration::Milliseconds(10));
  const Peer peer = f.Knock();
  const auto finished = f.sockets().Take(id);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->at, f.now());
  EXPECT_EQ(finished->result.peer, peer.self);
  const auto fd = static_cast<int>(finished->result.value);
  EXPECT_EQ(fd, listener + 1);
  EXPECT_EQ(Said(f.Do(Read(fd, 1))), "-1 EAGAIN");
  EXPECT_EQ(f.sockets().Take(id), std::nullopt);  // once
}

TEST(PosixSockets, ConnectWaitsForTheHandshake) {
  PosixFixture f;
  auto c = f.Connect();
  EXPECT_EQ(SaidOf(f, c.call), "");
  f.Send(c.peer, "S.");
  EXPECT_EQ(SaidOf(f, c.call), "0");
}

TEST(PosixSockets, ConnectThatIsRefusedMayBeTriedAgain) {
  PosixFixture f;
  auto c = f.Connect();
  f.Send(c.peer, "R.");
  EXPECT_EQ(SaidOf(f, c.call), "-1 ECONNREFUSED");
  f.Begin(call::Connect{c.fd, c.peer.self});
}

TEST(PosixSockets, ConnectThatIsShutDownMeanwhileFails) {
  PosixFixture f;
  auto c = f.Connect();
  EXPECT_EQ(Said(f.Do(call::Shutdown{c.fd, Linux("SHUT_WR")})), "0");
  EXPECT_EQ(SaidOf(f, c.call), "-1 ECONNABORTED");
}

TEST(PosixSockets, ReadWaitsForBytesEofOrError) {
  const struct {
    const char* flags;
    size_t bytes;
    const char* said;
  } kArrivals[] = {
      {"P.", 10, "10"}, {"F.", 0, "0"}, {"R.", 0, "-1 ECONNRESET"}};
  for (const auto& [flags, bytes, said] : kArrivals) {
    PosixFixture f;
    auto [fd, peer] = f.Accepted();
    const auto id = f.Begin(Read(fd, 100));
    f.Send(peer, flags, bytes);
    EXPECT_EQ(SaidOf(f, id), said);
  }
}

TEST(PosixSockets, ReadOfAllWaitsForAllOrTheEnd) {
  PosixFixture f;
  auto [fd, peer] = f.Accepted();
  auto id = f.Begin(Read(fd, 100, Linux("MSG_WAITALL")));
  f.Send(peer, "P.", 60);
  EXPECT_EQ(SaidOf(f, id), "");
  f.Send(peer, "P.", 60);
  EXPECT_EQ(SaidOf(f, id), "100");
  id = f.Begin(Read(fd, 100, Linux("MSG_WAITALL")));
  f.Send(peer, "F.");
  EXPECT_EQ(SaidOf(f, id), "20");
}

TEST(PosixSockets, CallsThatMustNotWaitSayWhatTheyGot) {
  PosixFixture f;
  auto [fd, peer] = f.Accepted();
  EXPECT_EQ(Said(f.Do(Read(fd, 1, Linux("MSG_DONTWAIT")))), "-1 EAGAIN");
  f.Send(peer, "P.", 60);
  EXPECT_EQ(
      Said(f.Do(Read(fd, 100, Linux("MSG_DONTWAIT") | Linux("MSG_WAITALL")))),
      "60");
}

PosixDefaults SmallSendBuffer() {
  PosixDefaults defaults;
  defaults.settings.send_buffer_bytes = 30'000;
  return defaults;
}

TEST(PosixSockets, WriteWaitsForRoomForAll) {
  PosixFixture f(SmallSendBuffer());
  auto [fd, peer] = f.Accepted();
  const auto id = f.Begin(Write(fd, 50'000));
  for (int turn = 0; turn < 20 && peer.bytes < 50'000; ++turn) {
    f.Hear(peer);
    f.Send(peer, ".");
    f.Pass(Duration::Milliseconds(50));
  }
  EXPECT_EQ(peer.bytes, 50'000u);
  EXPECT_EQ(SaidOf(f, id), "50000");
}

TEST(PosixSockets, WriteThatFailsHalfwaySaysHowFarItCame) {
  PosixFixture f(SmallSendBuffer());
  auto [fd, peer] = f.Accepted();
  const auto id = f.Begin(Write(fd, 50'000));
  f.Send(peer, "R.");
  EXPECT_EQ(SaidOf(f, id), "30000");
  EXPECT_EQ(Said(f.Do(Write(fd, 1))), "-1 ECONNRESET");
}

TEST(PosixSockets, WriteThatMustNotWaitTakesWhatFits) {
  PosixFixture f(SmallSendBuffer());
  auto [fd, peer] = f.Accepted();
  f.Do(call::Fcntl{fd, Linux("F_SETFL"), Linux("O_NONBLOCK")});
  EXPECT_EQ(Said(f.Do(Write(fd, 50'000))), "30000");
  EXPECT_EQ(Said(f.Do(Write(fd, 50'000))), "-1 EAGAIN");
}

TEST(PosixSockets, DescriptorOfAWaitingCallIsNotClosed) {
  PosixFixture f;
  const int fd = f.Accepted().fd;
  f.Begin(Read(fd, 1));
  EXPECT_EQ(Said(f.Do(call::Close{fd})),
            "unsupported: closing a descriptor that a call waits for");
}

// --- poll and epoll.

TEST(PosixSockets, PollWaitsForEventsOrItsTime) {
  PosixFixture f;
  auto [fd, peer] = f.Accepted();
  EXPECT_EQ(Said(f.Do(Poll(fd, kIn, 0))), "0");
  EXPECT_EQ(Said(f.Do(Poll(fd, kIn | kOut, -1))), "1");
  const Instant began = f.now();
  auto id = f.Begin(Poll(fd, kIn, 250));
  EXPECT_EQ(f.sockets().NextDeadline(), began + Duration::Milliseconds(250));
  f.Pass(Duration::Seconds(1));
  auto finished = f.sockets().Take(id);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->result.value, 0);
  EXPECT_EQ(finished->at, began + Duration::Milliseconds(250));
  EXPECT_EQ(f.sockets().NextDeadline(), Instant::Never());
  id = f.Begin(Poll(fd, kIn, -1));
  f.Send(peer, "P.", 1);
  finished = f.sockets().Take(id);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->result.value, 1);
  EXPECT_EQ(finished->result.poll.at(0).revents, kIn);
}

class EpollTest : public testing::Test {
 protected:
  void Add(int fd, uint32_t events) {
    EXPECT_EQ(Said(f_.Do(call::EpollControl{
                  epoll_, Linux("EPOLL_CTL_ADD"), fd, {events, 77}})),
              "0");
  }
  // "" for nothing.
  std::string Wait() {
    const CallResult result =
        f_.Do(call::EpollWait{.epoll_fd = epoll_, .max_events = 5});
    if (result.epoll.empty()) return Said(result);
    EXPECT_EQ(result.epoll[0].data, 77u);
    return FlagsText(kEpollEvents, result.epoll[0].events);
  }

  PosixFixture f_{SmallSendBuffer()};
  int epoll_ = static_cast<int>(f_.Do(call::EpollCreate{}).value);
  const uint32_t edge_ = static_cast<uint32_t>(Linux("EPOLLET"));
};

TEST_F(EpollTest, RefusesWhatMakesNoSense) {
  const int fd = f_.Socket();
  const auto control = [&](int epoll, int operation, int other) {
    return Said(f_.Do(call::EpollControl{epoll, operation, other, {}}));
  };
  EXPECT_EQ(control(epoll_, 1, 99), "-1 EBADF");
  EXPECT_EQ(control(99, 1, fd), "-1 EBADF");
  EXPECT_EQ(control(fd, 1, fd), "-1 EINVAL");
  EXPECT_EQ(control(epoll_, 1, epoll_), "-1 EINVAL");
  EXPECT_EQ(Said(f_.Do(call::EpollWait{epoll_, 0, 0})), "-1 EINVAL");
  EXPECT_EQ(Said(f_.Do(call::EpollWait{fd, 1, 0})), "-1 EINVAL");
}

TEST_F(EpollTest, WaitsForEvents) {
  auto [fd, peer] = f_.Accepted();
  Add(fd, kIn);
  const auto id = f_.Begin(call::EpollWait{epoll_, 1, -1});
  f_.Send(peer, "P.", 5);
  EXPECT_EQ(SaidOf(f_, id), "1");
  EXPECT_EQ(Wait(), "EPOLLIN");
}

TEST_F(EpollTest, EveryArrivalIsAnEdge) {
  auto [fd, peer] = f_.Accepted();
  Add(fd, kIn | edge_);
  EXPECT_EQ(Wait(), "0");
  f_.Send(peer, "P.", 5);
  EXPECT_EQ(Wait(), "EPOLLIN");
  EXPECT_EQ(Wait(), "0");
  f_.Send(peer, "P.", 5);  // although the first was not read
  EXPECT_EQ(Wait(), "EPOLLIN");
  f_.Do(Read(fd, 100));
  EXPECT_EQ(Wait(), "0");
}

TEST_F(EpollTest, RoomAfterAFullBufferIsAnEdge) {
  auto [fd, peer] = f_.Accepted();
  f_.Do(call::Fcntl{fd, Linux("F_SETFL"), Linux("O_NONBLOCK")});
  Add(fd, kOut | edge_);
  EXPECT_EQ(Wait(), "EPOLLOUT");
  EXPECT_EQ(Said(f_.Do(Write(fd, 50'000))), "30000");
  EXPECT_EQ(Wait(), "0");
  f_.Hear(peer);
  f_.Send(peer, ".");
  EXPECT_EQ(Wait(), "0");  // less than a third is free
  f_.Send(peer, ".");
  EXPECT_EQ(Wait(), "EPOLLOUT");
  f_.Send(peer, ".");  // yet more room is no news
  EXPECT_EQ(Wait(), "0");
}

TEST_F(EpollTest, ConnectionsToAcceptAreEvents) {
  const int listener = f_.Listener();
  Add(listener, kIn | edge_);
  f_.Knock(40001);
  EXPECT_EQ(Wait(), "EPOLLIN");
  EXPECT_EQ(Wait(), "0");
  f_.Knock(40002);
  EXPECT_EQ(Wait(), "EPOLLIN");
}

TEST_F(EpollTest, ClosedDescriptorIsForgotten) {
  auto [fd, peer] = f_.Accepted();
  Add(fd, kIn);
  f_.Send(peer, "P.", 5);
  f_.Do(call::Close{fd});
  EXPECT_EQ(Wait(), "0");
}

TEST(PosixSockets, BothFamiliesAndOneForTheOther) {
  const struct {
    int domain;
    const char* local;
    const char* self;
  } kCases[] = {{Linux("AF_INET6"), "2001:db8::1", "2001:db8::2"},
                {Linux("AF_INET6"), "::", "2001:db8::2"},
                {Linux("AF_INET6"), "::", "10.0.0.2"},
                {Linux("AF_INET6"), "10.0.0.1", "10.0.0.2"},
                {Linux("AF_INET"), "0.0.0.0", "10.0.0.2"}};
  for (const auto& [domain, local, self] : kCases) {
    PosixFixture f;
    const auto fd = static_cast<int>(
        f.Do(call::Socket{domain, Linux("SOCK_STREAM")}).value);
    EXPECT_EQ(Said(f.Do(call::Bind{fd, {Ip(local), 80}})), "0");
    EXPECT_EQ(Said(f.Do(call::Listen{fd, 1})), "0");
    Peer peer = {
        .self = {Ip(self), 40000},
        .host = {Ip(Ip(self).IsIpv4() ? "10.0.0.1" : "2001:db8::1"), 80}};
    f.Send(peer, "S");
    f.Send(peer, ".");
    EXPECT_EQ(f.Do(call::Accept{fd}).peer, peer.self);
  }
}

}  // namespace
}  // namespace conformance
