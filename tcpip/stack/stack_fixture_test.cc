#include "tcpip/stack/stack_fixture.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(StackFixture, OpensWhatItMakes) {
  for (const FourTuple& from :
       {FourTuple{{Ip("10.0.0.1"), 1000}, {Ip("10.0.0.2"), 80}},
        FourTuple{{Ip("2001:db8::1"), 1000}, {Ip("2001:db8::2"), 80}}}) {
    Bytes packet =
        MakeTcp(from, {.seq = 7, .flags = {}, .options = {}}, ToBytes("hello"));
    const Opened opened = Open(packet);
    EXPECT_EQ(opened.ip.source, from.local.address);
    EXPECT_EQ(opened.ip.destination, from.remote.address);
    EXPECT_EQ(opened.Tcp().source_port, 1000);
    EXPECT_EQ(opened.Tcp().destination_port, 80);
    EXPECT_EQ(opened.Tcp().seq, 7u);
    EXPECT_EQ(opened.TcpPayload(), ToBytes("hello"));
    EXPECT_TRUE(opened.transport_checksum_good);
    packet.back() ^= 1;
    EXPECT_FALSE(Open(packet).transport_checksum_good);
  }
}

TEST(StackFixture, TheWireDelaysAndCanLose) {
  StackPair pair({.name = "wire"});
  int seen = 0;
  pair.set_delay(Duration::Milliseconds(20));
  pair.set_filter([&seen](const Packet&) { return ++seen > 1; });
  const SocketId client =
      pair.a()
          .stack()
          .TcpConnect({.remote = {Ip("10.0.0.2"), 80}}, pair.now())
          .value();
  pair.RunFor(Duration::Milliseconds(1010));  // the second SYN is on its way
  EXPECT_EQ(seen, 2);
  EXPECT_FALSE(pair.a().stack().GetReadiness(client)->closed);
  pair.RunFor(Duration::Milliseconds(30));  // and is refused
  EXPECT_TRUE(pair.a().stack().GetReadiness(client)->closed);
}

}  // namespace
}  // namespace tcpip
