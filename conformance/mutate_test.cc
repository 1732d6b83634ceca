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
    EXPECT_EQ(mutant.script.events.size(), script->events.size());
  }
  EXPECT_EQ(whats.size(), 1u + 14u + 10u - 1u + 2u);
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

}  // namespace
}  // namespace conformance
