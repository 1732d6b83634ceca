#include "conformance/runner.h"

#include <memory>
#include <string>
#include <utility>

#include "conformance/host_config.h"
#include "conformance/parser.h"
#include "conformance/stack_host.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

using tcpip::Duration;

constexpr char kListen[] =
    "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"
    "+0 bind(3, ..., ...) = 0\n"
    "+0 listen(3, 1) = 0\n"
    "+0 < S 0:0(0) win 1000 <mss 1000>\n"
    "+0 > S. 0:0(0) ack 1 <mss 1460>\n";
constexpr char kAccept[] =
    "+.1 < . 1:1(0) ack 1 win 1000\n"
    "+0 accept(3, ..., ...) = 4\n";

Outcome RunText(const std::string& text, RunOptions options = {}) {
  SetIpMode(IpMode::kIpv4, options.host);
  const auto script = ParseScript(text, "test.pkt");
  if (!script.ok()) return *Fail(std::string(script.status().message()));
  return Run(*script, options, StackHost::Make);
}

Outcome AfterHandshake(const std::string& text, RunOptions options = {}) {
  return RunText(kListen + (kAccept + text), std::move(options));
}

std::string All(const Outcome& outcome) {
  std::string text = outcome.message;
  for (const std::string& line : outcome.details) text += "\n" + line;
  return text;
}

TEST(RunnerTest, AScriptThatIsRightPasses) {
  const Outcome outcome = AfterHandshake(
      "+0 write(4, ..., 500) = 500\n"
      "+0 > P. 1:501(500) ack 1\n");
  EXPECT_EQ(outcome.verdict, Verdict::kPass) << All(outcome);
}

TEST(RunnerTest, AFailureSaysWhereAndShowsBothPackets) {
  const Outcome outcome = AfterHandshake(
      "+0 write(4, ..., 500) = 500\n"
      "+0 > . 1:401(400) ack 1\n");
  ASSERT_EQ(outcome.verdict, Verdict::kFail);
  EXPECT_EQ(outcome.line, 9);
  EXPECT_EQ(outcome.message,
            "wrong packet: flags is P. instead of ., length is 500 instead of "
            "400");
  ASSERT_GE(outcome.details.size(), 4u);
  EXPECT_EQ(outcome.details[0], "expected 0.100000 > . 1:401(400) ack 1");
  EXPECT_EQ(outcome.details[1], "seen     0.100000 > P. 1:501(500) ack 1");
  EXPECT_EQ(outcome.details[2], "before it:");
  EXPECT_EQ(outcome.details.back(), "  0.100000 write(4, ..., 500) = 500");
}

TEST(RunnerTest, APacketAtAnotherTimeFailsAStrictRun) {
  const std::string text =
      "+0 write(4, ..., 500) = 500\n"
      "+.003 > P. 1:501(500) ack 1\n";
  const Outcome strict = AfterHandshake(text);
  EXPECT_EQ(strict.message,
            "wrong packet: it was sent at 0.100000 instead of 0.103000");
  RunOptions compat;
  SetStrict(false, compat);
  EXPECT_EQ(AfterHandshake(text, compat).verdict, Verdict::kPass);
}

TEST(RunnerTest, TheToleranceGrowsWithTheTimeSinceTheLastEvent) {
  RunOptions compat;
  SetStrict(false, compat);
  // The SYN-ACK comes again after a second; an eighth of it is allowed.
  const std::string before = std::string(kListen);
  EXPECT_EQ(
      RunText(before + "+1.1 > S. 0:0(0) ack 1 <mss 1460>\n", compat).verdict,
      Verdict::kPass);
  EXPECT_EQ(
      RunText(before + "+1.2 > S. 0:0(0) ack 1 <mss 1460>\n", compat).verdict,
      Verdict::kFail);
}

TEST(RunnerTest, ARangeIsAllOfItsTimes) {
  const std::string before = std::string(kListen);
  EXPECT_EQ(RunText(before + "+.9~+1.1 > S. 0:0(0) ack 1 <mss 1460>\n").verdict,
            Verdict::kPass);
  EXPECT_EQ(RunText(before + "+.1~+.9 > S. 0:0(0) ack 1 <mss 1460>\n").verdict,
            Verdict::kFail);
  EXPECT_EQ(RunText(before + "* > S. 0:0(0) ack 1 <mss 1460>\n").verdict,
            Verdict::kPass);
}

TEST(RunnerTest, APacketNobodyExpectsFailsAStrictRunAtItsEnd) {
  const std::string text = "+0 write(4, ..., 500) = 500\n";
  const Outcome strict = AfterHandshake(text);
  EXPECT_EQ(strict.message, "a packet that nothing in the script expects");
  RunOptions compat;
  compat.strict = false;
  EXPECT_EQ(AfterHandshake(text, compat).verdict, Verdict::kPass);
}

