#include "conformance/host_config.h"

#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(HostConfigTest, NamesLeadBackToWhatTheyName) {
  for (const Profile profile :
       {Profile::kNetstack, Profile::kLinux, Profile::kFreebsd}) {
    EXPECT_EQ(ParseProfile(ProfileName(profile)), profile);
  }
  for (const IpMode mode :
       {IpMode::kIpv4, IpMode::kIpv6, IpMode::kIpv4Mapped}) {
    EXPECT_EQ(ParseIpMode(IpModeName(mode)), mode);
  }
  EXPECT_EQ(ParseProfile("plan9"), std::nullopt);
  EXPECT_EQ(ParseIpMode("ipx"), std::nullopt);
}

TEST(HostConfigTest, AModeGivesAddressesOfItsPackets) {
  HostConfig config;
  SetIpMode(IpMode::kIpv6, config);
  EXPECT_TRUE(config.local.address.IsIpv6());
  EXPECT_TRUE(config.remote.IsIpv6());
  SetIpMode(IpMode::kIpv4Mapped, config);
  EXPECT_TRUE(config.local.address.IsIpv4());
  EXPECT_TRUE(config.remote.IsIpv4());
}

TEST(HostConfigTest, OurOwnProfileIsTheStackAsItComes) {
  HostConfig config;
  SetProfile(Profile::kNetstack, config);
  EXPECT_EQ(config.stack.tcp.delayed_ack, tcpip::tcp::TcpConfig{}.delayed_ack);
  SetProfile(Profile::kLinux, config);
  EXPECT_NE(config.stack.tcp.delayed_ack, tcpip::tcp::TcpConfig{}.delayed_ack);
}

}  // namespace
}  // namespace conformance
