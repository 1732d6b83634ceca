#include "conformance/settings.h"

#include <string>

#include "gtest/gtest.h"
#include "tcpip/base/time.h"

namespace conformance {
namespace {

using tcpip::Duration;

TEST(ReadShellTest, SysctlsInAllTheirForms) {
  const auto shell = ReadShell(
      "sysctl -w net.ipv4.tcp_sack=0 net.ipv4.tcp_timestamps=0\n"
      "  sysctl -q net.ipv4.tcp_rmem=\"4096 8192 16384\" > /dev/null; "
      "../../common/set_sysctls.py /proc/sys/net/ipv4/tcp_fin_timeout=5\n"
      "sysctl net.inet.tcp.rfc1323 = 0 && true");
  ASSERT_TRUE(shell.ok()) << shell.status();
  EXPECT_EQ(shell->settings,
            (std::vector<Setting>{{"net.ipv4.tcp_sack", "0"},
                                  {"net.ipv4.tcp_timestamps", "0"},
                                  {"net.ipv4.tcp_rmem", "4096 8192 16384"},
                                  {"net.ipv4.tcp_fin_timeout", "5"},
                                  {"net.inet.tcp.rfc1323", "0"}}));
  EXPECT_FALSE(shell->linux_profile);
}

TEST(ReadShellTest, DefaultsAreTheLinuxProfile) {
  EXPECT_TRUE(ReadShell("../common/defaults.sh")->linux_profile);
}

TEST(ReadShellTest, StatesAndDropsAreUnderstood) {
  const auto shell =
      ReadShell("sockstat -sn -P tcp -p 8080 | grep ESTABLISHED\ntcpdrop -a");
  ASSERT_TRUE(shell.ok()) << shell.status();
  EXPECT_EQ(shell->expected_states, std::vector<std::string>{"ESTABLISHED"});
  EXPECT_TRUE(shell->drop_connections);
}

TEST(ReadShellTest, WhereOutputGoesDoesNotMatter) {
  for (const char* command :
       {"sysctl -q k.a=0 > /dev/null 2>&1", "sysctl k.a=0 >/dev/null",
        "sysctl k.a=0 &>/dev/null", "sysctl k.a=0 2> /dev/null",
        "sysctl k.a=0 || true", "sysctl k.a=0 || sysctl k.a=1"}) {
    const auto shell = ReadShell(command);
    ASSERT_TRUE(shell.ok()) << command << ": " << shell.status();
    EXPECT_EQ(shell->settings, (std::vector<Setting>{{"k.a", "0"}})) << command;
  }
  const auto both = ReadShell("sysctl k.a=0 && sysctl k.b=1");
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both->settings, (std::vector<Setting>{{"k.a", "0"}, {"k.b", "1"}}));
}

TEST(ReadShellTest, NothingElseIs) {
  for (const char* command :
       {"rm -rf x", "ip route change default", "nstat -n", "sysctl -a x",
        "sysctl -w net.ipv4.tcp_sack=0; echo hello", "sockstat",
        "sockstat -s | grep -v ESTABLISHED", "sockstat | grep -c LISTEN",
        "sockstat | grep 8080", "sockstat | grep LISTEN | wc -l",
        "sockstat | grep", "sockstat |", "sockstat | wc LISTEN",
        "sysctl -w net.ipv4.tcp_sack=0 &", "echo 0 > x"}) {
    const auto shell = ReadShell(command);
    ASSERT_FALSE(shell.ok()) << command;
    EXPECT_TRUE(absl::IsUnimplemented(shell.status())) << shell.status();
  }
}

TEST(ApplySettingTest, SetsTheHost) {
  HostConfig config;
  ASSERT_TRUE(Apply({"net.ipv4.tcp_sack", "0"}, config).ok());
  ASSERT_TRUE(Apply({"net.ipv4.tcp_rmem", "4096 8192 16384"}, config).ok());
  ASSERT_TRUE(Apply({"net.ipv4.tcp_fin_timeout", "7"}, config).ok());
  ASSERT_TRUE(Apply({"net.inet.tcp.delacktime", "30"}, config).ok());
  EXPECT_FALSE(config.stack.tcp.sack);
  EXPECT_EQ(config.sockets.receive_buffer_bytes, 8192u);
  EXPECT_EQ(config.stack.tcp.fin_wait2, Duration::Seconds(7));
  EXPECT_EQ(config.stack.tcp.delayed_ack, Duration::Milliseconds(30));
}

TEST(ApplySettingTest, LetsPassWhatTheStackDoesAnyway) {
  HostConfig config;
  EXPECT_TRUE(Apply({"net.ipv4.tcp_dsack", "1"}, config).ok());
  EXPECT_TRUE(Apply({"net.ipv4.tcp_min_tso_segs", "77"}, config).ok());
}

TEST(ApplySettingTest, AnotherValueOfItIsNotPassed) {
  HostConfig config;
  EXPECT_TRUE(
      absl::IsUnimplemented(Apply({"net.ipv4.tcp_dsack", "0"}, config)));
  EXPECT_TRUE(absl::IsUnimplemented(
      Apply({"net.ipv4.tcp_congestion_control", "cubic"}, config)));
  EXPECT_TRUE(
      absl::IsUnimplemented(Apply({"net.ipv4.no_such_key", "1"}, config)));
}

TEST(ApplySettingTest, NonsenseIsRefused) {
  HostConfig config;
  for (const Setting& setting : {Setting{"net.ipv4.tcp_sack", "yes"},
                                 Setting{"net.ipv4.tcp_rmem", "1 2"},
                                 Setting{"net.ipv4.tcp_syn_retries", "256"},
                                 Setting{"net.ipv4.tcp_fin_timeout", "-1"}}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Apply(setting, config)))
        << setting.key << "=" << setting.value;
  }
}

}  // namespace
}  // namespace conformance
