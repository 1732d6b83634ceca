#include "conformance/directives.h"

#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(DirectivesTest, StandInTheCommentsAtTheTop) {
  const auto read = ReadDirectives(
      "// A listener answers.\n"
      "// profile: linux\n"
      "\n"
      "//expected-fail: part 4: keepalive\n"
      "// not-on kernel: its delayed ACK is longer\n"
      "// only: ipv6\n"
      "--ip_version=ipv4\n");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->profile, Profile::kLinux);
  EXPECT_EQ(read->expected_fail, "part 4: keepalive");
  EXPECT_EQ(read->not_on_kernel, "its delayed ACK is longer");
  EXPECT_EQ(read->only, IpMode::kIpv6);
}

TEST(DirectivesTest, AreNotLookedForLater) {
  const auto read = ReadDirectives("0 `true`\n// profile: linux\n");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->profile, std::nullopt);
}

TEST(DirectivesTest, WithoutAReasonAreRefused) {
  EXPECT_FALSE(ReadDirectives("// expected-fail:\n").ok());
  EXPECT_FALSE(ReadDirectives("// not-on kernel: \n").ok());
}

TEST(DirectivesTest, AnUnknownProfileIsRefused) {
  EXPECT_FALSE(ReadDirectives("// profile: windows\n").ok());
  EXPECT_FALSE(ReadDirectives("// only: ipx\n").ok());
}

TEST(DirectivesTest, AScriptNeedsNone) {
  const auto read = ReadDirectives("0 socket(...) = 3");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->expected_fail, "");
}

}  // namespace
}  // namespace conformance
