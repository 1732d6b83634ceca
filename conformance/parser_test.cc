#include "conformance/parser.h"

#include <string>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/time.h"

namespace conformance {
namespace {

using tcpip::Duration;

constexpr Duration Ms(int64_t ms) { return Duration::Milliseconds(ms); }

Script Parsed(std::string_view text, const Defines& defines = {},
              std::string_view platform = "linux") {
  absl::StatusOr<Script> script = ParseScript(text, "a.pkt", defines, platform);
  EXPECT_TRUE(script.ok()) << script.status();
  return script.ok() ? *std::move(script) : Script();
}

std::string Error(std::string_view text, const Defines& defines = {}) {
  const absl::StatusOr<Script> script = ParseScript(text, "a.pkt", defines);
  if (script.ok()) return "";
  EXPECT_EQ(script.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(script.status().message());
}

// The time of the second event, whose text this is.
When SecondWhen(const std::string& time_and_action) {
  const Script script = Parsed("0 close(1) = 0\n" + time_and_action);
  return script.events.size() == 2 ? script.events[1].when : When();
}

constexpr const char* kScript = R"(// What a listener does.
--ip_version=ipv4   // an option
--define=PORT=8080
`../common/defaults.sh
sysctl -q net.ipv4.tcp_ecn=0`
   0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
  +0 bind(3, {sa_family=AF_INET, sin_port=htons(PORT)}, 16) = 0
  +0 < S 0:0(0) win 32792
     <mss 1000, sackOK, nop, nop>
  +0 > S. 0:0(0) ack 1 <...>
+.1...0.2 accept(3, ..., ...) = 4
  +0 %{ assert tcpi_snd_cwnd == 10 }%
  +0 `sysctl a=1`
   * > R 1:1(0)
/* the end */ `cleanup`
)";

TEST(Parser, AWholeScript) {
  const Script script = Parsed(
      "// c\n--mss=1460\n`init\nit`\n0 close(3) = 0\n+0 `x`\n+0 %{ y }%\n"
      "+0 > . 1:1(0)\n`cleanup`\n");
  EXPECT_EQ(script.path, "a.pkt");
  ASSERT_EQ(script.options.size(), 1u);
  EXPECT_EQ(script.options[0].line, 2);
  EXPECT_EQ(script.options[0].name, "mss");
  EXPECT_EQ(script.options[0].value, "1460");
  EXPECT_EQ(script.init_command, "init\nit");
  EXPECT_EQ(script.cleanup_command, "cleanup");
  ASSERT_EQ(script.events.size(), 4u);
  EXPECT_EQ(script.events[0].line, 5);
  EXPECT_EQ(std::get<CallSpec>(script.events[0].action).name, "close");
  EXPECT_EQ(std::get<CommandSpec>(script.events[1].action).text, "x");
  EXPECT_EQ(std::get<CodeSpec>(script.events[2].action).text, " y ");
  EXPECT_EQ(std::get<PacketSpec>(script.events[3].action).direction,
            Direction::kOutbound);
}

TEST(Parser, AScriptAsTheyAreWritten) {
  const Script script = Parsed(kScript);
  EXPECT_EQ(script.options.size(), 2u);
  EXPECT_EQ(script.cleanup_command, "cleanup");
  std::vector<int> lines;
  for (const Event& event : script.events) lines.push_back(event.line);
  EXPECT_EQ(lines, (std::vector<int>{6, 7, 8, 10, 11, 12, 13, 14}));
}

TEST(Parser, EventsAreFoundByGrammar) {
  EXPECT_EQ(Parsed("0 close(3) = 0 +0 < . 1:1(0) win 1 <mss 1> +.1 `x` 2 %{ y "
                   "}% 3 > icmp a b *>udp(1)")
                .events.size(),
            6u);
}

// --- Times.

TEST(Parser, Times) {
  const struct {
    const char* event;
    When when;
  } kCases[] = {
      {"1.5 close(3) = 0", {When::Kind::kAbsolute, Ms(1500), Ms(1500), {}}},
      {"+.010 > . 1:1(0)", {When::Kind::kRelative, Ms(10), Ms(10), {}}},
      {"* > . 1:1(0)", {When::Kind::kAny, {}, {}, {}}},
      {"1~2.5 > . 1:1(0)",
       {When::Kind::kAbsoluteRange, Ms(1000), Ms(2500), {}}},
      {"+0~+.2 > . 1:1(0)", {When::Kind::kRelativeRange, Ms(0), Ms(200), {}}},
      {"+.1...0.2 read(3, ..., 1) = 1",
       {When::Kind::kRelative, Ms(100), Ms(100), Ms(200)}},
      {"1 ... 2 read(3, ..., 1) = 1",
       {When::Kind::kAbsolute, Ms(1000), Ms(1000), Ms(2000)}},
  };
  for (const auto& c : kCases) EXPECT_EQ(SecondWhen(c.event), c.when);
}

TEST(Parser, TimesThatMeanNothingAreRefused) {
  struct {
    const char* event;
    const char* error;
  } const kCases[] = {
      {"close(3) = 0",
       "expected a time in seconds, such as 0.25, found 'close'"},
      {"+0", "expected '<', '>', a call, a command or code, found the end"},
      {"0~+1 > . 1:1(0)",
       "expected a time in seconds, such as 0.25, found '+'"},
      {"+0~1 > . 1:1(0)", "expected '+', found '1'"},
      {"+2~+1 > . 1:1(0)",
       "expected the end of a range after its start, found '1'"},
      {"+0~+1 < . 1:1(0) win 1",
       "expected an outbound packet after a range of times, found '<'"},
      {"* close(3) = 0",
       "expected an outbound packet after a range of times, found 'close'"},
      {"+0...1 > . 1:1(0)", "expected a call that takes time, found '>'"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Error(std::string("0 close(1) = 0\n") + c.event),
              std::string("a.pkt:2: ") + c.error);
  }
}

TEST(Parser, TheFirstEventIsAtTimeZero) {
  EXPECT_EQ(Error("0 close(3) = 0"), "");
  EXPECT_EQ(Error("+0.000 close(3) = 0"), "");
  EXPECT_EQ(Error("0...1 close(3) = 0"), "");
  for (const char* time : {".1", "+1", "*", "0~1", "+0~+1"}) {
    EXPECT_EQ(Error(std::string(time) + " > . 1:1(0)"),
              "a.pkt:1: expected time 0 for the first event, found another");
  }
}

// --- Options, defines, #ifdef.

TEST(Parser, DefinesOfTheCommandLineWin) {
  const std::string text = "-D FD=3\n--define=NEXT=4\n0 f(FD, NEXT) = 0";
  const auto arguments = [&](const Defines& defines) {
    const Script script = Parsed(text, defines);
    const auto& call = std::get<CallSpec>(script.events.at(0).action);
    return std::vector<int64_t>{call.args.at(0).integer,
                                call.args.at(1).integer};
  };
  EXPECT_EQ(arguments({}), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(arguments({{"FD", "9"}}), (std::vector<int64_t>{9, 4}));
}

TEST(Parser, TheDefinesThatSuitesPass) {
  const Script script = Parsed(
      "0 < S 0:0(0) win 1 <FO TFO_COOKIE,nop,nop>\n"
      "+0 < icmp unreachable CODE [0:0(0)]\n"
      "+0 f({cmsg_type=CMSG_TYPE_RECVERR}) = 0",
      {{"TFO_COOKIE", "3021b9d889017eeb"},
       {"CODE", "host_unreachable"},
       {"CMSG_TYPE_RECVERR", "IP_RECVERR"}});
  ASSERT_EQ(script.events.size(), 3u);
  const auto& syn = std::get<PacketSpec>(script.events[0].action);
  EXPECT_EQ(std::get<TcpSpec>(syn.transport).options->at(0),
            (OptionSpec(option::FastOpen{
                false, {0x30, 0x21, 0xb9, 0xd8, 0x89, 0x01, 0x7e, 0xeb}})));
  const auto& icmp = std::get<PacketSpec>(script.events[1].action);
  EXPECT_EQ(std::get<IcmpSpec>(icmp.transport).code, "host_unreachable");
  const auto& call = std::get<CallSpec>(script.events[2].action);
  EXPECT_EQ(call.args[0].fields[0].second.text, "IP_RECVERR");
}

TEST(Parser, BadDefinesAreRefused) {
  EXPECT_EQ(Error("\n-D A=(\n0 close(3) = 0"),
            "a.pkt:2: expected NAME=value of one number, word, string, command "
            "or cookie, found 'A=('");
  EXPECT_EQ(Error("0 close(3) = 0", {{"A", "1 2"}}),
            "-D A: expected NAME=value of one number, word, string, command or "
            "cookie");
}

TEST(Parser, IfdefAsksForADefineOrThePlatform) {
  constexpr const char* kText =
      "0 close(3) = 0\n#ifdef FreeBSD\n+0 `b`\n#endif\n+0 `c`";
  EXPECT_EQ(Parsed(kText).events.size(), 2u);
  EXPECT_EQ(Parsed(kText, {}, "freebsd").events.size(), 3u);
  EXPECT_EQ(Parsed(kText, {{"FreeBSD", ""}}).events.size(), 3u);
}

// --- The frame.

TEST(Parser, WhatIsNoScriptIsRefused) {
  struct {
    const char* text;
    const char* error;
  } const kCases[] = {
      {"", "a.pkt:1: expected a time in seconds, such as 0.25, found the end"},
      {"0 close(3) = 0 `a` +0 `b`",
       "a.pkt:1: expected the end after the last command, found '+'"},
      {"\n/* a", "a.pkt:2: expected */, found the end"},
      {"--a /* b", "a.pkt:1: expected */, found the end"},
      {"0 close(3) = 0\n#ifdef X\n", "a.pkt:3: expected #endif, found the end"},
      {"0 close(3) = 0 \"",
       "a.pkt:1: expected the \" that ends a string, "
       "found the end of the line"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Error(c.text), c.error);
}

}  // namespace
}  // namespace conformance
