#include "tcpip/transport/tcp/observe.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

TEST(Observe, ASnapshotOfNothingClaimsNothing) {
  const TcpInfo info;
  EXPECT_EQ(info.state, TcpState::kClosed);
  EXPECT_EQ(info.recovery, RecoveryState::kOpen);
  EXPECT_EQ(info.cwnd, 0u);
  EXPECT_EQ(info.srtt, Duration::Zero());
}

TEST(Observe, ReadinessComparesByValue) {
  Readiness a;
  Readiness b;
  EXPECT_EQ(a, b);
  b.readable = true;
  EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace tcpip::tcp
