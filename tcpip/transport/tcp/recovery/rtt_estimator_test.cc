#include "tcpip/transport/tcp/recovery/rtt_estimator.h"

#include <optional>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

constexpr Duration Ms(int64_t n) { return Duration::Milliseconds(n); }

// A sample whose ACK delivered the whole flight: full weight.
void Sample(RttEstimator& rtt, Duration sample) {
  rtt.OnSample(sample, 1000, 1000);
}

TEST(RttEstimator, StartsAtOneSecondWithoutSrtt) {
  const TcpConfig config;
  const RttEstimator rtt(config);
  EXPECT_EQ(rtt.rto(), Ms(1000));  // [RFC 6298 2.1]
  EXPECT_EQ(rtt.srtt(), std::nullopt);
  EXPECT_EQ(rtt.min_rtt(), std::nullopt);
}

TEST(RttEstimator, FirstSampleSetsSrttAndHalvesIntoRttvar) {
  const TcpConfig config;
  RttEstimator rtt(config);
  Sample(rtt, Ms(300));
  EXPECT_EQ(rtt.srtt(), Ms(300));  // [RFC 6298 2.2]
  EXPECT_EQ(rtt.rttvar(), Ms(150));
  EXPECT_EQ(rtt.rto(), Ms(900));
}

// [RFC 9293 3.8.1 MUST-18]
TEST(RttEstimator, LaterSamplesMoveRttvarByAQuarterAndSrttByAnEighth) {
  const TcpConfig config;
  RttEstimator rtt(config);
  Sample(rtt, Ms(800));
  Sample(rtt, Ms(1600));  // [RFC 6298 2.3] error 800 against the old SRTT
  EXPECT_EQ(rtt.rttvar(), Ms(500));
  EXPECT_EQ(rtt.srtt(), Ms(900));
  EXPECT_EQ(rtt.rto(), Ms(2900));
  Sample(rtt, Ms(100));
  EXPECT_EQ(rtt.rttvar(), Ms(575));
  EXPECT_EQ(rtt.srtt(), Ms(800));
  EXPECT_EQ(rtt.min_rtt(), Ms(100));
}

TEST(RttEstimator, FloorIsAMarginAboveSrtt) {
  const TcpConfig config;
  RttEstimator rtt(config);
  Sample(rtt, Ms(20));
  EXPECT_EQ(rtt.rto(), Ms(220));
  // A long steady path keeps the margin, too.
  RttEstimator steady(config);
  for (int i = 0; i < 200; ++i) Sample(steady, Ms(600));
  EXPECT_EQ(steady.rto(), Ms(800));
}

TEST(RttEstimator, GranularityCountsWhenItIsTheLargest) {
  TcpConfig config;
  config.clock_granularity = Ms(500);
  RttEstimator rtt(config);
  Sample(rtt, Ms(20));
  EXPECT_EQ(rtt.rto(), Ms(520));
}

// [RFC 9293 3.8.2 MUST-19]
TEST(RttEstimator, TimeoutsDoubleToTheCap) {
  const TcpConfig config;
  RttEstimator rtt(config);
  Sample(rtt, Ms(100));  // RTO 300 ms
  for (int64_t want : {600, 1200, 2400, 4800, 9600, 19200, 38400, 76800}) {
    rtt.OnTimeout();  // [RFC 6298 5.5]
    EXPECT_EQ(rtt.rto(), Ms(want));
  }
  for (int i = 0; i < 300; ++i) {
    rtt.OnTimeout();
    EXPECT_EQ(rtt.rto(), Ms(120'000));
  }
}

TEST(RttEstimator, ASampleEndsTheBackoff) {
  const TcpConfig config;
  RttEstimator rtt(config);
  Sample(rtt, Ms(100));
  rtt.OnTimeout();
  rtt.OnTimeout();
  Sample(rtt, Ms(100));
  EXPECT_EQ(rtt.rto(), Ms(300));
}

TEST(RttEstimator, ALostSynStartsAtThreeSeconds) {
  const TcpConfig config;
  RttEstimator rtt(config);
  rtt.OnSynTimedOut();  // [RFC 6298 5.7]
  EXPECT_EQ(rtt.rto(), Ms(3000));
  Sample(rtt, Ms(100));
  EXPECT_EQ(rtt.rto(), Ms(300));
}

// [RFC 7323 G] [req E-14]
TEST(RttEstimator, ConvergesPerFlightHoweverManyAcksItHas) {
  const TcpConfig config;
  RttEstimator one(config);
  RttEstimator many(config);
  Sample(one, Ms(100));
  Sample(many, Ms(100));
  for (int round = 0; round < 8; ++round) {
    one.OnSample(Ms(200), 256'000, 256'000);
    for (int i = 0; i < 256; ++i) many.OnSample(Ms(200), 1000, 256'000);
  }
  // 1 - (7/8)^8 of the way, and 1 - exp(-1) of it.
  EXPECT_NEAR(one.srtt()->microseconds(), 165'639, 10);
  EXPECT_NEAR(many.srtt()->microseconds(), 163'212, 100);
}

TEST(RttEstimator, OneAckOfManyMovesAlphaByItsShare) {
  const TcpConfig config;
  RttEstimator rtt(config);
  Sample(rtt, Ms(100));
  rtt.OnSample(Ms(228), 1000, 128'000);
  EXPECT_EQ(rtt.srtt()->microseconds(), 100'125);  // 128 ms / 8 / 128
}

TEST(RttEstimator, AnEmptyFlightStillCounts) {
  const TcpConfig config;
  RttEstimator rtt(config);
  Sample(rtt, Ms(100));
  rtt.OnSample(Ms(180), 0, 0);
  EXPECT_EQ(rtt.srtt(), Ms(110));
}

TEST(RttEstimator, ZeroFromACoarseClockIsASample) {
  const TcpConfig config;
  RttEstimator rtt(config);
  Sample(rtt, Duration::Zero());  // [fault S03]
  EXPECT_TRUE(rtt.srtt().has_value());
  EXPECT_EQ(rtt.rto().milliseconds(), 200);
}

}  // namespace
}  // namespace tcpip::tcp
