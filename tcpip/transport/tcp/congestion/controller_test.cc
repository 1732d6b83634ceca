#include "tcpip/transport/tcp/congestion/controller.h"

#include <string_view>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

constexpr Instant kNow = Instant::FromNanoseconds(1);

AckEvent Acked(uint32_t bytes) {
  AckEvent ack;
  ack.acked_bytes = bytes;
  ack.smss = 1000;
  ack.cwnd_limited = true;
  return ack;
}

LossEvent Lost(uint32_t flight_size) {
  LossEvent loss;
  loss.flight_size = flight_size;
  loss.smss = 1000;
  return loss;
}

Controller Reno10() {
  return Controller(CongestionAlgorithm::kReno, 1'000, 10, false);
}

TEST(Controller, StartsWithTheInitialWindowAndNoThreshold) {
  const Controller controller = Reno10();
  EXPECT_EQ(controller.cwnd(), 10'000u);
  EXPECT_EQ(controller.ssthresh(), CongestionWindow::kInfinite);
  EXPECT_EQ(std::string_view(controller.name()), "reno");
}

TEST(Controller, EventsReachTheAlgorithm) {
  Controller controller = Reno10();
  controller.OnAck(Acked(2'000));
  EXPECT_EQ(controller.cwnd(), 12'000u);
  controller.OnCongestion(Lost(12'000));
  EXPECT_EQ(controller.cwnd(), 6'000u);
  EXPECT_EQ(controller.ssthresh(), 6'000u);
  controller.OnRto(Lost(6'000));
  EXPECT_EQ(controller.cwnd(), 1'000u);
  EXPECT_EQ(controller.ssthresh(), 3'000u);
}

TEST(Controller, AnIdleTimeCutsToTheRestartWindowAndKeepsSsthresh) {
  Controller controller = Reno10();
  controller.OnAck(Acked(30'000));
  controller.OnIdleRestart(1'000, kNow);  // [RFC 5681 4.1]
  EXPECT_EQ(controller.cwnd(), 10'000u);
  EXPECT_EQ(controller.ssthresh(), CongestionWindow::kInfinite);
  controller.OnRto(Lost(10'000));
  controller.OnIdleRestart(1'000, kNow);
  EXPECT_EQ(controller.cwnd(), 1'000u);  // never raises
  controller.OnSmss(9'000);
  controller.OnIdleRestart(9'000, kNow);  // of the segments sent now
  EXPECT_EQ(controller.cwnd(), 9'000u);
}

TEST(Controller, ALostSynStartsWithOneSegment) {
  Controller controller = Reno10();
  controller.OnSynTimedOut(1'000);  // [RFC 5681 3.1]
  EXPECT_EQ(controller.cwnd(), 1'000u);
}

TEST(Controller, ALargerSegmentAlwaysFits) {
  Controller controller = Reno10();
  controller.OnRto(Lost(10'000));
  controller.OnSmss(9'000);
  EXPECT_EQ(controller.cwnd(), 9'000u);
  controller.OnSmss(500);
  EXPECT_EQ(controller.cwnd(), 9'000u);
}

}  // namespace
}  // namespace tcpip::tcp
