#include "tcpip/timer/deadline.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

constexpr Instant At(int64_t ns) { return Instant::FromNanoseconds(ns); }

TEST(Deadline, StartsUnarmedAndNeverExpires) {
  const Deadline deadline;
  EXPECT_FALSE(deadline.armed());
  EXPECT_TRUE(deadline.at().IsNever());
  EXPECT_FALSE(deadline.Expired(At(0)));
  EXPECT_FALSE(deadline.Expired(Instant::Never()));
}

TEST(Deadline, ExpiresAtTheInstantAndStaysExpired) {
  Deadline deadline;
  deadline.Set(At(10));
  EXPECT_TRUE(deadline.armed());
  EXPECT_FALSE(deadline.Expired(At(9)));
  EXPECT_TRUE(deadline.Expired(At(10)));
  EXPECT_TRUE(deadline.Expired(At(11)));
  EXPECT_TRUE(deadline.armed());
}

TEST(Deadline, SettingAgainReplacesTheInstant) {
  Deadline deadline;
  deadline.Set(At(10));
  deadline.Set(At(20));
  EXPECT_EQ(deadline.at(), At(20));
  EXPECT_FALSE(deadline.Expired(At(10)));
}

TEST(Deadline, CancelAndNeverBothDisarm) {
  Deadline deadline;
  deadline.Set(At(10));
  deadline.Cancel();
  EXPECT_FALSE(deadline.armed());
  EXPECT_FALSE(deadline.Expired(At(10)));
  deadline.Set(At(10));
  deadline.Set(Instant::Never());
  EXPECT_FALSE(deadline.armed());
}

}  // namespace
}  // namespace tcpip
