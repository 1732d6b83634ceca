#include "conformance/call_side.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/cursor.h"
#include "conformance/fake_host.h"
#include "conformance/lexer.h"
#include "conformance/linux_constants.h"
#include "conformance/parser_calls.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

using tcpip::Duration;
using tcpip::IpAddress;
using tcpip::IpEndpoint;

const IpAddress kLocal = IpAddress::Ipv4(192, 168, 0, 1);
const IpAddress kRemote = IpAddress::Ipv4(192, 0, 2, 1);

constexpr Duration Ms(int64_t ms) { return Duration::Milliseconds(ms); }

std::string Said(const Ended& ended) { return ended ? ended->message : ""; }

class CallSideTest : public testing::Test {
 protected:
  // A call on line `line_`, to which the host answers so.
  Ended Call(const std::string& text, const CallTime& time = {}) {
    Lexer lexer(text, "linux");
    Cursor cursor(lexer);
    CallSpec spec;
    EXPECT_TRUE(ParseCall(cursor, spec)) << cursor.error();
    return calls_.OnCall(spec, 7, time);
  }
  Ended Call(const std::string& text, CallResult result) {
    host_.Answers(std::move(result));
    return Call(text);
  }
  // The script's descriptor 3 is the host's 30.
  void Socket(const std::string& type = "SOCK_STREAM") {
    EXPECT_EQ(Said(Call("socket(..., " + type + ", 0) = 3", {.value = 30})),
              "");
  }

  FakeHost host_;
  FlowBook flows_{{.local = kLocal, .remote = kRemote}};
  Journal journal_{100};
  CallSide calls_{host_, flows_, journal_,
                  Ellipses{.local = {kLocal, 8080}, .remote = {kRemote, 8080}}};
};

TEST_F(CallSideTest, AScriptsDescriptorStandsForTheHosts) {
  Socket();
  EXPECT_EQ(Said(Call("close(3) = 0", {.value = 0})), "");
  EXPECT_EQ(std::get<call::Close>(host_.calls().back()).fd, 30);
}

TEST_F(CallSideTest, AnotherResultFails) {
  EXPECT_EQ(Said(Call("close(9) = 0", {.value = -1, .error = 9})),
            "close: expected close(9) = 0, got close(9) = -1 EBADF");
  EXPECT_EQ(Said(Call("write(9, ..., 5) = 5", {.value = 4})),
            "write: expected write(9, ..., 5) = 5, got write(9, ..., 5) = 4");
}

TEST_F(CallSideTest, WhatTheHostDoesNotHaveIsSkippedByItsReason) {
  const Ended call = Call("read(9, ..., 5) = 5", {.unsupported = "x"});
  ASSERT_TRUE(call);
  EXPECT_EQ(call->verdict, Verdict::kSkip);
  EXPECT_EQ(call->skip, SkipReason::kCall);
  EXPECT_EQ(call->message, "x is not supported");
  const Ended option = Call("setsockopt(9, SOL_TCP, TCP_CORK, [1], 4) = 0",
                            {.unsupported = "option TCP_CORK"});
  ASSERT_TRUE(option);
  EXPECT_EQ(option->skip, SkipReason::kSocketOption);
  const Ended unknown = Call("splice(9) = 0");
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->skip, SkipReason::kCall);
}

TEST_F(CallSideTest, ACallThatBlocksIsJudgedWhenItIsWaitedFor) {
  host_.Answers({.value = 5}, Ms(20));
  EXPECT_EQ(Said(Call("read(9, ..., 5) = 5", {.returns = Ms(20)})), "");
  EXPECT_EQ(host_.now(), Ms(0)) << "others come before it is over";
  EXPECT_EQ(Said(calls_.FinishPending()), "");
  EXPECT_EQ(host_.now(), Ms(20));
  EXPECT_EQ(Said(calls_.FinishPending()), "") << "once";
}

TEST_F(CallSideTest, AReturnAtAnotherTimeFailsWhereTheCallStands) {
  for (const int64_t returns : {19, 21}) {
    FakeHost host;
    CallSide calls(host, flows_, journal_, {});
    host.Answers({.value = 5}, Ms(20));
    CallSpec spec;
    Lexer lexer("read(9, ..., 5) = 5", "linux");
    Cursor cursor(lexer);
    ASSERT_TRUE(ParseCall(cursor, spec));
    EXPECT_FALSE(calls.OnCall(spec, 7, {.returns = Ms(returns)}));
    const Ended ended = calls.FinishPending();
    ASSERT_TRUE(ended) << returns;
    EXPECT_EQ(ended->line, 7);
    EXPECT_EQ(ended->verdict, Verdict::kFail);
  }
  host_.Answers({.value = 5}, Ms(20));
  EXPECT_EQ(
      Said(Call("read(9, ..., 5) = 5", {.returns = Ms(21), .slack = Ms(1)})),
      "");
  EXPECT_EQ(Said(calls_.FinishPending()), "");
}

