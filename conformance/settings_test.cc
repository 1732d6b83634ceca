#include "conformance/settings.h"

#include <string>

#include "gtest/gtest.h"
#include "tcpip/base/time.h"

namespace conformance {
namespace {

using tcpip::Duration;

TEST(ApplySettingTest, SetsTheHost) {
  HostConfig config;
  ASSERT_TRUE(Apply({"net.ipv4.tcp_sack", "0"}, config).ok());
  ASSERT_TRUE(Apply({"net.ipv4.tcp_rmem", "4096 8192 16384"}, config).ok());
  ASSERT_TRUE(Apply({"net.ipv4.tcp_fin_timeout", "7"}, config).ok());
  ASSERT_TRUE(Apply({"net.inet.tcp.delacktime", "30"}, config).ok());
  ASSERT_TRUE(Apply({"net.ipv4.tcp_ecn", "1"}, config).ok());
  EXPECT_FALSE(config.stack.tcp.sack);
  EXPECT_EQ(config.stack.tcp.ecn, tcpip::tcp::EcnMode::kActive);
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
  EXPECT_TRUE(absl::IsUnimplemented(Apply({"net.ipv4.tcp_ecn", "3"}, config)));
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
