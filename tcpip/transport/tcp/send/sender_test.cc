#include "tcpip/transport/tcp/send/sender.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tcpip/transport/tcp/send/sender_driver.h"

namespace tcpip::tcp {
namespace {

TEST(Sender, IsSmallWhileIdle) {
  EXPECT_LE(sizeof(Sender), 512u);
  SenderDriver d({});
  d.Write(1000);
  d.Drain();
  d.Ack(1000);
  EXPECT_EQ(d.sender().pinned_bytes(), 0u);
  EXPECT_EQ(d.Expire(), "idle");
}

// [fault S20] cwnd bounds what is in flight, not what one call sends
TEST(Sender, TheInitialWindowLeavesAndNoMore) {
  for (uint32_t iss : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    for (uint32_t gso : {0u, 65'280u}) {
      SenderDriver d({.iss = iss, .max_gso_bytes = gso});
      d.Write(1'000'000);
      EXPECT_EQ(d.Drain(), gso == 0 ? "0..1000 1000..2000 2000..3000 "
                                      "3000..4000 4000..5000 5000..6000 "
                                      "6000..7000 7000..8000 8000..9000 "
                                      "9000..10000"
                                    : "0..3000 3000..6000 6000..9000 "
                                      "9000..10000");
      EXPECT_EQ(d.Drain(), "");
      EXPECT_EQ(d.sender().unacked_bytes(), 10'000u);
      EXPECT_EQ(d.Info().pipe, 10'000u);
    }
  }
}

TEST(Sender, SlowStartSendsTwoForEachAcknowledged) {
  SenderDriver d({.max_gso_bytes = 65'280});
  d.Write(1'000'000);
  d.Drain();
  EXPECT_EQ(d.Ack(1000), "10000..12000");
  EXPECT_EQ(d.Ack(2000), "12000..14000");
  EXPECT_EQ(d.Ack(10'000),
            "14000..20000 20000..26000 26000..30000");  // one ACK for eight
}

TEST(Sender, AWindowThatTheUserDoesNotFillDoesNotGrow) {
  SenderDriver d({});
  for (uint32_t i = 0; i < 20; ++i) {
    d.Write(2000);
    d.Drain();
    d.Ack(2000 * (i + 1));
  }
  EXPECT_EQ(d.Info().cwnd, 10'000u);
}

TEST(Sender, SuperSegmentsAreWholeSegmentsAndPushTheTail) {
  SenderDriver d({.max_gso_bytes = 4'500});
  d.Write(9'300);
  EXPECT_EQ(d.Drain(), "0..3000 3000..6000 6000..9000 9000..9300P");
  EXPECT_EQ(d.Info().data_segs_out, 10u);
}

TEST(Sender, StaysInsideThePeersWindow) {
  SenderDriver d({.wnd = 3'500});
  d.Write(10'000);
  EXPECT_EQ(d.Drain(), "0..1000 1000..2000 2000..3000");
  // [req A-15] a window update wakes the sender in the same event
  EXPECT_EQ(d.Ack(0, {.wnd = 5'000}), "3000..4000 4000..5000");
  EXPECT_EQ(d.Info().dup_acks_in, 0u);
}

TEST(Sender, AnOldSegmentDoesNotSetTheWindow) {
  SenderDriver d({.wnd = 3'000});
  AckInput in;
  in.ack = d.Seq(0);
  in.seg_seq = SeqNum(6);
  in.wnd = WindowSize(9'000);
  d.sender().OnAck(in, d.timers(), d.now());
  EXPECT_EQ(d.sender().snd_wnd(), WindowSize(3'000));
}

TEST(Sender, AcksOutsideWhatIsInFlightAreIgnored) {
  SenderDriver d({});
  d.Write(3'000);
  d.Drain();
  d.Ack(2'000);
  EXPECT_EQ(d.Ack(1'000, {.wnd = 5}), "");
  EXPECT_EQ(d.Ack(3'001, {.wnd = 5}), "");
  EXPECT_EQ(d.sender().snd_una(), d.Seq(2'000));
  EXPECT_EQ(d.sender().snd_wnd(), WindowSize(1'000'000));
}

TEST(Sender, TheTimerStartsRestartsAndStops) {
  SenderDriver d({});
  const auto armed = [&] { return d.timers().IsArmed(TimerSlot::kRetransmit); };
  d.Write(2'000);
  EXPECT_FALSE(armed());
  d.Drain();
  const Instant first = d.timers().deadline(TimerSlot::kRetransmit);
  EXPECT_EQ(first, d.now() + Duration::Milliseconds(300));
  d.Advance(100);
  d.Ack(0);
  EXPECT_EQ(d.timers().deadline(TimerSlot::kRetransmit), first);
  d.Ack(1'000);  // [RFC 6298 5.3]
  EXPECT_EQ(d.timers().deadline(TimerSlot::kRetransmit),
            d.now() + d.Info().rto);
  d.Ack(2'000);  // [RFC 6298 5.2]
  EXPECT_FALSE(armed());
}

TEST(Sender, WritersAreWokenForAThirdOfTheBuffer) {
  SenderDriver d({.send_buffer_bytes = 9'000});
  EXPECT_EQ(d.Write(20'000), 9'000u);
  EXPECT_EQ(d.sender().writable_bytes(), 0u);
  d.Drain();
  d.Ack(2'000);
  EXPECT_FALSE(d.sender().writable());
  EXPECT_EQ(d.sender().writable_bytes(), 2'000u);
  d.Ack(3'000);
  EXPECT_TRUE(d.sender().writable());
  EXPECT_EQ(d.outcome().acked_bytes, 1'000u);
}

TEST(Sender, AfterAnIdleTimeTheWindowIsTheInitialOne) {
  SenderDriver d({.max_gso_bytes = 65'280});
  d.Write(10'000);
  d.Drain();
  d.Ack(10'000);
  EXPECT_EQ(d.Info().cwnd, 20'000u);
  d.Advance(250);  // less than the RTO
  d.Write(100'000);
  EXPECT_EQ(d.Drain(), "10000..16000 16000..22000 22000..28000 28000..30000");
  d.Ack(30'000);
  d.Ack(70'000);
  d.Ack(110'000);
  d.Advance(5'000);
  d.Write(100'000);
  // [RFC 5681 4.1]
  EXPECT_EQ(d.Drain(),
            "110000..113000 113000..116000 116000..119000 119000..120000");
}

TEST(Sender, ALostSynStartsWithOneSegmentAndThreeSeconds) {
  SenderDriver d({.handshake_rtt = {}, .syn_retransmitted = true});
  d.Write(5'000);
  EXPECT_EQ(d.Drain(), "0..1000");
  EXPECT_EQ(d.Expire(), "+3000: r0..1000");  // [RFC 6298 5.7]
}

TEST(Sender, TimesTheAckFromItsArrivalNotItsProcessing) {
  SenderDriver d({.handshake_rtt = {}});
  d.Write(1'000);
  d.Drain();
  d.Advance(5);
  d.Ack(1'000, {.late = Duration::Milliseconds(30)});  // [fault S04] [req D-43]
  EXPECT_EQ(d.Info().srtt, Duration::Milliseconds(5));
  EXPECT_EQ(d.Info().rtt_samples_departure, 1u);
}

// --- FIN ---

TEST(Sender, TheFinFollowsTheLastByte) {
  SenderDriver d({});
  d.Write(1'500);
  d.Close();
  EXPECT_EQ(d.Write(1), 0u);
  EXPECT_EQ(d.sender().writable_bytes(), 0u);
  EXPECT_EQ(d.Drain(), "0..1000 1000..1500PF");
  EXPECT_EQ(d.sender().snd_nxt(), d.Seq(1'501));
  d.Ack(1'501);
  EXPECT_TRUE(d.outcome().fin_acked);
  EXPECT_EQ(d.outcome().acked_bytes, 1'500u);
  EXPECT_TRUE(d.sender().fin_acked());
  EXPECT_FALSE(d.sender().HasUnackedOrUnsent());
  EXPECT_EQ(d.Expire(), "idle");
}

TEST(Sender, ABareFinIsSentAndRepeated) {
  SenderDriver d({});
  d.Close();
  EXPECT_TRUE(d.sender().HasUnackedOrUnsent());
  EXPECT_EQ(d.Drain(), "0..0F");
  EXPECT_EQ(d.Expire(), "+300: r0..0F");
  EXPECT_EQ(d.Expire(), "+600: r0..0F");
  d.Ack(1);
  EXPECT_TRUE(d.outcome().fin_acked);
}

TEST(Sender, DataAcknowledgedWithoutItsFinLeavesTheFin) {
  for (uint32_t gso : {0u, 65'280u}) {
    SenderDriver d({.max_gso_bytes = gso});
    d.Write(800);
    d.Close();
    EXPECT_EQ(d.Drain(), "0..800PF");
    d.Ack(800);  // [fault C15]
    EXPECT_FALSE(d.outcome().fin_acked);
    EXPECT_EQ(d.outcome().acked_bytes, 800u);
    EXPECT_EQ(d.Expire().substr(6), "r800..800F");
    d.Ack(801);
    EXPECT_TRUE(d.sender().fin_acked());
  }
}

TEST(Sender, TheFinWaitsBehindAShutWindow) {
  SenderDriver d({.wnd = 0});
  d.Write(10'000);
  d.Close();  // [fault C12] [req A-34]
  EXPECT_TRUE(d.sender().write_closed());
  EXPECT_EQ(d.Drain(), "");
  EXPECT_EQ(d.Expire(), "+300: probe");
  EXPECT_EQ(d.Ack(0, {.wnd = 9'000}),
            "0..1000 1000..2000 2000..3000 3000..4000 4000..5000 5000..6000 "
            "6000..7000 7000..8000 8000..9000");
  EXPECT_EQ(d.Ack(9'000, {.wnd = 1'000}), "9000..10000P");
  EXPECT_EQ(d.Ack(10'000, {.wnd = 0}), "");
  EXPECT_EQ(d.Expire().substr(4), ": probe");
  EXPECT_EQ(d.Ack(10'000, {.wnd = 1}), "10000..10000F");
}

// --- The peer's window ---

// [RFC 9293 3.8.6.1 MUST-36]
TEST(Sender, ProbesAShutWindowUntilItOpens) {
  SenderDriver d({.wnd = 0});
  d.Write(30'000);
  EXPECT_EQ(d.Drain(), "");
  EXPECT_EQ(d.Expire(), "+300: probe");  // [fault W01]
  EXPECT_EQ(d.Ack(0), "");
  EXPECT_EQ(d.Expire(), "+600: probe");
  for (int i = 0; i < 50; ++i) {
    d.Ack(0);
    d.Expire();
  }
  EXPECT_EQ(d.Expire(), "+60000: probe");
  EXPECT_FALSE(d.gave_up());
  EXPECT_EQ(d.Info().zero_window_probes, 53u);
  // Waiting was not idling: cwnd is as it was.
  EXPECT_EQ(d.Ack(0, {.wnd = 20'000}).substr(0, 7), "0..1000");
  EXPECT_EQ(d.sender().unacked_bytes(), 10'000u);
}

TEST(Sender, GivesUpOnProbesThatNobodyAnswers) {
  SenderDriver d({.wnd = 0});
  d.Write(1'000);
  d.Drain();
  for (int i = 0; i < 15; ++i) {
    EXPECT_NE(d.Expire().find("probe"), std::string::npos);
    EXPECT_FALSE(d.gave_up());
  }
  d.Expire();
  EXPECT_TRUE(d.gave_up());
}

TEST(Sender, ASmallBufferGetsSmallSegmentsAtOnce) {
  SenderDriver d({.wnd = 200});
  d.Write(5'000);
  EXPECT_EQ(d.Drain(), "0..200");  // [fault W03]
  EXPECT_EQ(d.Ack(200), "200..400");
}

TEST(Sender, AWindowThatStaysSmallIsUsedAfterTheOverride) {
  SenderDriver d({.wnd = 1'000});
  d.Write(5'000);
  EXPECT_EQ(d.Drain(), "0..1000");
  EXPECT_EQ(d.Ack(1'000, {.wnd = 200}), "");
  const std::string first = d.Expire();  // [fault W03] 0.2 to 1 s
  EXPECT_GE(std::stoi(first.substr(1)), 200);
  EXPECT_LE(std::stoi(first.substr(1)), 1'000);
  EXPECT_EQ(first.substr(4), ": 1000..1200");
  for (uint32_t acked = 1'200; acked < 4'800; acked += 200) {
    EXPECT_EQ(d.Ack(acked), "");
    d.Expire();
    EXPECT_EQ(d.sender().unacked_bytes(), 200u);
  }
  EXPECT_EQ(d.Ack(4'800), "4800..5000P");
  d.Ack(5'000);
  EXPECT_FALSE(d.sender().HasUnackedOrUnsent());
  EXPECT_EQ(d.Info().octets_retrans, 0u);
}

// [RFC 9293 3.8.6 MUST-34, MUST-35] below, and to nothing
TEST(Sender, AWindowThatShrinksBelowWhatIsInFlight) {
  TcpConfig config;
  config.initial_window_segments = 60;
  SenderDriver d({.wnd = 60'000, .max_gso_bytes = 65'280, .config = config});
  d.Write(100'000);
  EXPECT_EQ(d.Drain(), "0..20000 20000..40000 40000..60000");
  // [fault W04] 30 acknowledged, the right edge ten segments further
  EXPECT_EQ(d.Ack(30'000, {.wnd = 10'000}), "");
  const uint32_t cwnd = d.Info().cwnd;
  EXPECT_EQ(d.Ack(40'000, {.wnd = 0}), "");
  // Only the head is sent, as a probe; what it costs is time.
  const std::string probe = d.Expire();
  EXPECT_EQ(probe.substr(4), ": r40000..41000");
  EXPECT_EQ(d.Ack(40'000), "");
  EXPECT_EQ(d.Expire().substr(4), ": r40000..41000");
  EXPECT_EQ(d.Ack(40'000), "");
  EXPECT_EQ(d.Info().recovery, RecoveryState::kOpen);
  EXPECT_GE(d.Info().cwnd, cwnd);
  // It opens: what the peer may have dropped leaves at once.
  EXPECT_EQ(d.Ack(40'000, {.wnd = 15'000}), "r41000..55000");
  EXPECT_EQ(d.Ack(55'000, {.wnd = 60'000}),
            "r55000..60000 60000..90000 90000..100000P");
  EXPECT_EQ(d.Info().fast_recoveries, 0u);
}

// [RFC 9293 3.8.6.1 MUST-37]
TEST(Sender, NeverGivesUpOnAShutWindowWhileThePeerAnswers) {
  SenderDriver d({.wnd = 5'000});
  d.Write(5'000);
  d.Drain();
  for (int i = 0; i < 40; ++i) {
    d.Ack(0, {.wnd = 0});
    d.Expire();
  }
  EXPECT_FALSE(d.gave_up());
  EXPECT_EQ(d.Info().cwnd, 10'000u);
}

TEST(Sender, ASmallerSegmentSizeHoldsForWhatIsSentFromThenOn) {
  SenderDriver d({.max_gso_bytes = 65'280});
  d.Write(5'000);
  d.Drain();
  d.sender().SetSmss(600);
  d.Ack(5'000);
  d.Write(600);
  EXPECT_EQ(d.Drain(), "5000..5600P");
  EXPECT_EQ(d.Info().smss, 600u);
}

// [fault L14] [RFC 5681 4.1] RW is that of the segments that are sent now
TEST(Sender, ALargerSegmentFitsTheWindowAfterAnIdleTime) {
  SenderDriver d({.smss = 50});
  d.Write(50);
  d.Drain();
  d.Ack(50);
  d.SetSmss(1'000);
  d.Advance(5'000);
  d.Write(1'000);
  EXPECT_EQ(d.Drain(), "50..1050P");
}

}  // namespace
}  // namespace tcpip::tcp
