#include "conformance/call_binding.h"

#include <string>
#include <utility>
#include <vector>

#include "conformance/expr_fixture.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

using tcpip::IpEndpoint;

const Ellipses kFill = {.domain = Linux("AF_INET6"),
                        .local = IpEndpoint::Parse("10.0.0.1:8080").value(),
                        .remote = IpEndpoint::Parse("10.0.0.2:8080").value()};

// Script's 3 is the host's 13, 4 is 14.
Labels SomeLabels() {
  Labels labels;
  labels.Set(3, 13);
  labels.Set(4, 14);
  return labels;
}

template <typename C>
C BindAs(const char* name, std::vector<Expr> args) {
  const absl::StatusOr<Call> call =
      Bind(Spec(name, std::move(args)), SomeLabels(), kFill);
  EXPECT_TRUE(call.ok()) << call.status();
  const C* const bound = call.ok() ? std::get_if<C>(&*call) : nullptr;
  EXPECT_NE(bound, nullptr) << name;
  return bound ? *bound : C();
}

absl::Status BindError(const char* name, std::vector<Expr> args) {
  return Bind(Spec(name, std::move(args)), SomeLabels(), kFill).status();
}

TEST(Bind, EllipsesAreFilledIn) {
  const auto socket =
      BindAs<call::Socket>("socket", {Any(), W("SOCK_STREAM"), Any()});
  EXPECT_EQ(socket.domain, Linux("AF_INET6"));
  EXPECT_EQ(socket.type, Linux("SOCK_STREAM"));
  EXPECT_EQ(BindAs<call::Bind>("bind", {N(3), Any(), Any()}).local,
            kFill.local);
  EXPECT_EQ(BindAs<call::Connect>("connect", {N(3), Any(), Any()}).remote,
            kFill.remote);
  EXPECT_EQ(
      BindAs<call::Send>("sendto", {N(3), Any(), N(9), N(0), Any(), Any()}).to,
      kFill.remote);
}

TEST(Bind, DescriptorsAreTheHosts) {
  EXPECT_EQ(BindAs<call::Close>("close", {N(4)}).fd, 14);
  EXPECT_EQ(BindAs<call::Listen>("listen", {N(3), N(7)}).fd, 13);
  EXPECT_EQ(BindAs<call::Close>("close", {N(99)}).fd, -1);
  const auto poll = BindAs<call::Poll>(
      "poll", {A({Struct({{"fd", N(3)}, {"events", W("POLLIN")}}),
                  Struct({{"fd", N(-1)}, {"events", N(0)}}),
                  Struct({{"fd", N(99)}, {"events", N(0)}})}),
               N(3), N(100)});
  EXPECT_EQ(poll.entries.at(0).fd, 13);
  EXPECT_EQ(poll.entries.at(0).events, 1);
  EXPECT_EQ(poll.entries.at(1).fd, -1);
  EXPECT_GT(poll.entries.at(2).fd, 1'000'000);  // of which a host says NVAL
  EXPECT_EQ(poll.timeout_ms, 100);
  const auto control = BindAs<call::EpollControl>(
      "epoll_ctl",
      {N(3), W("EPOLL_CTL_ADD"), N(4),
       Struct({{"events", Or({W("EPOLLIN"), W("EPOLLET")})}, {"fd", N(4)}})});
  EXPECT_EQ(control.epoll_fd, 13);
  EXPECT_EQ(control.fd, 14);
  // Data are the script's own.
  EXPECT_EQ(control.event, (call::EpollEvent{0x80000001, 4}));
}

