#include "conformance/fake_host.h"

#include "gtest/gtest.h"

namespace conformance {
namespace {

using tcpip::Duration;

constexpr Duration Ms(int64_t ms) { return Duration::Milliseconds(ms); }

TEST(FakeHostTest, APacketLeavesAtItsTimeAndNotBefore) {
  FakeHost host;
  host.Sends(Ms(20), {1});
  EXPECT_FALSE(host.NextPacket(Ms(10)));
  EXPECT_EQ(host.now(), Ms(10));
  const auto packet = host.NextPacket(Ms(30));
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->at, Ms(20));
  EXPECT_EQ(host.now(), Ms(20));
  EXPECT_FALSE(host.NextPacket(Ms(30)));
}

TEST(FakeHostTest, ACallIsAnsweredOnceAndAfterItsTime) {
  FakeHost host;
  host.Answers({.value = 7}, Ms(5));
  const auto id = host.StartCall(call::Close{.fd = 3});
  EXPECT_FALSE(host.FinishCall(id, Ms(4)));
  const auto finished = host.FinishCall(id, Ms(9));
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->at, Ms(5));
  EXPECT_EQ(finished->result.value, 7);
  EXPECT_FALSE(host.FinishCall(id, Ms(9)));
  EXPECT_FALSE(host.FinishCall(host.StartCall(call::Close{}), Ms(99)));
}

}  // namespace
}  // namespace conformance
