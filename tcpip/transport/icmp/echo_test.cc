#include "tcpip/transport/icmp/echo.h"

#include "gtest/gtest.h"

namespace tcpip::icmp {
namespace {

const IpAddress kLocal = IpAddress::Ipv4(10, 0, 0, 2);
const IpAddress kRemote = IpAddress::Ipv4(10, 0, 0, 1);
const Instant kStart = Instant::FromNanoseconds(1'000'000);

EchoReply Reply(uint16_t seq, const IpAddress& source = kRemote) {
  EchoReply reply;
  reply.source = source;
  reply.seq = seq;
  reply.payload_bytes = 56;
  reply.ttl = 64;
  return reply;
}

TEST(EchoEndpoint, TimesAReplyFromItsArrival) {
  EchoEndpoint endpoint(kLocal, kRemote, 7);
  endpoint.OnSend(1, kStart);
  endpoint.OnSend(2, kStart + Duration::Milliseconds(10));
  EXPECT_FALSE(endpoint.readable());
  EXPECT_TRUE(endpoint.OnReply(Reply(2), kStart + Duration::Milliseconds(13)));
  EXPECT_TRUE(endpoint.OnReply(Reply(1), kStart + Duration::Milliseconds(14)));
  EXPECT_EQ(endpoint.Dequeue()->rtt, Duration::Milliseconds(3));
  const auto second = endpoint.Dequeue();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->rtt, Duration::Milliseconds(14));
  EXPECT_EQ(second->seq, 1);
  EXPECT_FALSE(endpoint.Dequeue());
}

TEST(EchoEndpoint, IgnoresDuplicatesStrangersAndTheUnasked) {
  EchoEndpoint endpoint(kLocal, kRemote, 7);
  endpoint.OnSend(1, kStart);
  EXPECT_FALSE(endpoint.OnReply(Reply(2), kStart));
  EXPECT_FALSE(endpoint.OnReply(Reply(1, kLocal), kStart));
  EXPECT_TRUE(endpoint.OnReply(Reply(1), kStart));
  EXPECT_FALSE(endpoint.OnReply(Reply(1), kStart));
}

TEST(EchoEndpoint, ForgetsTheOldestRequestsAndKeepsFewReplies) {
  EchoEndpoint endpoint(kLocal, kRemote, 7);
  for (uint16_t seq = 0; seq <= EchoEndpoint::kMaxUnderWay; ++seq) {
    endpoint.OnSend(seq, kStart);
  }
  EXPECT_FALSE(endpoint.OnReply(Reply(0), kStart));
  for (uint16_t seq = 1; seq <= EchoEndpoint::kMaxReplies; ++seq) {
    EXPECT_TRUE(endpoint.OnReply(Reply(seq), kStart));
  }
  endpoint.OnSend(1000, kStart);
  EXPECT_FALSE(endpoint.OnReply(Reply(1000), kStart));
}

}  // namespace
}  // namespace tcpip::icmp