TEST(Bind, BuffersAreLengths) {
  const std::vector<Expr> two = {Struct({{"", Any()}, {"", N(10)}}),
                                 Struct({{"", Any()}, {"", N(20)}})};
  const Expr header =
      Struct({{"msg_name", Any()}, {"msg_iov", A(two)}, {"msg_flags", N(0)}});
  const std::vector<uint32_t> one = {500};
  const std::vector<uint32_t> both = {10, 20};
  using Receive = call::Receive;
  using Send = call::Send;
  EXPECT_EQ(BindAs<Receive>("read", {N(3), Any(), N(500)}).lengths, one);
  EXPECT_EQ(BindAs<Receive>("readv", {N(3), A(two), N(2)}).lengths, both);
  EXPECT_EQ(BindAs<Receive>("recvmsg", {N(3), header, N(0)}).lengths, both);
  EXPECT_EQ(BindAs<Send>("write", {N(3), Any(), N(500)}).lengths, one);
  EXPECT_EQ(BindAs<Send>("writev", {N(3), A(two), N(2)}).lengths, both);
  EXPECT_EQ(BindAs<Send>("sendmsg", {N(3), header, N(0)}).lengths, both);
  EXPECT_EQ(BindAs<Receive>("recv", {N(3), Any(), N(5), W("MSG_PEEK")}).flags,
            2);
  EXPECT_EQ(BindAs<Send>("send", {N(3), Any(), N(5), W("MSG_MORE")}).flags,
            0x8000);
  EXPECT_EQ(
      BindAs<Send>("sendto", {N(3), Any(), N(5), N(0), W("NULL"), N(0)}).to,
      std::nullopt);
  EXPECT_EQ(BindAs<Receive>("recvfrom", {N(3), Any(), N(5), N(0), Any(), Any()})
                .lengths.at(0),
            5u);
}

TEST(Bind, RoomForControlMessagesIsMadeWhereTheyAreExpected) {
  const auto room = [](std::vector<std::pair<std::string, Expr>> more) {
    more.insert(more.begin(), {"msg_iov", A({})});
    return BindAs<call::Receive>("recvmsg", {N(3), Struct(more), N(0)})
        .control_length;
  };
  EXPECT_EQ(room({}), 0u);
  EXPECT_GT(room({{"msg_control", A({})}}), 0u);
}

TEST(Bind, OptionsHaveTheirValues) {
  const auto value = [](Expr value) {
    return BindAs<call::SetOption>(
               "setsockopt",
               {N(3), W("SOL_SOCKET"), W("SO_LINGER"), std::move(value), N(4)})
        .value;
  };
  EXPECT_EQ(value(A({N(1)})), call::OptionValue(1));
  EXPECT_EQ(value(A({N(0xffffffff)})), call::OptionValue(-1));
  EXPECT_EQ(value(Struct({{"onoff", N(1)}, {"linger", N(0)}})),
            call::OptionValue(call::Linger{1, 0}));
  EXPECT_EQ(value(S("reno")), call::OptionValue("reno"));
  const auto get = BindAs<call::GetOption>(
      "getsockopt",
      {N(3), W("SOL_TCP"), W("TCP_NODELAY"), A({N(1)}), A({N(4)})});
  EXPECT_EQ(get.level, 6);
  EXPECT_EQ(get.name, 1);
}

TEST(Bind, TheOtherCallsAreBound) {
  EXPECT_EQ(BindAs<call::Accept>("accept", {N(3), Any(), Any()}).flags, 0);
  EXPECT_EQ(
      BindAs<call::Accept>("accept4", {N(3), Any(), Any(), W("SOCK_NONBLOCK")})
          .flags,
      0x800);
  const auto fcntl = BindAs<call::Fcntl>(
      "fcntl", {N(3), W("F_SETFL"), Or({W("O_RDWR"), W("O_NONBLOCK")})});
  EXPECT_EQ(fcntl.command, 4);
  EXPECT_EQ(fcntl.argument, 0x802);
  EXPECT_EQ(BindAs<call::Fcntl>("fcntl", {N(3), W("F_GETFL")}).argument, 0);
  EXPECT_EQ(
      BindAs<call::Ioctl>("ioctl", {N(3), W("SIOCINQ"), A({N(5)})}).request,
      0x541bu);
  EXPECT_EQ(BindAs<call::Shutdown>("shutdown", {N(3), W("SHUT_WR")}).how, 1);
  EXPECT_EQ(BindAs<call::EpollCreate>("epoll_create", {N(1)}).flags, 0);
  EXPECT_EQ(
      BindAs<call::EpollCreate>("epoll_create1", {W("EPOLL_CLOEXEC")}).flags,
      0x80000);
  const auto wait = BindAs<call::EpollWait>(
      "epoll_wait",
      {N(3), Struct({{"events", N(0)}, {"ptr", N(0)}}), N(1), N(-1)});
  EXPECT_EQ(wait.max_events, 1);
  EXPECT_EQ(wait.timeout_ms, -1);
  EXPECT_EQ(BindAs<call::EpollControl>(
                "epoll_ctl", {N(3), W("EPOLL_CTL_DEL"), N(4), W("NULL")})
                .fd,
            14);
}