TEST(RunnerTest, APacketThatNeverComesFails) {
  const Outcome outcome = AfterHandshake("+.5 > P. 1:501(500) ack 1\n");
  EXPECT_EQ(outcome.message, "no packet was sent by 0.600000");
}

TEST(RunnerTest, SeveralSegmentsMayBeExpectedAsOne) {
  const std::string text =
      "+0 < . 1:1(0) ack 1 win 65535\n"
      "+0 write(4, ..., 2500) = 2500\n"
      "+0 > P. 1:2501(2500) ack 1\n";
  EXPECT_EQ(AfterHandshake(text).verdict, Verdict::kPass);
  RunOptions strict;
  strict.strict_segments = true;
  EXPECT_EQ(AfterHandshake(text, strict).verdict, Verdict::kFail);
}

TEST(RunnerTest, ACallHasToReturnWhatTheScriptSays) {
  EXPECT_EQ(AfterHandshake("+0 write(4, ..., 500) = 400\n").verdict,
            Verdict::kFail);
  EXPECT_EQ(AfterHandshake("+0 read(9, ..., 500) = -1 EBADF (Bad)\n").verdict,
            Verdict::kPass);
  EXPECT_EQ(AfterHandshake("+0 read(9, ..., 500) = -1 EPIPE (Bad)\n").verdict,
            Verdict::kFail);
}

TEST(RunnerTest, ACallBlocksUntilItsTime) {
  const std::string data =
      "+.2 < P. 1:101(100) ack 1 win 1000\n"
      "+0 > . 1:1(0) ack 101\n";
  EXPECT_EQ(AfterHandshake("+0...0.2 read(4, ..., 500) = 100\n" + data).verdict,
            Verdict::kPass);
  EXPECT_EQ(AfterHandshake("+0...0.1 read(4, ..., 500) = 100\n" + data).message,
            "read returned at 0.300000 instead of 0.200000");
  EXPECT_EQ(AfterHandshake("+0...0.3 read(4, ..., 500) = 100\n" + data).message,
            "read returned at 0.300000 instead of 0.400000");
}

TEST(RunnerTest, ACallThatDoesNotSayThatItBlocksMayNot) {
  EXPECT_EQ(AfterHandshake("+0 read(4, ..., 500) = 100\n").message,
            "read still blocks at 0.100000");
  EXPECT_EQ(AfterHandshake("+0...0.1 read(4, ..., 500) = 100\n").message,
            "read still blocks at 0.200000");
}

TEST(RunnerTest, ACallWaitsForTheOneThatBlocksAndIsLate) {
  const std::string data =
      "+.2 < P. 1:101(100) ack 1 win 1000\n"
      "+0 > . 1:1(0) ack 101\n";
  const std::string again = "+.1 read(4, ..., 500) = -1 EAGAIN\n";
  EXPECT_EQ(
      AfterHandshake("+0...0.2 read(4, ..., 500) = 100\n" + data +
                     "+0 fcntl(4, F_SETFL, O_RDWR|O_NONBLOCK) = 0\n" + again)
          .verdict,
      Verdict::kPass);
  EXPECT_EQ(AfterHandshake("+0...0.05 poll([{fd=4, events=POLLIN, revents=0}], "
                           "1, 50) = 0\n"
                           "+0 close(4) = 0\n")
                .message,
            "cannot begin at +0: it is 0.150000, .05 s late");
}

TEST(RunnerTest, SettingsConfigureTheHostBeforeItRuns) {
  const std::string with =
      "`sysctl -q net.ipv4.tcp_sack=0`\n"
      "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"
      "+0 bind(3, ..., ...) = 0\n"
      "+0 listen(3, 1) = 0\n"
      "+0 < S 0:0(0) win 1000 <mss 1000,sackOK,nop,nop>\n"
      "+0 > S. 0:0(0) ack 1 <mss 1460>\n";
  EXPECT_EQ(RunText(with).verdict, Verdict::kPass) << All(RunText(with));
  const Outcome late =
      RunText(kListen + std::string("+0 `sysctl net.ipv4.tcp_sack=0`\n"));
  EXPECT_EQ(late.verdict, Verdict::kSkip);
  EXPECT_EQ(late.skip, SkipReason::kSetting);
}

