#include "tcpip/transport/tcp/send/sender.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tcpip/transport/tcp/send/sender_driver.h"

namespace tcpip::tcp {
namespace {

// A flight of `segments`, the user's data ending with it or not.
SenderDriver::Options Flight(uint32_t segments, bool sack = true) {
  SenderDriver::Options options;
  options.config.initial_window_segments = segments;
  options.sack = sack;
  return options;
}

// What leaves, without the time that was waited.
std::string Expired(SenderDriver& d) {
  const std::string text = d.Expire();
  return text.substr(text.find(' ') + 1);
}

// --- Fast recovery ---

TEST(SenderLoss, OneHoleIsRepairedOnceHoweverManySacksReportIt) {
  SenderDriver d(Flight(20));
  d.Write(20'000);
  d.Drain();
  std::string sent;
  for (int i = 0; i < 200; ++i) {  // [fault S14]
    sent += d.Ack(0, {.sack = {{1'000, 5'000}}});
  }
  EXPECT_EQ(sent, "r0..1000");
  EXPECT_EQ(d.Info().segs_retrans, 1u);
  EXPECT_EQ(d.Info().dup_acks_in, 1u);
}

TEST(SenderLoss, HalvesFlightSizeAsItWasBeforeTheAck) {
  SenderDriver d(Flight(30));
  d.Write(30'000);
  d.Drain();
  // [req D-42] 30 in flight when the ACK came, which takes away 10
  d.Ack(10'000, {.sack = {{11'000, 30'000}}});
  EXPECT_EQ(d.Info().ssthresh, 15'000u);
  EXPECT_EQ(d.Info().recovery, RecoveryState::kRecovery);
  d.Ack(30'000);
  EXPECT_EQ(d.Info().cwnd, 15'000u);
}

TEST(SenderLoss, NewDataLeavesAsPipeFallsBelowCwnd) {
  SenderDriver d(Flight(10));
  d.Write(100'000);
  d.Drain();
  // [RFC 3042 2] one segment for each that is SACKed, before any loss is found
  EXPECT_EQ(d.Ack(0, {.sack = {{1'000, 2'000}}}), "10000..11000");
  EXPECT_EQ(d.Ack(0, {.sack = {{1'000, 3'000}}}), "11000..12000");
  EXPECT_EQ(d.Ack(0, {.sack = {{1'000, 4'000}}}), "r0..1000");
  EXPECT_EQ(d.Info().cwnd, 6'000u);
  EXPECT_EQ(d.Info().pipe, 9'000u);
  // [RFC 6675 5] nothing until pipe is a segment below cwnd
  EXPECT_EQ(d.Ack(0, {.sack = {{1'000, 5'000}}}), "");
  EXPECT_EQ(d.Ack(0, {.sack = {{1'000, 7'000}}}), "");
  EXPECT_EQ(d.Ack(0, {.sack = {{1'000, 8'000}}}), "12000..13000");
  EXPECT_EQ(d.Info().pipe, 6'000u);
}

TEST(SenderLoss, ACountedSegmentIsReleasedOnce) {
  SenderDriver d(Flight(10));
  d.Write(100'000);
  d.Drain();
  // [req A-20] 9 of 10 SACKed, in recovery: cwnd 5, the repair in flight
  EXPECT_EQ(d.Ack(0, {.sack = {{1'000, 10'000}}}),
            "r0..1000 10000..11000 11000..12000 12000..13000 13000..14000");
  EXPECT_EQ(d.Drain(), "");
  EXPECT_EQ(d.Ack(0, {.sack = {{1'000, 11'000}}}), "14000..15000");
}

TEST(SenderLoss, LeavesRecoveryAtTheRecoveryPointAndEntersAgainAbove) {
  SenderDriver d(Flight(10));
  d.Write(100'000);
  d.Drain();
  d.Ack(0, {.sack = {{1'000, 10'000}}});  // sends up to 14000
  EXPECT_EQ(d.Ack(9'999), "14000..15000");
  EXPECT_EQ(d.Info().recovery, RecoveryState::kRecovery);
  d.Ack(10'000);  // [fault S10]
  EXPECT_EQ(d.Info().recovery, RecoveryState::kOpen);
  EXPECT_EQ(d.Ack(10'000, {.sack = {{11'000, 14'000}}}).substr(0, 13),
            "r10000..11000");
  EXPECT_EQ(d.Info().fast_recoveries, 2u);
}

TEST(SenderLoss, SackedDataThatIsThenAcknowledgedLeavesNothingInPipe) {
  SenderDriver d(Flight(10));
  d.Write(5'010'000);
  d.Drain();
  for (uint32_t i = 0; i < 1'000; ++i) {  // [fault S02]
    const uint32_t una = i * 5'000;
    d.Ack(una, {.sack = {{una + 2'000, una + 4'000}}});
    d.Ack(una + 5'000);
    ASSERT_EQ(d.Info().pipe, d.sender().unacked_bytes());
  }
  EXPECT_EQ(d.Info().octets_retrans, 0u);
  EXPECT_EQ(d.Info().fast_recoveries, 0u);
}

TEST(SenderLoss, APartlySackedSegmentIsRepairedWhereItIsNot) {
  SenderDriver d(Flight(2));
  d.Write(2'000);
  d.Drain();
  EXPECT_EQ(d.Ack(1'000, {.sack = {{1'500, 2'000}}}), "");
  EXPECT_EQ(Expired(d), "r1000..1500");  // [fault S13]
  d.Ack(2'000);
  EXPECT_FALSE(d.sender().HasUnackedOrUnsent());
}

TEST(SenderLoss, WindowUpdatesAreNoDuplicates) {
  SenderDriver d(Flight(10, false));
  d.Write(10'000);
  d.Drain();
  for (uint32_t wnd = 50'000; wnd < 60'000; wnd += 1'000) {
    EXPECT_EQ(d.Ack(0, {.wnd = wnd}), "");  // [fault S17]
  }
  EXPECT_EQ(d.Info().dup_acks_in, 0u);
}

TEST(SenderLoss, KeepalivesWithDataAreNoDuplicates) {
  SenderDriver d(Flight(10, false));
  d.Write(1'000);
  d.Drain();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(d.Ack(0, {.seg_len = 1}), "");
  EXPECT_EQ(d.Info().fast_recoveries, 0u);  // [fault S18]
}

TEST(SenderLoss, WithoutSackThreeDuplicatesRepairTheHead) {
  SenderDriver d(Flight(10, false));
  d.Write(100'000);
  d.Drain();
  EXPECT_EQ(d.Ack(0), "10000..11000");  // [RFC 3042 2]
  EXPECT_EQ(d.Ack(0), "11000..12000");
  EXPECT_EQ(d.Ack(0), "r0..1000");  // [RFC 6582 3.2]
  EXPECT_EQ(d.Info().ssthresh, 6'000u);
  std::string sent;
  for (int i = 0; i < 8; ++i) sent += d.Ack(0) + ' ';
  EXPECT_EQ(sent,
            "   12000..13000 13000..14000 14000..15000 15000..16000 "
            "16000..17000 ");
  EXPECT_EQ(d.Ack(3'000).substr(0, 11), "r3000..4000");
  d.Ack(12'000);
  EXPECT_EQ(d.Info().recovery, RecoveryState::kOpen);
  EXPECT_EQ(d.Info().fast_recoveries, 1u);
}

TEST(SenderLoss, TheRepairOfTheHeadGetsAWholeRto) {
  SenderDriver d(Flight(10));
  d.Write(10'000);
  d.Drain();
  d.Advance(250);
  EXPECT_EQ(d.Ack(0, {.sack = {{1'000, 10'000}}}), "r0..1000");
  EXPECT_EQ(d.timers().deadline(TimerSlot::kRetransmit),
            d.now() + d.Info().rto);
}

// --- The timer ---

TEST(SenderLoss, AnExpirySendsTheHeadAndAcksClockTheRest) {
  SenderDriver d(Flight(3));
  d.Write(3'000);
  d.Drain();
  EXPECT_EQ(d.Expire(), "+300: r0..1000");  // [req A-23]
  EXPECT_EQ(d.Info().cwnd, 1'000u);
  EXPECT_EQ(d.Ack(1'000), "r1000..2000 r2000..3000P");
  EXPECT_EQ(d.Info().recovery, RecoveryState::kLoss);
  EXPECT_EQ(d.Ack(3'000), "");  // [req A-24]
  EXPECT_EQ(d.Info().recovery, RecoveryState::kOpen);
}

TEST(SenderLoss, RepairsAfterAnExpiryAreNotRepeatedWithoutProof) {
  SenderDriver d(Flight(8));
  d.Write(8'000);
  d.Drain();
  d.Expire();
  d.Ack(1'000);
  // The originals arrive after all: nothing that is acknowledged leaves again.
  EXPECT_EQ(d.Ack(7'000), "r7000..8000P");
  EXPECT_EQ(d.Ack(8'000), "");
}

TEST(SenderLoss, AnExpiryKeepsSacksAndSendsOnlyWhatIsMissing) {
  SenderDriver d(Flight(6));
  d.Write(6'000);
  d.Drain();
  d.Ack(0, {.sack = {{2'000, 3'000}, {4'000, 5'000}}});
  EXPECT_EQ(Expired(d), "r0..1000");
  EXPECT_EQ(d.Ack(1'000), "r1000..2000 r3000..4000");
  EXPECT_EQ(d.Ack(3'000), "r5000..6000P");
}

TEST(SenderLoss, SackedDataThatWasDroppedIsSentAgain) {
  SenderDriver d(Flight(5));
  d.Write(5'000);
  d.Drain();
  d.Ack(0, {.sack = {{2'000, 4'000}}});
  EXPECT_EQ(Expired(d), "r0..1000");
  EXPECT_EQ(d.Ack(1'000), "r1000..2000 r4000..5000P");
  EXPECT_EQ(d.Ack(2'000), "");  // 2000..4000 was SACKed and is not there
  EXPECT_EQ(Expired(d), "r2000..3000");  // [req A-28]
  EXPECT_EQ(d.Ack(3'000), "r3000..4000 r4000..5000P");
}

// [fault S12] [req B-07]
TEST(SenderLoss, AHoleOf180SegmentsIsFilledInTenRounds) {
  for (uint32_t gso : {0u, 65'280u}) {
    SenderDriver::Options options = Flight(188);
    options.max_gso_bytes = gso;
    SenderDriver d(options);
    d.Write(188'000);
    d.Drain();
    d.Ack(4'000, {.sack = {{184'000, 186'000}}});
    d.Expire();
    uint32_t una = 4'000;
    int rounds = 0;
    while (una < 188'000) {
      ASSERT_LE(++rounds, 10);
      d.Advance(100);
      // What was repaired up to now is acknowledged, segment by segment.
      auto until = 4'000 + static_cast<uint32_t>(d.Info().octets_retrans);
      if (until >= 184'000) until += 2'000;
      while (una < until) {
        una += una == 183'000 ? 3'000 : 1'000;
        d.Ack(una);
      }
    }
    EXPECT_EQ(d.Info().timeouts, 1u);
    EXPECT_EQ(d.Info().segs_retrans, 182u);
  }
}

TEST(SenderLoss, OneAckPerRoundTakesTwentyRounds) {
  SenderDriver d(Flight(188));
  d.Write(188'000);
  d.Drain();
  d.Ack(4'000, {.sack = {{184'000, 186'000}}});
  d.Expire();
  int rounds = 0;
  while (d.sender().HasUnackedOrUnsent()) {
    d.Advance(100);
    uint64_t una = 4'000 + d.Info().octets_retrans;
    if (una >= 184'000) una += 2'000;
    d.Ack(static_cast<uint32_t>(std::min<uint64_t>(una, 188'000)));
    ++rounds;
    ASSERT_LE(rounds, 20);  // [req B-07]
  }
}

TEST(SenderLoss, NoMoreThanTheBurstIsRepairedForOneAck) {
  SenderDriver d(Flight(200));
  d.Write(200'000);
  d.Drain();
  const uint64_t before = d.Info().segs_retrans;
  d.Ack(0, {.sack = {{120'000, 200'000}}});        // 120 lost at once
  EXPECT_EQ(d.Info().segs_retrans - before, 32u);  // [req B-06]
  d.Ack(1'000);
  EXPECT_GT(d.Info().segs_retrans - before, 32u);
}

TEST(SenderLoss, BackoffDoublesToTheCapAndGivesUpByCount) {
  SenderDriver d({});
  d.Write(1'000);
  d.Drain();
  int64_t total = 0;
  int64_t last = 0;
  for (int i = 0; i < 15; ++i) {
    const std::string text = d.Expire();
    EXPECT_EQ(text.substr(text.find(' ') + 1), "r0..1000P");
    const int64_t waited = std::stoll(text.substr(1));
    EXPECT_EQ(waited, i == 0 ? 300 : std::min<int64_t>(2 * last, 120'000));
    last = waited;
    total += waited;
    EXPECT_FALSE(d.gave_up());
  }
  EXPECT_EQ(d.Expire(), "+120000: ");
  EXPECT_TRUE(d.gave_up());  // [req B-22] [fault S15]
  EXPECT_GE(total, 100'000);
}

TEST(SenderLoss, ProgressStartsTheCountAgain) {
  SenderDriver d({});
  d.Write(2'000);
  d.Drain();
  for (int i = 0; i < 15; ++i) d.Expire();
  d.Ack(500);  // [req B-21]
  for (int i = 0; i < 15; ++i) d.Expire();
  EXPECT_FALSE(d.gave_up());
  d.Expire();
  EXPECT_TRUE(d.gave_up());
}

TEST(SenderLoss, AckClockedRepairsDoNotCount) {
  SenderDriver d(Flight(20));
  d.Write(40'000);
  d.Drain();
  for (int i = 0; i < 14; ++i) d.Expire();
  for (uint32_t una = 1'000; una < 20'000; una += 1'000) d.Ack(una);
  EXPECT_GT(d.Info().segs_retrans, 15u);
  for (int i = 0; i < 15; ++i) d.Expire();
  EXPECT_FALSE(d.gave_up());  // [req B-20]
}

TEST(SenderLoss, BackoffStandsUntilDataSentAfterItIsTimed) {
  SenderDriver d(Flight(2));
  d.Write(4'000);
  d.Drain();
  d.Expire();
  EXPECT_EQ(d.Info().rto, Duration::Milliseconds(600));
  d.Ack(2'000);  // the originals, perhaps: no sample  [req E-11]
  EXPECT_EQ(d.Info().rto, Duration::Milliseconds(600));
  d.Advance(100);
  d.Ack(3'000);
  EXPECT_EQ(d.Info().rto, Duration::Milliseconds(300));
}

TEST(SenderLoss, AnEchoEndsTheBackoffWithTheFirstNewAck) {
  SenderDriver d({});
  d.Write(1'000);
  d.Drain();
  d.Expire();
  d.Expire();
  d.Ack(500, {.echo_age = Duration::Milliseconds(100)});  // [fault S12]
  EXPECT_EQ(d.Info().rto, Duration::Milliseconds(300));
  EXPECT_EQ(d.Info().rtt_samples_echo, 1u);
}

TEST(SenderLoss, ASecondExpiryHoldsSsthresh) {
  SenderDriver d(Flight(20));
  d.Write(20'000);
  d.Drain();
  d.Expire();
  EXPECT_EQ(d.Info().ssthresh, 10'000u);
  d.Ack(4'000);
  d.Expire();  // [RFC 5681 3.1]
  EXPECT_EQ(d.Info().ssthresh, 10'000u);
}

TEST(SenderLoss, TheTimerMaySendAtAFullWindow) {
  SenderDriver d(Flight(10));
  d.Write(100'000);
  d.Drain();
  EXPECT_EQ(Expired(d), "r0..1000");  // [fault S26]
}

TEST(SenderLoss, ASuperSegmentIsRepairedInParts) {
  SenderDriver::Options options = Flight(40);
  options.max_gso_bytes = 65'280;
  SenderDriver d(options);
  d.Write(40'000);
  EXPECT_EQ(d.Drain(), "0..13000 13000..26000 26000..39000 39000..40000P");
  EXPECT_EQ(d.Ack(0, {.sack = {{5'000, 9'000}, {12'000, 30'000}}}),
            "r0..5000 r9000..12000");
  EXPECT_EQ(d.Ack(30'000), "");
  EXPECT_EQ(Expired(d), "r30000..31000");
  EXPECT_EQ(d.Ack(31'000), "r31000..33000");
}

// --- Packets too big for the path ---

// [fault S08] [RFC 1191 6.4] cut again and sent again, without a cost
TEST(SenderLoss, WhatWasTooBigIsCutAgain) {
  SenderDriver d({});
  d.Write(4'000);
  EXPECT_EQ(d.Drain(), "0..1000 1000..2000 2000..3000 3000..4000P");
  const uint32_t cwnd = d.Info().cwnd;
  d.TooBig(600);
  EXPECT_EQ(d.Drain(),
            "r0..600 r600..1000 r1000..1600 r1600..2000 r2000..2600 "
            "r2600..3000 r3000..3600 r3600..4000P");
  for (const uint32_t ack : {600, 1'000, 1'600, 2'000, 2'600, 3'000, 4'000}) {
    EXPECT_EQ(d.Ack(ack), "");
  }
  EXPECT_GE(d.Info().cwnd, cwnd);
  EXPECT_EQ(d.Info().fast_recoveries, 0u);
  EXPECT_EQ(d.Info().timeouts, 0u);
  d.Write(1'200);
  EXPECT_EQ(d.Drain(), "4000..4600 4600..5200P");
}

TEST(SenderLoss, ASuperSegmentThatWasTooBigIsOneAgain) {
  SenderDriver d({.max_gso_bytes = 65'280});
  d.Write(6'200);
  EXPECT_EQ(d.Drain(), "0..3000 3000..6000 6000..6200P");
  d.TooBig(700);
  // The driver compares the segment size with the new one.
  EXPECT_EQ(d.Drain(), "r0..3000 r3000..6000");
}

// [fault S08] what was small enough arrives behind the gap
TEST(SenderLoss, DuplicatesBehindWhatWasTooBigAreNoLoss) {
  for (const bool sack : {true, false}) {
    SenderDriver d({.sack = sack, .no_delay = true});
    d.Write(1'000);
    d.Drain();
    for (int i = 0; i < 5; ++i) {
      d.Write(100);
      d.Drain();
    }
    const uint32_t cwnd = d.Info().cwnd;
    d.TooBig(600);
    EXPECT_EQ(d.Drain(), "r0..600 r600..1000");
    for (uint32_t end = 1'100; end <= 1'500; end += 100) {
      SenderDriver::Peer peer;
      if (sack) peer.sack = {{1'000, end}};
      EXPECT_EQ(d.Ack(0, peer), "");
    }
    EXPECT_EQ(d.Info().fast_recoveries, 0u);
    EXPECT_EQ(d.Info().cwnd, cwnd);
    d.Ack(1'500);
    EXPECT_EQ(d.Info().recovery, RecoveryState::kOpen);
  }
}

// [RFC 3168 6.1.2]
TEST(SenderLoss, AnEchoHalvesTheWindowOnceAndCwrSaysSo) {
  SenderDriver d({.ecn = true});
  d.Write(1'000'000);
  d.Drain();
  EXPECT_EQ(d.Ack(1'000, {.ece = true}), "");
  EXPECT_EQ(d.Info().cwnd, 5'000u);
  EXPECT_EQ(d.Ack(5'000, {.ece = true}), "");
  EXPECT_EQ(d.Ack(6'000, {.ece = true}), "10000..11000W");
  EXPECT_EQ(d.Ack(7'000, {.ece = true}), "11000..12000");
  EXPECT_EQ(d.Ack(10'000), "12000..13000 13000..14000 14000..15000");
  EXPECT_EQ(d.Info().ecn_reductions, 1u);
  EXPECT_EQ(d.Info().segs_retrans, 0u);
  // A mark of the window after it.
  d.Ack(11'000, {.ece = true});
  EXPECT_EQ(d.Info().ecn_reductions, 2u);
  EXPECT_EQ(d.Info().cwnd, 2'500u);
}

TEST(SenderLoss, CwrTellsOfReductionsForLossToo) {
  SenderDriver timeout({.ecn = true});
  timeout.Write(11'000);
  timeout.Drain();
  timeout.Expire();
  EXPECT_EQ(timeout.Ack(10'000), "10000..11000PW");

  SenderDriver recovery({.ecn = true});
  recovery.Write(11'000);
  recovery.Drain();
  EXPECT_EQ(recovery.Ack(0, {.sack = {{1'000, 4'000}}}), "r0..1000");
  // The echo of a mark among them asks for no more.
  EXPECT_EQ(recovery.Ack(10'000, {.ece = true}), "10000..11000PW");
  EXPECT_EQ(recovery.Info().fast_recoveries, 1u);
  EXPECT_EQ(recovery.Info().ecn_reductions, 0u);
}

TEST(SenderLoss, APathMayTakeLessAndLess) {
  SenderDriver d({});
  d.Write(1'000);
  d.Drain();
  d.TooBig(800);
  EXPECT_EQ(d.Drain(), "r0..800 r800..1000P");
  d.TooBig(500);
  EXPECT_EQ(d.Drain(), "r0..500 r500..800");
}

}  // namespace
}  // namespace tcpip::tcp
