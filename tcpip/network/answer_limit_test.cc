#include "tcpip/network/answer_limit.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

const Instant kStart = Instant::FromNanoseconds(5'000'000'000);

int TakeAll(AnswerLimit& limit, Instant now) {
  int taken = 0;
  while (taken < 1000 && limit.Take(now)) ++taken;
  return taken;
}

TEST(AnswerLimit, AllowsTheBurstAtOnce) {
  AnswerLimit limit(10, 5, kStart);
  EXPECT_EQ(TakeAll(limit, kStart), 5);
}

TEST(AnswerLimit, RefillsAtTheRate) {
  AnswerLimit limit(10, 5, kStart);
  TakeAll(limit, kStart);
  EXPECT_FALSE(limit.Take(kStart + Duration::Milliseconds(99)));
  EXPECT_TRUE(limit.Take(kStart + Duration::Milliseconds(100)));
  EXPECT_FALSE(limit.Take(kStart + Duration::Milliseconds(100)));
  EXPECT_EQ(TakeAll(limit, kStart + Duration::Milliseconds(400)), 3);
}

TEST(AnswerLimit, NeverHoldsMoreThanTheBurst) {
  AnswerLimit limit(10, 5, kStart);
  EXPECT_EQ(TakeAll(limit, kStart + Duration::Seconds(3600)), 5);
}

TEST(AnswerLimit, ZeroAllowsNothing) {
  AnswerLimit no_rate(0, 5, kStart);
  AnswerLimit no_burst(10, 0, kStart);
  EXPECT_EQ(TakeAll(no_rate, kStart + Duration::Seconds(9)), 0);
  EXPECT_EQ(TakeAll(no_burst, kStart + Duration::Seconds(9)), 0);
}

IpAddress Peer(int i) {
  return IpAddress::Ipv4(10, 0, static_cast<uint8_t>(i >> 8),
                         static_cast<uint8_t>(i));
}

// [fault X30]
TEST(AnswerLimits, OneReceiverGetsHalfAndLeavesTheRestToOthers) {
  AnswerLimits limits(100, 20, kStart);
  int first = 0;
  for (int i = 0; i < 1000; ++i) first += limits.Take(Peer(1), kStart);
  EXPECT_EQ(first, 10);
  int others = 0;
  for (int i = 2; i < 1000; ++i) others += limits.Take(Peer(i), kStart);
  EXPECT_EQ(others, 10);
}

TEST(AnswerLimits, NeighboursAreInDifferentGroups) {
  AnswerLimits limits(1000, 512, kStart);
  int allowed = 0;
  for (int i = 0; i < 1024; ++i) allowed += limits.Take(Peer(i % 2), kStart);
  EXPECT_EQ(allowed, 512);
}

TEST(AnswerLimits, ABurstOfOneIsAnswered) {
  AnswerLimits limits(1, 1, kStart);
  EXPECT_TRUE(limits.Take(Peer(1), kStart));
  EXPECT_FALSE(limits.Take(Peer(2), kStart));
}

}  // namespace
}  // namespace tcpip
