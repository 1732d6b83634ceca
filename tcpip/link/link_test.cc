#include "tcpip/link/link.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(Link, DefaultCapabilitiesPromiseNothing) {
  const LinkCapabilities plain;
  EXPECT_EQ(plain.mtu, 1500u);
  EXPECT_EQ(plain.max_gso_bytes_ipv4, 0u);
  EXPECT_EQ(plain.max_gso_bytes_ipv6, 0u);
  EXPECT_FALSE(plain.checksum_offload);
}

}  // namespace
}  // namespace tcpip