TEST(Bind, WhatWeDoNotHaveIsToldFromNonsense) {
  EXPECT_EQ(BindError("splice", {}),
            absl::UnimplementedError("splice() is not a call that is known"));
  EXPECT_EQ(BindError("setsockopt",
                      {N(3), W("SOL_TCP"), W("TCP_NEWEST"), A({N(1)}), N(4)}),
            absl::UnimplementedError("setsockopt: constant TCP_NEWEST"));
  EXPECT_EQ(BindError("listen", {N(3)}),
            absl::InvalidArgumentError("listen: 1 arguments instead of 2"));
  EXPECT_EQ(
      BindError(
          "sendmsg",
          {N(3), Struct({{"msg_iov", A({})}, {"msg_control", A({})}}), N(0)}),
      absl::UnimplementedError("sendmsg: control messages that go out"));
  EXPECT_EQ(BindError("getsockopt", {N(3), N(1), N(4), A({W("ENEW")}), Any()}),
            absl::UnimplementedError("constant ENEW"));
}

// --- Compare.

struct Case {
  const char* name;
  CallSpec spec;
  CallResult result;
  std::string said = "";
};

CallResult Gives(int64_t value, int error = 0) {
  return {.value = value, .error = error};
}
CallResult GivesOption(call::OptionValue value) {
  return {.option = std::move(value)};
}
CallSpec GetOption(Expr value, Expr length) {
  return Spec("getsockopt",
              {N(3), N(1), N(4), std::move(value), std::move(length)});
}
CallSpec PollSpec(Expr revents) {
  return Spec("poll",
              {A({Struct({{"fd", N(3)},
                          {"events", W("POLLIN")},
                          {"revents", std::move(revents)}})}),
               N(1), N(0)},
              N(1));
}
CallResult PollGives(int revents) {
  return {.value = 1, .poll = {{13, 1, revents}}};
}
CallSpec EpollSpec(Expr events, int64_t result) {
  return Spec("epoll_wait", {N(3), std::move(events), N(2), N(0)}, N(result));
}
Expr Event(Expr events, int64_t fd) {
  return Struct({{"events", std::move(events)}, {"fd", N(fd)}});
}
CallResult EpollGives(std::vector<call::EpollEvent> events) {
  return {.value = static_cast<int64_t>(events.size()),
          .epoll = std::move(events)};
}
CallSpec Recvmsg(Expr flags) {
  return Spec("recvmsg",
              {N(3), Struct({{"msg_flags", std::move(flags)}}), N(0)}, N(5));
}

