#include "tcpip/transport/tcp/connection_fixture.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

TEST(ConnectionFixture, ReachesEveryStateOfAConnection) {
  for (int i = 0; i < kTcpStateCount; ++i) {
    const auto state = static_cast<TcpState>(i);
    if (state == TcpState::kListen) continue;
    auto fixture = ConnectionFixture::In(state);
    EXPECT_EQ(ToString(fixture->connection().state()), ToString(state));
    EXPECT_TRUE(fixture->Take().empty()) << ToString(state);
  }
}

TEST(ConnectionFixture, TracksWhatWeHaveSent) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  EXPECT_EQ(f->our_nxt, SeqNum(1'001));
  f->Write("hello");
  const auto sent = f->Take();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(ToString(sent[0]), "P. 1001:1006 ack 50001");
  EXPECT_EQ(PayloadOf(sent[0].payload), "hello");
  EXPECT_EQ(f->our_nxt, SeqNum(1'006));
}

}  // namespace
}  // namespace tcpip::tcp
