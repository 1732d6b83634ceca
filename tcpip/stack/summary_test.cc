#include "tcpip/stack/summary.h"

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"

namespace tcpip {
namespace {

TEST(ListSummaries, PagesThroughEveryKindInOrder) {
  Host host(1, {.name = "x"}, {"10.0.0.2/24", "2001:db8::2/64"});
  Stack& stack = host.stack();
  const IpEndpoint web = {Ip("10.0.0.2"), 80};
  const IpEndpoint peer = {Ip("10.0.0.1"), 443};
  const SocketId ids[] = {
      stack.TcpListen({.local = web, .backlog = 7}).value(),
      stack.TcpConnect({.remote = peer}, kTestStart).value(),
      stack.UdpOpen({.local = {Ip("::"), 53}}).value(),
      stack.EchoOpen(Ip("2001:db8::1")).value(),
  };
  std::vector<SocketSummary> all;
  uint32_t cursor = 0;
  do {
    const std::vector<SocketSummary> page = stack.ListSockets(cursor, 3);
    EXPECT_LE(page.size(), 3u);
    all.insert(all.end(), page.begin(), page.end());
  } while (cursor != 0);
  ASSERT_EQ(all.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(all[i].socket, ids[i]);

  EXPECT_TRUE(all[0].is_listener);
  EXPECT_EQ(all[0].state, tcp::TcpState::kListen);
  EXPECT_EQ(all[0].tuple.local, web);
  EXPECT_EQ(all[0].send_queue, 7u);
  EXPECT_EQ(all[1].state, tcp::TcpState::kSynSent);
  EXPECT_EQ(all[1].tuple.remote, peer);
  EXPECT_EQ(all[1].protocol, 6);
  EXPECT_EQ(all[2].protocol, 17);
  EXPECT_EQ(all[2].tuple.local.port, 53);
  EXPECT_EQ(all[3].protocol, 58);
  EXPECT_EQ(all[3].tuple.remote.address, Ip("2001:db8::1"));
}

TEST(ListSummaries, ShowsConnectionsWithoutAUserButNoIdForThem) {
  Host host(1, {.name = "x"}, {"10.0.0.2/24"});
  const SocketId id =
      host.stack()
          .TcpConnect({.remote = {Ip("10.0.0.1"), 443}}, kTestStart)
          .value();
  ASSERT_TRUE(host.stack().Abort(id, kTestStart).ok());
  uint32_t cursor = 0;
  const auto page = host.stack().ListSockets(cursor, 10);
  ASSERT_EQ(page.size(), 1u);
  EXPECT_FALSE(page[0].socket.IsValid());
  EXPECT_EQ(page[0].state, tcp::TcpState::kClosed);
  host.Drain();
  EXPECT_TRUE(host.stack().ListSockets(cursor, 10).empty());
}

}  // namespace
}  // namespace tcpip