const Case kCases[] = {
    {"SameValue", Spec("read", {N(4), Any(), N(9)}, N(9)), Gives(9)},
    {"OtherValue", Spec("read", {N(4), Any(), N(9)}, N(9)), Gives(5),
     "expected read(4, ..., 9) = 9, got read(4, ..., 9) = 5"},
    {"AnyValue", Spec("read", {}, Any()), Gives(5)},
    {"ValueByName", Spec("fcntl", {}, W("O_RDWR")), Gives(2)},
    {"SameError", Spec("close", {N(3)}, N(-1), "EBADF"),
     Gives(-1, Linux("EBADF"))},
    {"SameErrorOfTwoNames", Spec("close", {N(3)}, N(-1), "EWOULDBLOCK"),
     Gives(-1, Linux("EAGAIN"))},
    {"OtherError", Spec("close", {N(3)}, N(-1), "EBADF"),
     Gives(-1, Linux("EPIPE")),
     "expected close(3) = -1 EBADF, got close(3) = -1 EPIPE"},
    {"AnyError", Spec("close", {N(3)}, N(-1)), Gives(-1, Linux("EPIPE"))},
    {"ErrorInsteadOfValue", Spec("close", {N(3)}), Gives(-1, Linux("EPIPE")),
     "expected close(3) = 0, got close(3) = -1 EPIPE"},
    {"ValueInsteadOfError", Spec("close", {N(3)}, N(-1), "EPIPE"), Gives(0),
     "expected close(3) = -1 EPIPE, got close(3) = 0"},
    {"DescriptorFails", Spec("accept", {N(3)}, N(4)),
     Gives(-1, Linux("EAGAIN")),
     "expected accept(3) = 4, got accept(3) = -1 EAGAIN"},
    {"DescriptorInsteadOfError", Spec("accept", {N(3)}, N(-1), "EAGAIN"),
     Gives(7), "expected accept(3) = -1 EAGAIN, got accept(3) = 7"},

    {"Option", GetOption(A({N(5)}), A({N(4)})), GivesOption(5)},
    {"OptionWithoutSign", GetOption(A({N(0xffffffff)}), A({N(4)})),
     GivesOption(-1)},
    {"OptionByName", GetOption(A({W("ECONNRESET")}), A({N(4)})),
     GivesOption(104)},
    {"OtherOption", GetOption(A({N(5)}), A({N(4)})), GivesOption(6),
     "expected getsockopt(3, 1, 4, [5], [4]) = 0, "
     "got getsockopt(3, 1, 4, [6], [4]) = 0"},
    {"OtherLength", GetOption(A({N(5)}), A({N(8)})), GivesOption(5),
     "expected getsockopt(3, 1, 4, [5], [8]) = 0, "
     "got getsockopt(3, 1, 4, [5], [4]) = 0"},
    {"AnyOption", GetOption(Any(), Any()), GivesOption(5)},
    {"Linger",
     GetOption(Struct({{"onoff", N(1)}, {"linger", N(0)}}), A({N(8)})),
     GivesOption(call::Linger{1, 0})},
    {"OtherLinger",
     GetOption(Struct({{"onoff", N(0)}, {"linger", Any()}}), A({N(8)})),
     GivesOption(call::Linger{1, 0}),
     "expected getsockopt(3, 1, 4, {onoff=0, linger=...}, [8]) = 0, "
     "got getsockopt(3, 1, 4, {onoff=1, linger=...}, [8]) = 0"},
    {"Name", GetOption(S("reno"), A({N(16)})), GivesOption("reno")},
    {"OtherName", GetOption(S("cubic"), Any()), GivesOption("reno"),
     "expected getsockopt(3, 1, 4, \"cubic\", ...) = 0, "
     "got getsockopt(3, 1, 4, \"reno\", ...) = 0"},
    {"OptionOfAnotherKind", GetOption(S("5"), Any()), GivesOption(5),
     "expected getsockopt(3, 1, 4, \"5\", ...) = 0, "
     "got getsockopt(3, 1, 4, [5], ...) = 0"},
    {"Info",
     GetOption(Struct({{"tcpi_state", W("TCP_CLOSE")}}), Any()),
     {.info = {{"tcpi_state", 7}}}},
    {"OtherInfo",
     GetOption(Struct({{"tcpi_state", N(1)}, {"tcpi_lost", N(0)}}), Any()),
     {.info = {{"tcpi_state", 7}}},
     "expected getsockopt(3, 1, 4, {tcpi_state=1, tcpi_lost=0}, ...) = 0, "
     "got getsockopt(3, 1, 4, {tcpi_state=7, tcpi_lost=?}, ...) = 0"},
    {"Ioctl", Spec("ioctl", {N(3), W("SIOCINQ"), A({N(9)})}), GivesOption(9)},
    {"OtherIoctl", Spec("ioctl", {N(3), W("SIOCINQ"), A({N(9)})}),
     GivesOption(8),
     "expected ioctl(3, SIOCINQ, [9]) = 0, got ioctl(3, SIOCINQ, [8]) = 0"},
    {"NothingComesOutOfAFailure",
     Spec("ioctl", {N(3), W("SIOCINQ"), A({N(9)})}, N(-1), "EINVAL"),
     Gives(-1, Linux("EINVAL"))},

    {"Revents", PollSpec(Or({W("POLLIN"), W("POLLHUP")})), PollGives(0x11)},
    {"OtherRevents", PollSpec(W("POLLIN")), PollGives(0x11),
     "expected poll([{fd=3, events=POLLIN, revents=POLLIN}], 1, 0) = 1, "
     "got poll([{fd=3, events=POLLIN, revents=POLLIN|POLLHUP}], 1, 0) = 1"},
    {"Event", EpollSpec(Event(W("EPOLLIN"), 4), 1), EpollGives({{1, 4}})},
    {"OtherEvent", EpollSpec(Event(W("EPOLLIN"), 4), 1), EpollGives({{5, 4}}),
     "expected epoll_wait(3, {events=EPOLLIN, fd=4}, 2, 0) = 1, "
     "got epoll_wait(3, {events=EPOLLIN|EPOLLOUT, fd=4}, 2, 0) = 1"},
    {"OtherData", EpollSpec(Event(W("EPOLLIN"), 4), 1), EpollGives({{1, 5}}),
     "expected epoll_wait(3, {events=EPOLLIN, fd=4}, 2, 0) = 1, "
     "got epoll_wait(3, {events=EPOLLIN, fd=5}, 2, 0) = 1"},
    {"NoEvent", EpollSpec(Event(W("EPOLLIN"), 4), 0), EpollGives({})},
    {"TwoEvents",
     EpollSpec(A({Event(W("EPOLLIN"), 4), Event(W("EPOLLOUT"), 5)}), 2),
     EpollGives({{1, 4}, {4, 5}})},
    {"SecondEventDiffers",
     EpollSpec(A({Event(W("EPOLLIN"), 4), Event(W("EPOLLIN"), 5)}), 2),
     EpollGives({{1, 4}, {4, 5}}),
     "expected epoll_wait(3, [{events=EPOLLIN, fd=4}, {events=EPOLLIN, fd=5}],"
     " 2, 0) = 2, got epoll_wait(3, [{events=EPOLLIN, fd=4}, "
     "{events=EPOLLOUT, fd=5}], 2, 0) = 2"},
    {"MessageFlags",
     Recvmsg(W("MSG_TRUNC")),
     {.value = 5, .message_flags = 0x20}},
    {"OtherMessageFlags",
     Recvmsg(N(0)),
     {.value = 5, .message_flags = 0x20},
     "expected recvmsg(3, {msg_flags=0}, 0) = 5, "
     "got recvmsg(3, {msg_flags=MSG_TRUNC}, 0) = 5"},
};

class Comparison : public testing::TestWithParam<Case> {};

TEST_P(Comparison, SaysWhatDiffers) {
  Labels labels = SomeLabels();
  EXPECT_EQ(Compare(GetParam().spec, GetParam().result, labels),
            GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(Compare, Comparison, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(Compare, DescriptorsAreBoundToTheScriptsLabels) {
  for (const char* call : {"socket", "accept", "epoll_create"}) {
    Labels labels;
    EXPECT_EQ(Compare(Spec(call, {}, N(4)), Gives(17), labels), "");
    EXPECT_EQ(labels.Find(4), 17);
  }
}

}  // namespace
}  // namespace conformance
