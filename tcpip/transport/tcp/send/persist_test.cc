#include "tcpip/transport/tcp/send/persist.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

constexpr Duration kRto = Duration::Milliseconds(300);
constexpr Duration kMax = Duration::Seconds(60);

int64_t Ms(const Persist& persist, bool shut) {
  return persist.Interval(kRto, kMax, shut).milliseconds();
}

TEST(Persist, BacksOffFromTheRtoToTheMaximum) {
  Persist persist;
  // [RFC 9293 3.8.6.1 SHLD-29, SHLD-30] [fault W01]
  for (int64_t want :
       {300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 60000, 60000}) {
    EXPECT_EQ(Ms(persist, true), want);
    persist.OnExpiry();
  }
  for (int i = 0; i < 300; ++i) persist.OnExpiry();
  EXPECT_EQ(Ms(persist, true), 60000);
}

TEST(Persist, TheOverrideOfASmallWindowTakesASecondAtMost) {
  Persist persist;
  EXPECT_EQ(Ms(persist, false), 300);
  for (int i = 0; i < 5; ++i) persist.OnExpiry();
  EXPECT_EQ(Ms(persist, false), 1000);
}

TEST(Persist, AnAnswerStartsTheCountAgainButNotTheBackoff) {
  Persist persist;
  persist.OnExpiry();
  persist.OnExpiry();
  EXPECT_EQ(persist.unanswered(), 2);
  persist.OnAck();  // [RFC 9293 3.8.6.1 MUST-37]
  EXPECT_EQ(persist.unanswered(), 0);
  EXPECT_EQ(Ms(persist, true), 1200);
}

TEST(Persist, AProbeIsDueOncePerExpiry) {
  Persist persist;
  EXPECT_FALSE(persist.due());
  persist.OnExpiry();
  EXPECT_TRUE(persist.due());
  persist.OnSent();
  EXPECT_FALSE(persist.due());
}

TEST(Persist, AnOpenWindowForgetsTheBackoff) {
  Persist persist;
  for (int i = 0; i < 5; ++i) persist.OnExpiry();
  persist.Reset();
  EXPECT_EQ(Ms(persist, true), 300);
  EXPECT_FALSE(persist.due());
}

}  // namespace
}  // namespace tcpip::tcp