TEST(RunnerTest, WhatNobodyHasIsSkippedByItsReason) {
  const struct {
    std::string text;
    SkipReason reason;
  } cases[] = {
      {"0 `rm -rf nothing`\n", SkipReason::kCommand},
      {"0 `sysctl net.ipv4.tcp_ecn=3`\n", SkipReason::kSetting},
      {"0 splice(3, 4) = 0\n", SkipReason::kCall},
      {kListen + std::string("+0 setsockopt(3, SOL_TCP, TCP_CORK, [1], 4) = "
                             "0\n"),
       SkipReason::kSocketOption},
      {kListen + std::string("+0 %{ import os }%\n"), SkipReason::kCode},
      {kListen + std::string("+0 %{ assert tcpi_x == 1 }%\n"),
       SkipReason::kField},
      {"0 socket(..., SOCK_RAW, 0) = 3\n", SkipReason::kCall},
      {"0 < gre: S 0:0(0) win 10\n", SkipReason::kTunnel},
      {"--no_such_option=1\n0 `true`\n", SkipReason::kScriptOption},
  };
  for (const auto& c : cases) {
    const Outcome outcome = RunText(c.text);
    EXPECT_EQ(outcome.verdict, Verdict::kSkip) << c.text << All(outcome);
    EXPECT_STREQ(SkipReasonName(outcome.skip), SkipReasonName(c.reason))
        << c.text;
  }
}

TEST(RunnerTest, CodeIsAboutTheSocketAtThatTime) {
  EXPECT_EQ(
      AfterHandshake("+0 %{ assert tcpi_state == TCP_ESTABLISHED }%\n").verdict,
      Verdict::kPass);
  const Outcome wrong = AfterHandshake("+0 %{ assert tcpi_snd_cwnd == 9 }%\n");
  EXPECT_EQ(wrong.verdict, Verdict::kFail);
  EXPECT_NE(wrong.message.find("tcpi_snd_cwnd is 10"), std::string::npos)
      << wrong.message;
}

TEST(RunnerTest, StatesAreAskedForAndConnectionsDropped) {
  const std::string asked =
      "+0 `sockstat -s | grep ESTABLISHED`\n"
      "+0 `tcpdrop -a`\n"
      "+0 > R. 1:1(0) ack 1\n";
  EXPECT_EQ(AfterHandshake(asked).verdict, Verdict::kPass)
      << All(AfterHandshake(asked));
  EXPECT_EQ(AfterHandshake("+0 `sockstat -s | grep FIN_WAIT_1`\n").message,
            "no connection is in FIN_WAIT_1, there are: LISTEN, ESTAB");
}

TEST(RunnerTest, TimestampsTickWithTheClock) {
  const std::string text =
      "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"
      "+0 bind(3, ..., ...) = 0\n"
      "+0 listen(3, 1) = 0\n"
      "+0 < S 0:0(0) win 1000 <mss 1000,sackOK,TS val 5 ecr 0>\n"
      "+0 > S. 0:0(0) ack 1 <mss 1460,sackOK,TS val 100 ecr 5>\n"
      "+.1 < . 1:1(0) ack 1 win 1000 <nop,nop,TS val 6 ecr 100>\n"
      "+0 accept(3, ..., ...) = 4\n"
      "+0 write(4, ..., 10) = 10\n";
  EXPECT_EQ(RunText(text + "+0 > P. 1:11(10) ack 1 <nop,nop,TS val 200 ecr 6>")
                .verdict,
            Verdict::kPass);
  EXPECT_EQ(RunText(text + "+0 > P. 1:11(10) ack 1 <nop,nop,TS val 201 ecr 6>")
                .verdict,
            Verdict::kFail);
  EXPECT_EQ(RunText(text + "+0 > P. 1:11(10) ack 1 <nop,nop,TS val 200 ecr 5>")
                .verdict,
            Verdict::kFail);
}

TEST(RunnerTest, EveryEventIsInTheTrace) {
  RunOptions options;
  options.trace = true;
  const Outcome outcome = AfterHandshake(
      "+0 %{ assert   1 }%\n+0 `sockstat | grep LISTEN`\n", options);
  ASSERT_EQ(outcome.trace.size(), 9u);
  EXPECT_EQ(outcome.trace[3], "0.000000 < S 0:0(0) win 1000 <mss 1000>");
  EXPECT_EQ(outcome.trace[6], "0.100000 accept(3, ..., ...) = 4");
  EXPECT_EQ(outcome.trace[7], "0.100000 %{ assert 1 }%");
  EXPECT_EQ(outcome.trace[8], "0.100000 `sockstat | grep LISTEN`");
}

TEST(RunnerTest, OtherLinesChangeWhatTheIpVersionSetsWhicheverIsFirst) {
  const std::string before = "--mtu=1300\n--ip_version=ipv4\n";
  const std::string text = std::string(kListen);
  EXPECT_EQ(RunText(before + text).message,
            "wrong packet: options is <mss 1260> instead of <mss 1460>");
}

TEST(RunnerTest, SequenceNumbersMayWrap) {
  for (const uint32_t shift : {1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    RunOptions options;
    options.remote_isn_shift = shift;
    const Outcome outcome = AfterHandshake(
        "+0 < P. 1:101(100) ack 1 win 1000\n+0 > . 1:1(0) ack 101\n", options);
    EXPECT_EQ(outcome.verdict, Verdict::kPass) << shift << All(outcome);
  }
}

}  // namespace
}  // namespace conformance
