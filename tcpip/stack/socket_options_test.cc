#include "tcpip/stack/socket_options.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(SocketOptions, DefaultsShareNothingAndMarkNothing) {
  const UdpOpenOptions udp;
  EXPECT_FALSE(udp.remote);
  EXPECT_EQ(udp.rules, BindRules{});
  EXPECT_FALSE(udp.settings.dont_fragment);
  EXPECT_EQ(udp.settings.tos, 0);
  EXPECT_EQ(udp.receive_queue_bytes, 212992u);  // rmem_default
  EXPECT_EQ(TcpListenOptions{}.rules, BindRules{});
}

}  // namespace
}  // namespace tcpip
