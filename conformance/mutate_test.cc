#include "conformance/mutate.h"

#include <set>
#include <string>

#include "conformance/parser.h"
#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(MutateTest, EachThingThatIsLookedAtIsChangedOnce) {
  const auto script = ParseScript(
      "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"
      "+0 bind(3, ..., ...) = 0\n"
      "+0 < S 0:0(0) win 1000 <mss 1000>\n"
      "+0 > S. 0:0(0) ack 1 win 5 <mss 1460>\n"
      "+1~+2 > . 1:1(0) ack 1 <...>\n"
      "+0 read(3, ..., 1) = -1 EAGAIN (text)\n",
      "test.pkt");
  ASSERT_TRUE(script.ok()) << script.status();
  std::set<std::string> whats;
  for (const Mutant& mutant : MutantsOf(*script)) {
    EXPECT_TRUE(whats.insert(mutant.what).second) << mutant.what;
    const bool left_out = mutant.what.ends_with("left out");
    const bool twice = mutant.what.ends_with("twice");
    EXPECT_EQ(mutant.script.events.size(),
              script->events.size() - left_out + twice);
  }
  EXPECT_EQ(whats.size(), 1u + 16u + 10u - 1u + 2u);
  EXPECT_TRUE(whats.contains("line 2: result"));
  EXPECT_TRUE(whats.contains("line 4: win"));
  EXPECT_TRUE(whats.contains("line 4: option 1"));
  EXPECT_TRUE(whats.contains("line 4: no option 1"));
  EXPECT_TRUE(whats.contains("line 4: time"));
  EXPECT_FALSE(whats.contains("line 5: time")) << "a range";
  EXPECT_TRUE(whats.contains("line 6: error"));
  EXPECT_FALSE(whats.contains("line 1: result")) << "a label";
  EXPECT_FALSE(whats.contains("line 3: seq")) << "the script's own packet";
}

// What the mutants of one line behind `socket()` are called.
std::set<std::string> Whats(const std::string& line) {
  const auto script = ParseScript(
      "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n" + line, "test.pkt");
  EXPECT_TRUE(script.ok()) << script.status();
  std::set<std::string> whats;
  if (!script.ok()) return whats;
  for (const Mutant& mutant : MutantsOf(*script)) {
    whats.insert(mutant.what.substr(sizeof "line 2:"));
  }
  return whats;
}

using Names = std::set<std::string>;

TEST(MutateTest, WhatIsExpectedAtOnceIsAlsoLeftOutAndExpectedTwice) {
  EXPECT_EQ(Whats("+0 > udp (3)"),
            (Names{"left out", "twice", "time", "length"}));
  EXPECT_EQ(Whats("+.1 > udp (3)"), (Names{"time", "length"}));
}

TEST(MutateTest, FieldsOfIpAndIcmpAreChangedWhereTheyAreGiven) {
  EXPECT_EQ(Whats("* > [ect0,ttl 9] icmp unreachable frag_needed mtu 9"),
            (Names{"ecn", "ttl", "type", "code", "quote", "mtu"}));
}

TEST(MutateTest, ATimestampIsChangedButInASyn) {
  EXPECT_TRUE(
      Whats("* > . 1:1(0) ack 1 <nop,nop,TS val 1 ecr 2>").contains("TS val"));
  EXPECT_FALSE(
      Whats("* > S 0:0(0) <nop,nop,TS val 1 ecr 2>").contains("TS val"));
}

TEST(MutateTest, OutputsAreChangedAndInputsAreNot) {
  EXPECT_EQ(Whats("+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [0], [4]) = 0"),
            (Names{"result", "argument 4, 1", "argument 5, 1"}));
  EXPECT_EQ(
      Whats("+0...0.1 poll([{fd=3, events=POLLIN, revents=POLLIN}], 1, 5) = 1"),
      (Names{"result", "time of return", "argument 1, 1"}));
  EXPECT_EQ(
      Whats("+0 getsockopt(3, SOL_SOCKET, SO_ERROR, [0], [4]) = -1 EBADF"),
      (Names{"result", "error"}));
}

}  // namespace
}  // namespace conformance
