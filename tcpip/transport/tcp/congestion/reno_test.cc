#include "tcpip/transport/tcp/congestion/reno.h"

#include "gtest/gtest.h"
#include "tcpip/transport/tcp/config.h"

namespace tcpip::tcp {
namespace {

constexpr uint32_t kSmss = 1000;

AckEvent Acked(uint32_t bytes) {
  AckEvent ack;
  ack.acked_bytes = bytes;
  ack.smss = kSmss;
  ack.cwnd_limited = true;
  return ack;
}

LossEvent Lost(uint32_t flight_size) {
  LossEvent loss;
  loss.flight_size = flight_size;
  loss.smss = kSmss;
  return loss;
}

TEST(Reno, SlowStartGrowsByWhatIsAcknowledged) {
  Reno reno;
  CongestionWindow window{.cwnd = 10'000};
  reno.OnAck(window, Acked(10'000));  // one ACK for ten segments
  EXPECT_EQ(window.cwnd, 20'000u);
  for (int i = 0; i < 20; ++i) reno.OnAck(window, Acked(1000));
  EXPECT_EQ(window.cwnd, 40'000u);
}

TEST(Reno, SlowStartKeepsToTheLimitPerAck) {
  Reno reno;
  CongestionWindow window{.cwnd = 10'000};
  AckEvent ack = Acked(10'000);
  ack.slow_start_limit = kSmss;
  reno.OnAck(window, ack);
  EXPECT_EQ(window.cwnd, 11'000u);
}

// [RFC 9293 3.8.2 MUST-19]
TEST(Reno, SlowStartEndsAtSsthreshAndTheRestIsAvoidance) {
  Reno reno;
  CongestionWindow window{.cwnd = 9'000, .ssthresh = 10'000};
  reno.OnAck(window, Acked(6'000));
  EXPECT_EQ(window.cwnd, 10'000u);  // 5,000 of the next 10,000 are in
  reno.OnAck(window, Acked(4'999));
  EXPECT_EQ(window.cwnd, 10'000u);
  reno.OnAck(window, Acked(1));
  EXPECT_EQ(window.cwnd, 11'000u);
}

TEST(Reno, AvoidanceAddsOneSegmentPerWindowHoweverManyAcks) {
  for (uint32_t per_ack : {1u, 1000u, 2000u, 20'000u}) {
    Reno reno;
    CongestionWindow window{.cwnd = 20'000, .ssthresh = 20'000};
    for (uint32_t acked = 0; acked < 20'000; acked += per_ack) {
      reno.OnAck(window, Acked(per_ack));
    }
    EXPECT_EQ(window.cwnd, 21'000u) << per_ack;  // [RFC 3465 2.1]
  }
}

TEST(Reno, AWindowThatIsNotUsedDoesNotGrow) {
  Reno reno;
  CongestionWindow window{.cwnd = 10'000};
  AckEvent ack = Acked(5'000);
  ack.cwnd_limited = false;
  reno.OnAck(window, ack);
  EXPECT_EQ(window.cwnd, 10'000u);
}

TEST(Reno, ALossHalvesFlightSizeNotCwnd) {
  Reno reno;
  CongestionWindow window{.cwnd = 40'000};
  reno.OnCongestion(window, Lost(30'000));  // [RFC 5681 3.1] [req D-42]
  EXPECT_EQ(window, (CongestionWindow{.cwnd = 15'000, .ssthresh = 15'000}));
}

TEST(Reno, SsthreshIsAtLeastTwoSegments) {
  Reno reno;
  CongestionWindow window{.cwnd = 3'000};
  reno.OnCongestion(window, Lost(1'500));
  EXPECT_EQ(window.ssthresh, 2'000u);
}

TEST(Reno, ATimeoutLeavesOneSegment) {
  Reno reno;
  CongestionWindow window{.cwnd = 40'000};
  reno.OnRto(window, Lost(30'000));  // [RFC 5681 3.1]
  EXPECT_EQ(window, (CongestionWindow{.cwnd = 1'000, .ssthresh = 15'000}));
}

TEST(Reno, ASecondTimeoutOfTheSameDataHoldsSsthresh) {
  Reno reno;
  CongestionWindow window{.cwnd = 40'000};
  reno.OnRto(window, Lost(30'000));
  LossEvent again = Lost(30'000);
  again.in_episode = true;
  window.cwnd = 4'000;
  reno.OnRto(window, again);
  EXPECT_EQ(window, (CongestionWindow{.cwnd = 1'000, .ssthresh = 15'000}));
}

TEST(Reno, CwndStaysBelowTheLargestWindow) {
  Reno reno;
  CongestionWindow window{.cwnd = kMaxWindow - 10};
  reno.OnAck(window, Acked(1'000'000));
  EXPECT_EQ(window.cwnd, kMaxWindow);
}

}  // namespace
}  // namespace tcpip::tcp
