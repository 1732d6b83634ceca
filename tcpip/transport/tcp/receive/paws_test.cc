#include "tcpip/transport/tcp/receive/paws.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

constexpr SeqNum kAcked(1000);
constexpr Instant kNow = Instant() + Duration::Seconds(100);
constexpr Duration kDays24 = Duration::Seconds(24 * 24 * 3600);

Segment WithTsval(uint32_t tsval, SeqNum seq = kAcked) {
  Segment seg;
  seg.seq = seq;
  seg.options.timestamps = wire::TcpTimestamps{tsval, 0};
  return seg;
}

TEST(Paws, RefusesOnlyTimestampsBeforeTsRecent) {
  // [RFC 7323 5.3] serial arithmetic, also where the clock wraps
  for (const uint32_t recent : {0u, 1000u, 0x7fffffffu, 0xffffffffu}) {
    Paws paws(/*enabled=*/true);
    paws.Update(WithTsval(recent), kAcked, kNow);
    EXPECT_EQ(paws.ts_recent(), recent);
    EXPECT_TRUE(paws.Fails(WithTsval(recent - 1), kNow));
    EXPECT_TRUE(paws.Fails(WithTsval(recent - 0x7fffffff), kNow));
    EXPECT_FALSE(paws.Fails(WithTsval(recent), kNow));
    EXPECT_FALSE(paws.Fails(WithTsval(recent + 1), kNow));
    EXPECT_FALSE(paws.Fails(WithTsval(recent + 0x7fffffff), kNow));
  }
}

TEST(Paws, KnowsNothingBeforeTheFirstTimestamp) {
  const Paws paws(true);
  EXPECT_EQ(paws.ts_recent(), 0u);
  EXPECT_FALSE(paws.Fails(WithTsval(0xf0000000), kNow));
}

TEST(Paws, ToleratesAMissingOption) {
  // [fault C02]
  Paws paws(true);
  paws.Update(WithTsval(5), kAcked, kNow);
  Segment bare;
  bare.seq = kAcked;
  EXPECT_FALSE(paws.Fails(bare, kNow));
  paws.Update(bare, kAcked, kNow);
  EXPECT_EQ(paws.ts_recent(), 5u);
}

TEST(Paws, IsOffWithoutNegotiation) {
  Paws paws(/*enabled=*/false);
  paws.Update(WithTsval(5), kAcked, kNow);
  EXPECT_EQ(paws.ts_recent(), 0u);
  EXPECT_FALSE(paws.Fails(WithTsval(4), kNow));
}

TEST(Paws, TakesOnlyTimestampsOfSegmentsThatReachBackToTheLastAck) {
  // [RFC 7323 4.3] [fault X11] a forged one ahead must not poison TS.Recent
  Paws paws(true);
  paws.Update(WithTsval(10, kAcked - 1), kAcked, kNow);
  EXPECT_EQ(paws.ts_recent(), 10u);
  paws.Update(WithTsval(20, kAcked), kAcked, kNow);
  EXPECT_EQ(paws.ts_recent(), 20u);
  paws.Update(WithTsval(30, kAcked + 1), kAcked, kNow);
  EXPECT_EQ(paws.ts_recent(), 20u);
}

TEST(Paws, TsRecentNeverGoesBack) {
  Paws paws(true);
  paws.Update(WithTsval(10), kAcked, kNow);
  paws.Update(WithTsval(9), kAcked, kNow);
  EXPECT_EQ(paws.ts_recent(), 10u);
}

TEST(Paws, TsRecentExpiresAfter24Days) {
  // [RFC 7323 5.5]
  Paws paws(true);
  paws.Update(WithTsval(10), kAcked, kNow);
  EXPECT_TRUE(paws.Fails(WithTsval(9), kNow + kDays24));
  const Instant late = kNow + kDays24 + Duration::Nanoseconds(1);
  EXPECT_FALSE(paws.Fails(WithTsval(9), late));
  paws.Update(WithTsval(9), kAcked, late);
  EXPECT_EQ(paws.ts_recent(), 9u);
}

}  // namespace
}  // namespace tcpip::tcp
