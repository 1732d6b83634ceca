#include "conformance/script_options.h"

#include "gtest/gtest.h"
#include "tcpip/base/time.h"

namespace conformance {
namespace {

TEST(ScriptOptionsTest, SetWhatTheyName) {
  RunOptions options;
  options.strict = false;
  for (const ScriptOption& option :
       {ScriptOption{1, "ip_version", "ipv4_mapped_ipv6"},
        ScriptOption{2, "mtu", "1400"}, ScriptOption{3, "bind_port", "99"},
        ScriptOption{4, "connect_port", "98"},
        ScriptOption{5, "remote_ip", "192.0.2.7"},
        ScriptOption{6, "tolerance_usecs", "10000"},
        ScriptOption{7, "strict_segments", ""}}) {
    EXPECT_TRUE(Apply(option, options).ok()) << option.name;
  }
  EXPECT_EQ(options.host.ip, IpMode::kIpv4Mapped);
  EXPECT_EQ(options.host.mtu, 1400u);
  EXPECT_EQ(options.bind_port, 99);
  EXPECT_EQ(options.connect_port, 98);
  EXPECT_EQ(options.host.remote.ToString(), "192.0.2.7");
  EXPECT_EQ(options.tolerance.fixed, tcpip::Duration::Milliseconds(10));
  EXPECT_TRUE(options.strict_segments);
}

TEST(ScriptOptionsTest, AStrictRunStaysExact) {
  RunOptions options;
  EXPECT_TRUE(Apply(ScriptOption{1, "tolerance_usecs", "9"}, options).ok());
  EXPECT_EQ(options.tolerance.fixed, tcpip::Duration::Zero());
}

TEST(ScriptOptionsTest, TheCommandLinesIpVersionWins) {
  RunOptions options;
  SetIpMode(IpMode::kIpv6, options.host);
  options.ip_is_given = true;
  EXPECT_TRUE(Apply(ScriptOption{1, "ip_version", "ipv4"}, options).ok());
  EXPECT_EQ(options.host.ip, IpMode::kIpv6);
  EXPECT_EQ(options.host.mtu, 1520u);
}

TEST(ScriptOptionsTest, NonsenseIsRefusedAndTheUnknownSaidToBe) {
  RunOptions options;
  EXPECT_TRUE(
      absl::IsInvalidArgument(Apply(ScriptOption{1, "mtu", "big"}, options)));
  EXPECT_TRUE(absl::IsInvalidArgument(
      Apply(ScriptOption{1, "ip_version", "ipv5"}, options)));
  EXPECT_TRUE(absl::IsUnimplemented(
      Apply(ScriptOption{1, "wire_client", "1"}, options)));
}

}  // namespace
}  // namespace conformance
