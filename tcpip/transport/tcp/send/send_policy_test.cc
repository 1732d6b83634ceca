#include "tcpip/transport/tcp/send/send_policy.h"

#include <string>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

constexpr uint32_t kAmple = 1'000'000;

// What differs from a tail of `unsent` bytes in ample windows.
struct Case {
  const char* name;
  uint32_t unsent;
  NewData want;
  bool short_in_flight = false;
  bool no_delay = false;
  bool pushed = false;
  bool fin = false;
  bool override_due = false;
  uint32_t cwnd_room = kAmple;
  uint32_t window_room = kAmple;
  uint32_t max_snd_wnd = kAmple;
};

class SendPolicyTest : public testing::TestWithParam<Case> {};

// [RFC 9293 3.8.6.2.1 MUST-38]
TEST_P(SendPolicyTest, Decides) {
  for (uint32_t at : {0u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    const Case& c = GetParam();
    SendPolicy policy(c.no_delay, SeqNum(at));
    if (c.pushed) policy.Push(SeqNum(at) + c.unsent);
    const NewData got = policy.Next(Segmenter(1000, 65280),
                                    {.snd_nxt = SeqNum(at),
                                     .unsent_bytes = c.unsent,
                                     .fin_queued = c.fin,
                                     .cwnd_room = c.cwnd_room,
                                     .window_room = c.window_room,
                                     .max_snd_wnd = c.max_snd_wnd,
                                     .short_in_flight = c.short_in_flight,
                                     .override_due = c.override_due});
    EXPECT_EQ(got, c.want);
  }
}

INSTANTIATE_TEST_SUITE_P(
    SendPolicy, SendPolicyTest,
    testing::Values(
        Case{"NothingToSend", 0, {}},
        // [RFC 9293 3.7.4] [req A-31]
        Case{"AShortTailLeavesWithNothingShortAhead", 400, {.bytes = 400}},
        Case{"AShortTailWaitsForAShortOneAhead", 400, {.held = true}, true},
        Case{"FullSegmentsDoNotWait", 3000, {.bytes = 3000}, true},
        Case{"OnlyTheTailWaits", 3400, {.bytes = 3000, .held = true}, true},
        Case{"NoDelayNeverWaits", 400, {.bytes = 400}, true, true},
        Case{"APushedTailLeaves", 3400, {.bytes = 3400}, true, false, true},
        Case{"TheFinGoesWithTheLastByte",
             400,
             {.bytes = 400, .fin = true},
             false,
             false,
             true,
             true},
        Case{"TheFinAlone", 0, {.fin = true}, true, false, true, true},
        // FIN is sequence space in the peer's window, and free in ours.
        Case{"TheFinWaitsForTheWindow",
             400,
             {.bytes = 400},
             false,
             false,
             true,
             true,
             false,
             kAmple,
             400},
        Case{"TheFinDoesNotWaitForCwnd",
             0,
             {.fin = true},
             false,
             false,
             true,
             true,
             false,
             0},
        // [RFC 9293 3.8.6.2.1] [fault W03]
        Case{"ASmallCwndRoomIsNotFilled",
             5000,
             {.bytes = 2000},
             false,
             false,
             false,
             false,
             false,
             2500},
        Case{"LessThanASegmentOfCwndRoomWaits",
             5000,
             {},
             false,
             false,
             false,
             false,
             false,
             900},
        Case{"ASmallWindowIsNotFilled",
             5000,
             {},
             false,
             false,
             false,
             false,
             false,
             kAmple,
             200},
        Case{"HalfTheLargestWindowIsWorthFilling",
             5000,
             {.bytes = 200},
             false,
             false,
             false,
             false,
             false,
             kAmple,
             200,
             400},
        Case{"TheOverrideFillsAnyWindow",
             5000,
             {.bytes = 200},
             false,
             false,
             false,
             false,
             true,
             kAmple,
             200},
        Case{"AShutWindowSendsNothingWhateverTheTimer",
             5000,
             {},
             false,
             false,
             false,
             false,
             true,
             kAmple,
             0}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SendPolicy, MarksStayNearSndUna) {
  SendPolicy policy(false, SeqNum(0));
  policy.OnShortSent(SeqNum(100));
  policy.OnAck(SeqNum(50));
  EXPECT_EQ(policy.short_end(), SeqNum(100));
  // Three gigabytes on, the mark would look like the future.
  for (uint32_t i = 1; i <= 6; ++i) policy.OnAck(SeqNum(i << 29));
  EXPECT_EQ(policy.short_end(), SeqNum(6u << 29));
}

}  // namespace
}  // namespace tcpip::tcp
