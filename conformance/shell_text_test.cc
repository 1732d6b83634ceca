#include "conformance/shell_text.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace conformance {
namespace {

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

}  // namespace
}  // namespace conformance