TEST_F(CallSideTest, ACallThatIsSlowIsToldFromOneThatBlocks) {
  host_.Answers({.value = 5}, Ms(20));
  const Ended slow = Call("read(9, ..., 5) = 5");
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->message, "read still blocks at 0.000000");
  EXPECT_TRUE(slow->was_late);
  const Ended blocks = Call("read(9, ..., 5) = 5");
  ASSERT_TRUE(blocks);
  EXPECT_FALSE(blocks->was_late);
}

TEST_F(CallSideTest, CodeIsAboutTheSocketUnderTest) {
  EXPECT_EQ(Said(calls_.OnCode("assert 1")), "there is no socket to ask");
  Socket();
  const IpEndpoint peer = {kRemote, flows_.current().remote.port};
  EXPECT_EQ(Said(Call("accept(3, ..., ...) = 4", {.value = 40, .peer = peer})),
            "");
  host_.Answers({.info = {{"tcpi_state", 1}}});
  EXPECT_EQ(Said(calls_.OnCode("assert tcpi_state == TCP_ESTABLISHED")), "");
  EXPECT_EQ(std::get<call::GetOption>(host_.calls().back()).fd, 40);
  host_.Answers({.info = {{"tcpi_state", 1}}});
  const Ended field = calls_.OnCode("assert tcpi_new == 1");
  ASSERT_TRUE(field);
  EXPECT_EQ(field->skip, SkipReason::kField);
  host_.Answers({.value = -1, .error = 9});
  const Ended closed = calls_.OnCode("assert 1");
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->verdict, Verdict::kFail);
}

TEST_F(CallSideTest, TheFlowBookHearsOfWhatCallsDid) {
  Socket("SOCK_DGRAM|SOCK_NONBLOCK");
  EXPECT_EQ(Said(Call("bind(3, {sa_family=AF_INET, sin_port=htons(99), "
                      "sin_addr=inet_addr(\"0.0.0.0\")}, ...) = 0",
                      {.value = 0})),
            "");
  EXPECT_EQ(flows_.current().local.port, 99);
  EXPECT_EQ(Said(Call("sendto(3, ..., 5, 0, ..., ...) = 5", {.value = 5})), "");
  EXPECT_EQ(flows_.current().remote, (IpEndpoint{kRemote, 8080}));
  EXPECT_EQ(Said(Call("bind(3, {sa_family=AF_INET, sin_port=htons(98), "
                      "sin_addr=inet_addr(\"0.0.0.0\")}, ...) = -1 EINVAL",
                      {.value = -1, .error = Linux("EINVAL")})),
            "");
  EXPECT_EQ(flows_.current().local.port, 99) << "it failed";
}

TEST_F(CallSideTest, CommandsAskForStatesAndDropConnections) {
  host_.Has({"LISTEN", "ESTAB", "SYN-RECV"});
  EXPECT_EQ(Said(calls_.OnShell({.expected_states = {"ESTABLISHED"}})), "");
  EXPECT_EQ(Said(calls_.OnShell({.expected_states = {"SYN_RCVD"}})), "");
  EXPECT_EQ(Said(calls_.OnShell({.expected_states = {"LISTEN", "CLOSING"},
                                 .drop_connections = true})),
            "no connection is in CLOSING, there are: LISTEN, ESTAB, SYN-RECV");
  EXPECT_EQ(host_.drops(), 0);
  EXPECT_EQ(Said(calls_.OnShell({.drop_connections = true})), "");
  EXPECT_EQ(host_.drops(), 1);
}

TEST_F(CallSideTest, SettingsAreFixedWhileTheHostRuns) {
  for (const ShellText& shell :
       {ShellText{.linux_profile = true},
        ShellText{.settings = {{"net.ipv4.tcp_sack", "0"}}}}) {
    const Ended ended = calls_.OnShell(shell);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->verdict, Verdict::kSkip);
    EXPECT_EQ(ended->skip, SkipReason::kSetting);
  }
}

}  // namespace
}  // namespace conformance
