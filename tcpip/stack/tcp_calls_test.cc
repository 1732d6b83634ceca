#include "tcpip/stack/tcp_calls.h"

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"

namespace tcpip {
namespace {

// One connection between two stacks; a is the client.
class TcpCallsTest : public testing::Test {
 protected:
  TcpCallsTest() {
    listener_ = b().TcpListen({.local = remote_}).value();
    ends_ = pair_.Connect(listener_, remote_);
    pair_.RunFor(Duration::Milliseconds(100));
  }

  Stack& a() { return pair_.a().stack(); }
  Stack& b() { return pair_.b().stack(); }
  absl::StatusCode Send() {
    return a()
        .TcpSendCopy(ends_.client, ToBytes("x"), pair_.now())
        .status()
        .code();
  }

  StackPair pair_{InterfaceConfig{.name = "x"}};
  IpEndpoint remote_ = {Ip("10.0.0.2"), 80};
  SocketId listener_;
  StackPair::Ends ends_;
};

TEST_F(TcpCallsTest, SendTakesFromTheFrontOfTheChain) {
  ViewChain data;
  data.AppendCopy(pair_.a().pool(), ToBytes("hello"));
  EXPECT_EQ(*a().TcpSend(ends_.client, data, pair_.now()), 5u);
  EXPECT_TRUE(data.empty());
  pair_.RunFor(Duration::Milliseconds(100));
  auto some = b().TcpRecv(ends_.server, 2, pair_.now());
  EXPECT_EQ(Flatten(*some), ToBytes("he"));
  auto rest = b().TcpRecv(ends_.server, 100, pair_.now());
  EXPECT_EQ(Flatten(*rest), ToBytes("llo"));
  EXPECT_TRUE(b().TcpRecv(ends_.server, 100, pair_.now())->empty());
}

TEST_F(TcpCallsTest, SendStopsAtTheBufferAndGoesOnWhenItDrains) {
  tcp::SocketSettings settings;
  settings.send_buffer_bytes = 10'000;
  ASSERT_TRUE(a().TcpSetSettings(ends_.client, settings).ok());
  const Bytes data(50'000, 1);
  const size_t first = a().TcpSendCopy(ends_.client, data, pair_.now()).value();
  EXPECT_LT(first, data.size());
  EXPECT_EQ(*a().TcpSendCopy(ends_.client, data, pair_.now()), 0u);
  while (a().NextReady()) {
  }
  EXPECT_FALSE(a().GetReadiness(ends_.client)->writable);
  pair_.RunFor(Duration::Milliseconds(200));
  EXPECT_TRUE(a().GetReadiness(ends_.client)->writable);
  EXPECT_EQ(a().NextReady()->socket, ends_.client);
}

TEST_F(TcpCallsTest, NothingCanBeSentAfterCloseWrite) {
  EXPECT_TRUE(a().TcpCloseWrite(ends_.client, pair_.now()).ok());
  EXPECT_EQ(Send(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(a().TcpCloseWrite(ends_.client, pair_.now()).ok());  // again
  pair_.RunFor(Duration::Milliseconds(100));
  EXPECT_TRUE(b().GetReadiness(ends_.server)->read_closed);
  // The other direction is open still.
  EXPECT_TRUE(b().TcpSendCopy(ends_.server, ToBytes("yes"), pair_.now()).ok());
  pair_.RunFor(Duration::Milliseconds(100));
  EXPECT_EQ(Flatten(*a().TcpRecv(ends_.client, 9, pair_.now())),
            ToBytes("yes"));
}

TEST_F(TcpCallsTest, NothingWorksAfterAReset) {
  ASSERT_TRUE(b().Abort(ends_.server, pair_.now()).ok());
  pair_.RunFor(Duration::Milliseconds(100));
  EXPECT_EQ(Send(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(a().TcpCloseWrite(ends_.client, pair_.now()).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(a().TcpRecv(ends_.client, 9, pair_.now())->empty());
  EXPECT_TRUE(a().Close(ends_.client, pair_.now()).ok());
}

TEST_F(TcpCallsTest, DataWrittenBeforeTheHandshakeFollowsIt) {
  const SocketId early =
      a().TcpConnect({.remote = remote_}, pair_.now()).value();
  EXPECT_EQ(*a().TcpSendCopy(early, ToBytes("early"), pair_.now()), 5u);
  pair_.RunFor(Duration::Milliseconds(100));
  const SocketId server = b().TcpAccept(listener_).value();
  EXPECT_EQ(Flatten(*b().TcpRecv(server, 9, pair_.now())), ToBytes("early"));
}

}  // namespace
}  // namespace tcpip
