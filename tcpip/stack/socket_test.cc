#include "tcpip/stack/socket.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(Socket, IsOfTheKindItWasGiven) {
  Socket socket;
  EXPECT_TRUE(socket.IsFree());
  socket.kind = UdpSocket{};
  EXPECT_FALSE(socket.IsFree());
  EXPECT_NE(socket.As<UdpSocket>(), nullptr);
  EXPECT_EQ(socket.As<TcpSocket>(), nullptr);
  EXPECT_EQ(socket.As<ListenSocket>(), nullptr);
  EXPECT_EQ(socket.As<EchoSocket>(), nullptr);
}

TEST(Socket, ASlotIsSmall) {
  // Paid for every connection, idle or not. See bench/idle_connections.
  EXPECT_LE(sizeof(Socket), 176u);
}

}  // namespace
}  // namespace tcpip
