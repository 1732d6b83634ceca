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

}  // namespace
}  // namespace tcpip
