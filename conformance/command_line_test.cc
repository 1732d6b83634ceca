#include "conformance/command_line.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace conformance {
namespace {

absl::StatusOr<CommandLine> Parse(std::vector<std::string> args) {
  return ParseCommandLine(args, 4);
}

TEST(CommandLineTest, IsStrictExactAndOnAllCoresUnlessTold) {
  const auto line = Parse({"a.pkt"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_TRUE(line->suite.run.strict);
  EXPECT_TRUE(line->suite.run.compare.check_timestamps);
  EXPECT_FALSE(line->suite.run.compare.options_as_set);
  EXPECT_EQ(line->suite.threads, 4);
  EXPECT_EQ(line->suite.profile, std::nullopt);
  EXPECT_EQ(line->suite.run.host.ip, IpMode::kIpv4);
  EXPECT_EQ(line->paths, std::vector<std::string>{"a.pkt"});
}

TEST(CommandLineTest, TakesEveryFlagWithSpaceOrEqualsSign) {
  const auto line = Parse({"--mode=compat",
                           "--options",
                           "set",
                           "--windows",
                           "ignore",
                           "--profile=linux",
                           "--ip",
                           "ipv6",
                           "--trace",
                           "-D",
                           "A=1",
                           "-D",
                           "B=\"x=y\"",
                           "--jobs",
                           "1",
                           "--isn-shift=4294967295",
                           "--junit",
                           "j.xml",
                           "--json=r.json",
                           "folder",
                           "b.pkt"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_FALSE(line->suite.run.strict);
  EXPECT_FALSE(line->suite.run.compare.check_timestamps);
  EXPECT_TRUE(line->suite.run.compare.options_as_set);
  EXPECT_TRUE(line->suite.run.compare.ignore_windows);
  EXPECT_EQ(line->suite.profile, Profile::kLinux);
  EXPECT_EQ(line->suite.run.host.ip, IpMode::kIpv6);
  EXPECT_TRUE(line->suite.run.trace);
  EXPECT_EQ(line->suite.defines, (Defines{{"A", "1"}, {"B", "\"x=y\""}}));
  EXPECT_EQ(line->suite.threads, 1);
  EXPECT_EQ(line->suite.run.remote_isn_shift, 4294967295u);
  EXPECT_EQ(line->junit, "j.xml");
  EXPECT_EQ(line->json, "r.json");
  EXPECT_EQ(line->paths, (std::vector<std::string>{"folder", "b.pkt"}));
}

TEST(CommandLineTest, SaysWhatAValueMayBe) {
  const auto line = Parse({"--mode", "lax", "a.pkt"});
  EXPECT_EQ(line.status().message(), "--mode is strict|compat, not \"lax\"");
  EXPECT_FALSE(Parse({"--jobs", "0", "a.pkt"}).ok());
  EXPECT_FALSE(Parse({"-D", "novalue", "a.pkt"}).ok());
  EXPECT_FALSE(Parse({"a.pkt", "--ip"}).ok()) << "nothing follows";
}

TEST(CommandLineTest, NamesAFlagItDoesNotKnow) {
  EXPECT_EQ(Parse({"--colour", "a.pkt"}).status().message(),
            "there is no flag --colour; --help lists them");
}

TEST(CommandLineTest, NeedsScriptsOrAPleaForHelp) {
  EXPECT_FALSE(Parse({}).ok());
  EXPECT_TRUE(Parse({"--help"})->help);
  EXPECT_NE(Usage().find("--backend stack|kernel"), std::string::npos);
}

}  // namespace
}  // namespace conformance
