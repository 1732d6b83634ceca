#include "tcpip/transport/tcp/congestion/congestion_window.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

TEST(CongestionWindow, InitialWindowIsTenSegmentsInsideItsBounds) {
  // [RFC 6928 2]
  EXPECT_EQ(InitialWindow(536, 10), 5360u);
  EXPECT_EQ(InitialWindow(1448, 10), 14480u);
  EXPECT_EQ(InitialWindow(1460, 10), 14600u);
  EXPECT_EQ(InitialWindow(4000, 10), 14600u);
  EXPECT_EQ(InitialWindow(8960, 10), 17920u);
}

TEST(CongestionWindow, StartsInSlowStart) {
  CongestionWindow window{.cwnd = 14480};
  EXPECT_TRUE(window.InSlowStart());
  window.ssthresh = 14480;
  EXPECT_FALSE(window.InSlowStart());
}

}  // namespace
}  // namespace tcpip::tcp
