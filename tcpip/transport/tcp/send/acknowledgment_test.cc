#include "tcpip/transport/tcp/send/acknowledgment.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

using wire::SackBlock;

constexpr Instant T(int64_t ms) {
  return Instant::FromNanoseconds(ms * 1'000'000);
}
constexpr WindowSize kWnd(5000);

// Ten segments of 1000 bytes from sequence number 0 on, sent 1 ms apart.
SentLog TenSegments() {
  SentLog log{SeqNum(0)};
  for (int i = 0; i < 10; ++i) log.OnSent(1000, 1000, T(i));
  return log;
}

AckInput In(uint32_t ack, const std::vector<SackBlock>& sack = {}) {
  AckInput in;
  in.ack = SeqNum(ack);
  in.wnd = kWnd;
  in.sack = sack;
  in.ingress = T(100);
  return in;
}

TEST(Acknowledgment, BlocksThatAreNotInFlightSayNothing) {
  // [fault S25]
  const SackBlock kWrong[] = {
      {3000, 3000},              // empty
      {4000, 3000},              // inside out
      {0, 3000},                 // from below SND.UNA
      {500, 800},                // below it
      {9000, 10'001},            // beyond SND.MAX
      {11'000, 12'000},          // above it
      {0x80000000, 0x80001000},  // half the space away
      {0x7fffffff, 0xfffffff0},  // in order on both sides only modulo 2^32
      {2000, 0x80002000},        // longer than half the space
  };
  for (const SackBlock& wrong : kWrong) {
    SentLog log = TenSegments();
    Delivery delivery;
    log.AckTo(SeqNum(1000), T(1), delivery);
    const std::vector<SackBlock> sack = {wrong, {5000, 6000}};
    ApplySackBlocks(In(1000, sack), log, delivery);
    EXPECT_EQ(delivery.sacked_bytes, 1000u) << wrong.left;
    EXPECT_EQ(log.counts(), log.Recount());
  }
}

TEST(Acknowledgment, FourBlocksInAnyOrderAreTaken) {
  SentLog log = TenSegments();
  Delivery delivery;
  const std::vector<SackBlock> sack = {
      {7000, 8000}, {1000, 2000}, {5000, 6000}, {3000, 4000}};
  ApplySackBlocks(In(0, sack), log, delivery);
  EXPECT_EQ(delivery.sacked_bytes, 4000u);
}

TEST(Acknowledgment, RecognizesDsacks) {
  const std::vector<SackBlock> below = {{500, 800}};
  const std::vector<SackBlock> inside = {{3000, 3500}, {2000, 4000}};
  const std::vector<SackBlock> news = {{3000, 3500}, {5000, 6000}};
  const std::vector<SackBlock> second = {{3000, 3500}, {500, 800}};
  const std::vector<SackBlock> empty = {{500, 500}};
  EXPECT_FALSE(HasDsack(In(1000)));
  EXPECT_TRUE(HasDsack(In(1000, below)));  // [RFC 2883 4]
  EXPECT_TRUE(HasDsack(In(1000, inside)));
  EXPECT_FALSE(HasDsack(In(1000, news)));
  EXPECT_FALSE(HasDsack(In(1000, second)));
  EXPECT_FALSE(HasDsack(In(1000, empty)));
}

struct Duplicate {
  const char* name;
  bool want;
  bool sack = true;
  uint32_t flight_size = 10'000;
  uint32_t seg_len = 0;
  uint32_t acked_bytes = 0;
  uint32_t wnd = 5000;
  uint32_t snd_wnd = 5000;
  uint32_t newly_sacked = 0;
  bool blocks = false;
};

class DuplicateAckTest : public testing::TestWithParam<Duplicate> {};

TEST_P(DuplicateAckTest, IsCounted) {
  const Duplicate& c = GetParam();
  const std::vector<SackBlock> sack = {{3000, 4000}};
  AckInput in = In(0);
  in.seg_len = c.seg_len;
  in.wnd = WindowSize(c.wnd);
  if (c.blocks) in.sack = sack;
  Delivery delivery;
  delivery.acked_bytes = c.acked_bytes;
  delivery.sacked_bytes = c.newly_sacked;
  EXPECT_EQ(IsDuplicateAck(in, delivery, c.sack, WindowSize(c.snd_wnd),
                           c.flight_size),
            c.want);
}

// [RFC 5681 2] (a) to (e), and new SACK information
INSTANTIATE_TEST_SUITE_P(
    Acknowledgment, DuplicateAckTest,
    testing::Values(
        Duplicate{.name = "PlainOnes", .want = true},
        Duplicate{.name = "WithoutSack", .want = true, .sack = false},
        Duplicate{
            .name = "NotWithNothingInFlight", .want = false, .flight_size = 0},
        Duplicate{.name = "NotWithData", .want = false, .seg_len = 1},
        Duplicate{
            .name = "NotWhenItAcknowledges", .want = false, .acked_bytes = 1},
        // [fault S17] [req A-15]
        Duplicate{.name = "NotAWindowUpdate", .want = false, .wnd = 6000},
        Duplicate{.name = "NotAnAnswerToAProbe",
                  .want = false,
                  .wnd = 0,
                  .snd_wnd = 0},
        Duplicate{.name = "NewSackInformation",
                  .want = true,
                  .newly_sacked = 1000,
                  .blocks = true},
        Duplicate{.name = "NewSackInformationWithDataAndAnotherWindow",
                  .want = true,
                  .seg_len = 500,
                  .wnd = 6000,
                  .newly_sacked = 1000,
                  .blocks = true},
        Duplicate{.name = "NotARepeatedSack", .want = false, .blocks = true}),
    [](const auto& info) { return std::string(info.param.name); });

class RttSampleTest : public testing::Test {
 protected:
  std::optional<int64_t> Sample(uint32_t ack, bool sack = true) {
    const AckInput in = In(ack);
    Delivery delivery;
    log_.AckTo(in.ack, in.ingress, delivery);
    return Take(in, delivery, sack);
  }
  std::optional<int64_t> Take(AckInput in, const Delivery& delivery,
                              bool sack) {
    in.echo_age = echo_age_;
    const auto sample = RttSampleOf(in, delivery, log_, sack);
    if (!sample) return std::nullopt;
    by_departure_ = sample->by_departure;
    return sample->rtt.milliseconds();
  }
  void Repair(uint32_t begin, uint32_t end, int64_t ms) {
    log_.MarkLost({SeqNum(begin), SeqNum(end)});
    log_.OnRetransmitted({SeqNum(begin), SeqNum(end)}, T(ms));
  }
  SentLog log_ = TenSegments();
  std::optional<Duration> echo_age_;
  bool by_departure_ = false;
};

TEST_F(RttSampleTest, IsTimedFromTheNewestSegmentItCovers) {
  EXPECT_EQ(Sample(2000), 99);  // [req E-01]
  EXPECT_EQ(Sample(2500), 98);
  EXPECT_EQ(Sample(8000), 93);
  EXPECT_TRUE(by_departure_);
}

// [req E-08, E-09] every ACK that ends inside of a segment, and the rest of it
TEST_F(RttSampleTest, EveryPartOfASegmentIsTimed) {
  for (const uint32_t ack : {1500u, 1501u, 1999u, 2000u}) {
    EXPECT_EQ(Sample(ack), 99) << ack;
  }
}

// [req E-04, E-05] however many are in flight
TEST_F(RttSampleTest, SegmentsBeyondAnyNumberInFlightAreTimed) {
  for (int i = 10; i < 300; ++i) log_.OnSent(1000, 1000, T(i / 4));
  EXPECT_EQ(Sample(10'000), 91);
  EXPECT_EQ(Sample(80'000), 100 - 79 / 4);
  EXPECT_EQ(Sample(299'000), 100 - 298 / 4);
  EXPECT_EQ(Sample(300'000), 100 - 299 / 4);
}

// A lost ACK makes the sender repeat what had arrived. The answer carries a
// DSACK and the echo of the original: as old as the timeout was long.
TEST_F(RttSampleTest, AnAnswerToADuplicateTimesNothing) {
  echo_age_ = Duration::Milliseconds(900);
  const std::vector<SackBlock> duplicate = {{0, 1000}};
  const AckInput in = In(2000, duplicate);
  ASSERT_TRUE(HasDsack(in));
  Delivery delivery;
  log_.AckTo(in.ack, in.ingress, delivery);
  EXPECT_EQ(Take(in, delivery, true), std::nullopt);
}

TEST_F(RttSampleTest, DepartureGoesBeforeTheEcho) {
  echo_age_ = Duration::Milliseconds(7);
  EXPECT_EQ(Sample(1000), 100);  // [req E-02]
}

// [RFC 9293 3.8.1 MUST-18]
TEST_F(RttSampleTest, ARepairIsTimedByItsEchoOnly) {
  Repair(0, 1000, 50);
  EXPECT_EQ(Sample(1000), std::nullopt);  // [RFC 6298 3]
  Repair(1000, 2000, 50);
  echo_age_ = Duration::Milliseconds(7);
  EXPECT_EQ(Sample(2000), 7);  // [req E-12]
  EXPECT_FALSE(by_departure_);
}

TEST_F(RttSampleTest, AnEchoIsNoFinerThanItsTick) {
  Repair(0, 1000, 50);
  echo_age_ = Duration::Zero();
  EXPECT_EQ(Sample(1000), 1);
}

TEST_F(RttSampleTest, WhatAHoleHeldBackIsNotTimed) {
  Repair(0, 1000, 50);
  EXPECT_EQ(Sample(10'000), std::nullopt);  // [req A-29]
}

TEST_F(RttSampleTest, WhatWasSackedIsTimedThenAndNotAgain) {
  Repair(0, 1000, 50);
  Delivery delivery;
  const std::vector<SackBlock> sack = {{2000, 5000}};
  const AckInput in = In(0, sack);
  ApplySackBlocks(in, log_, delivery);
  EXPECT_EQ(Take(in, delivery, true), 96);
  EXPECT_EQ(Sample(1000), std::nullopt);
  EXPECT_EQ(Sample(5000), 99);  // 1000..2000 is what is new in it
}

TEST_F(RttSampleTest, WithoutSackARepairHidesWhatWasSentBeforeIt) {
  Repair(0, 1000, 50);
  log_.OnSent(1000, 1000, T(60));
  EXPECT_EQ(Sample(1000, false), std::nullopt);
  EXPECT_EQ(Sample(5000, false), std::nullopt);
  EXPECT_EQ(Sample(11'000, false), 40);
}

TEST_F(RttSampleTest, AnExpiryHidesWhatWasSentBeforeIt) {
  log_.MarkAllLost(T(50));
  log_.OnSent(1000, 1000, T(60));
  EXPECT_EQ(Sample(5000), std::nullopt);  // [req E-11]
  EXPECT_EQ(Sample(11'000), 40);
}

TEST_F(RttSampleTest, AnAckWithNothingNewIsNotTimedByItsEcho) {
  echo_age_ = Duration::Milliseconds(7);
  EXPECT_EQ(Sample(0), std::nullopt);  // [RFC 7323 4.1]
}

}  // namespace
}  // namespace tcpip::tcp
