#include "tcpip/transport/tcp/recovery/loss_recovery.h"

#include <cstdint>
#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

constexpr Instant kNow = Instant::FromNanoseconds(1);
constexpr uint32_t kSmss = 1000;

// ISS is 999, so that sequence numbers are offsets plus 1000.
constexpr SeqNum At(uint32_t offset) { return SeqNum(1000 + offset); }

struct Fixture {
  explicit Fixture(bool sack, int segments = 10)
      : log(At(0)), recovery(sack, At(0) - 1) {
    Send(segments);
  }
  void Send(int segments) {
    for (int i = 0; i < segments; ++i) log.OnSent(kSmss, kSmss, kNow);
  }
  // True when a recovery begins.
  bool Ack(uint32_t ack, std::optional<SeqRange> sack, bool duplicate = false) {
    Delivery delivery;
    log.AckTo(At(ack), kNow, delivery);
    if (sack) log.ApplySack(*sack, kNow, delivery);
    return recovery.OnAck({.acked_bytes = delivery.acked_bytes,
                           .duplicate = duplicate || delivery.sacked_bytes > 0,
                           .smss = kSmss},
                          log);
  }
  bool Duplicate() {
    return Ack(static_cast<uint32_t>(log.snd_una() - At(0)), std::nullopt,
               true);
  }
  // Sends the next lost range again and returns it as text.
  std::string Repair() {
    const auto lost = log.NextLost();
    if (!lost) return "none";
    log.OnRetransmitted(*lost, kNow);
    recovery.OnRetransmitted();
    return std::to_string(lost->begin - At(0)) + ".." +
           std::to_string(lost->end - At(0));
  }
  SentLog log;
  LossRecovery recovery;
};

TEST(LossRecovery, TransitionsAreTheDeclaredOnes) {
  const char* kNames[] = {"Open", "Disorder", "Recovery", "Loss"};
  std::string matrix;
  for (int state = 0; state < 4; ++state) {
    matrix += std::string(kNames[state]) + ":";
    for (int event = 0; event < kRecoveryEventCount; ++event) {
      matrix += std::string(" ") + kNames[static_cast<int>(NextRecoveryState(
                                       static_cast<RecoveryState>(state),
                                       static_cast<RecoveryEvent>(event)))];
    }
    matrix += "\n";
  }
  // full ACK, in order, evidence, loss, expiry
  EXPECT_EQ(matrix,
            "Open: Open Open Disorder Recovery Loss\n"
            "Disorder: Open Open Disorder Recovery Loss\n"
            "Recovery: Open Recovery Recovery Recovery Loss\n"
            "Loss: Open Loss Loss Loss Loss\n");
}

TEST(LossRecovery, SacksLeadThroughDisorderIntoRecovery) {
  Fixture f(true);
  EXPECT_FALSE(f.Ack(0, SeqRange{At(1000), At(2000)}));
  EXPECT_EQ(f.recovery.state(), RecoveryState::kDisorder);
  EXPECT_FALSE(f.Ack(0, SeqRange{At(1000), At(3000)}));
  EXPECT_TRUE(f.Ack(0, SeqRange{At(1000), At(4000)}));
  EXPECT_EQ(f.recovery.state(), RecoveryState::kRecovery);
  EXPECT_TRUE(f.recovery.MustRetransmit());
  EXPECT_EQ(f.Repair(), "0..1000");
  EXPECT_FALSE(f.recovery.MustRetransmit());
  EXPECT_EQ(f.Repair(), "none");
}

TEST(LossRecovery, ReorderingThatHealsGoesBackToOpen) {
  Fixture f(true);
  f.Ack(0, SeqRange{At(1000), At(3000)});
  EXPECT_FALSE(f.Ack(3000, std::nullopt));
  EXPECT_EQ(f.recovery.state(), RecoveryState::kOpen);
}

TEST(LossRecovery, OneAckOfACoalescingPeerIsEvidenceEnough) {
  Fixture f(true);
  EXPECT_TRUE(f.Ack(0, SeqRange{At(1000), At(9000)}));
  EXPECT_EQ(f.Repair(), "0..1000");
}

TEST(LossRecovery, ThreeDuplicatesAreEnoughForShortSegments) {
  Fixture f(true);
  f.Ack(0, SeqRange{At(1000), At(1010)});
  f.Ack(0, SeqRange{At(1000), At(1020)});
  EXPECT_TRUE(f.Ack(0, SeqRange{At(1000), At(1030)}));
  EXPECT_EQ(f.Repair(), "0..1000");
}

TEST(LossRecovery, EachHoleIsMarkedOnceInAnEpisode) {
  Fixture f(true);
  f.Ack(0, SeqRange{At(2000), At(5000)});
  EXPECT_EQ(f.Repair(), "0..1000");
  EXPECT_EQ(f.Repair(), "1000..2000");
  f.Ack(0, SeqRange{At(6000), At(10000)});
  EXPECT_EQ(f.Repair(), "5000..6000");
  for (int i = 0; i < 200; ++i) {
    f.Ack(0, SeqRange{At(2000), At(5000)});  // [fault S14]
    EXPECT_EQ(f.Repair(), "none");
  }
}

TEST(LossRecovery, LeavesAtTheRecoveryPointAndNotBefore) {
  Fixture f(true);
  f.Ack(0, SeqRange{At(1000), At(4000)});
  f.Repair();
  f.Send(5);  // not part of the episode
  f.Ack(9999, std::nullopt);
  EXPECT_EQ(f.recovery.state(), RecoveryState::kRecovery);
  f.Ack(10000, std::nullopt);  // [fault S10]
  EXPECT_EQ(f.recovery.state(), RecoveryState::kOpen);
}

TEST(LossRecovery, ALossAtTheRecoveryPointIsANewEpisode) {
  Fixture f(true);
  f.Ack(0, SeqRange{At(1000), At(4000)});
  f.Repair();
  f.Send(5);
  // [fault S10] the segment that began at SND.NXT was lost
  EXPECT_TRUE(f.Ack(10000, SeqRange{At(11000), At(15000)}));
  EXPECT_EQ(f.recovery.state(), RecoveryState::kRecovery);
}

TEST(LossRecovery, ALossBelowTheRecoveryPointIsTheSameEpisode) {
  Fixture f(true);
  f.Ack(0, SeqRange{At(1000), At(4000)});
  f.Repair();
  f.Send(5);
  EXPECT_FALSE(f.Ack(9000, SeqRange{At(10000), At(15000)}));
  EXPECT_EQ(f.Repair(), "9000..10000");
}

TEST(LossRecovery, APartialAckFindsTheNextHoleOfTheTail) {
  Fixture f(true);
  f.Ack(0, SeqRange{At(1000), At(8000)});
  f.Ack(0, SeqRange{At(9000), At(10000)});
  EXPECT_EQ(f.Repair(), "0..1000");
  EXPECT_EQ(f.Repair(), "none");  // one segment above 8000 proves nothing
  f.Ack(8000, std::nullopt);
  EXPECT_EQ(f.Repair(), "8000..9000");
}

TEST(LossRecovery, EverythingSackedIsNoLoss) {
  Fixture f(true);
  f.Ack(0, SeqRange{At(0), At(10000)});
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(f.Duplicate());  // [req A-27]
}

// --- Without SACK: RFC 6582 ---

TEST(LossRecovery, ThreeDuplicatesMarkTheHeadOnly) {
  Fixture f(false);
  EXPECT_FALSE(f.Duplicate());
  EXPECT_FALSE(f.Duplicate());
  EXPECT_TRUE(f.Duplicate());  // [RFC 5681 3.2]
  EXPECT_EQ(f.Repair(), "0..1000");
  EXPECT_EQ(f.Repair(), "none");
  EXPECT_FALSE(f.Duplicate());
}

TEST(LossRecovery, DuplicatesStandForSegmentsThatLeft) {
  Fixture f(false);
  for (int i = 0; i < 5; ++i) f.Duplicate();
  f.Repair();
  EXPECT_EQ(f.recovery.InFlight(f.log), 5000u);
  for (int i = 0; i < 50; ++i) f.Duplicate();
  EXPECT_EQ(f.recovery.InFlight(f.log), 0u);
}

TEST(LossRecovery, EachPartialAckRepairsTheNextHole) {
  Fixture f(false);
  for (int i = 0; i < 3; ++i) f.Duplicate();
  f.Repair();
  f.Ack(4000, std::nullopt);  // [RFC 6582 3.2]
  EXPECT_TRUE(f.recovery.MustRetransmit());
  EXPECT_EQ(f.Repair(), "4000..5000");
  f.Ack(7000, std::nullopt);
  EXPECT_EQ(f.Repair(), "7000..8000");
  f.Ack(10000, std::nullopt);
  EXPECT_EQ(f.recovery.state(), RecoveryState::kOpen);
  EXPECT_EQ(f.Repair(), "none");
}

TEST(LossRecovery, DuplicatesRightAfterAnEpisodeDoNotStartAnother) {
  Fixture f(false);
  f.recovery.OnExpiry(false, f.log, kNow);
  while (f.Repair() != "none") {
  }
  f.Send(5);
  f.Ack(10000, std::nullopt);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(f.Duplicate());  // [RFC 6582 3.2]
  f.Ack(11000, std::nullopt);
  f.Duplicate();
  f.Duplicate();
  EXPECT_TRUE(f.Duplicate());
}

// --- The timer ---

TEST(LossRecovery, AnExpiryMarksEverythingThatIsNotSacked) {
  Fixture f(true);
  f.Ack(0, SeqRange{At(4000), At(6000)});
  f.recovery.OnExpiry(false, f.log, kNow);
  EXPECT_EQ(f.recovery.state(), RecoveryState::kLoss);
  EXPECT_EQ(f.recovery.InFlight(f.log), 0u);
  EXPECT_EQ(f.Repair(), "0..1000");
  f.Ack(1000, std::nullopt);
  EXPECT_EQ(f.Repair(), "1000..2000");
  EXPECT_EQ(f.Repair(), "2000..3000");
  EXPECT_EQ(f.Repair(), "3000..4000");
  EXPECT_EQ(f.Repair(), "6000..7000");
  f.Ack(9000, std::nullopt);
  EXPECT_EQ(f.recovery.state(), RecoveryState::kLoss);
  f.Ack(10000, std::nullopt);  // [req A-24]
  EXPECT_EQ(f.recovery.state(), RecoveryState::kOpen);
}

TEST(LossRecovery, AnExpiryInRecoveryMarksTheRepairsToo) {
  Fixture f(true);
  f.Ack(0, SeqRange{At(1000), At(4000)});
  EXPECT_EQ(f.Repair(), "0..1000");
  f.recovery.OnExpiry(false, f.log, kNow);
  EXPECT_EQ(f.Repair(), "0..1000");
}

TEST(LossRecovery, SacksInLossStartNoFastRecovery) {
  Fixture f(true);
  f.recovery.OnExpiry(false, f.log, kNow);
  EXPECT_FALSE(f.Ack(0, SeqRange{At(1000), At(9000)}));
  EXPECT_EQ(f.recovery.state(), RecoveryState::kLoss);
}

TEST(LossRecovery, ExpiriesCountUntilSndUnaAdvances) {
  Fixture f(true);
  for (int i = 1; i <= 3; ++i) {
    f.recovery.OnExpiry(false, f.log, kNow);
    EXPECT_EQ(f.recovery.expiries(), i);
    f.Repair();  // [req B-20] what is sent again does not count
    f.Repair();
  }
  f.Duplicate();
  EXPECT_EQ(f.recovery.expiries(), 3);
  f.Ack(1, std::nullopt);  // [req B-21]
  EXPECT_EQ(f.recovery.expiries(), 0);
}

TEST(LossRecovery, AnExpiryAtAShutWindowIsNoCongestion) {
  Fixture f(true);
  f.recovery.OnExpiry(true, f.log, kNow);  // [fault W04]
  EXPECT_EQ(f.recovery.state(), RecoveryState::kOpen);
  EXPECT_EQ(f.Repair(), "0..1000");
  f.recovery.OnPeerAlive();
  EXPECT_EQ(f.recovery.expiries(), 0);
}

// [fault S08] [RFC 1191 6.4] what was too big is no sign of congestion
TEST(LossRecovery, APacketTooBigIsNoEpisode) {
  for (const bool sack : {true, false}) {
    Fixture f(sack);
    f.log.OnSent(300, kSmss, kNow);
    f.recovery.OnPacketTooBig(600, f.log);
    EXPECT_EQ(f.recovery.state(), RecoveryState::kOpen);
    while (f.Repair() != "none") continue;
    // The short one was not too big, and arrived.
    const SeqRange arrived = {At(10'000), At(10'300)};
    for (int i = 0; i < 5; ++i) {
      EXPECT_FALSE(sack ? f.Ack(0, arrived, true) : f.Duplicate());
    }
    EXPECT_FALSE(f.recovery.in_episode());
    f.Ack(10'300, std::nullopt);
    EXPECT_EQ(f.recovery.state(), RecoveryState::kOpen);

    // What is lost later is lost by congestion.
    f.Send(6);
    if (!sack) f.Ack(11'300, std::nullopt);
    const SeqRange above = {At(12'300), At(16'300)};
    bool enters = false;
    for (int i = 0; i < 3; ++i) {
      enters |= sack ? f.Ack(10'300, above) : f.Duplicate();
    }
    EXPECT_TRUE(enters);
  }
}

TEST(LossRecovery, APacketTooBigLeavesAnEpisodeAsItIs) {
  Fixture f(true);
  ASSERT_TRUE(f.Ack(0, SeqRange{At(1000), At(9000)}));
  f.Send(2);
  f.recovery.OnPacketTooBig(600, f.log);
  EXPECT_EQ(f.recovery.state(), RecoveryState::kRecovery);
  f.Ack(10'000, std::nullopt);  // all that was outstanding at its entry
  EXPECT_EQ(f.recovery.state(), RecoveryState::kOpen);
}

TEST(LossRecovery, NothingTooBigInFlightChangesNothing) {
  Fixture f(true);
  f.recovery.OnPacketTooBig(kSmss, f.log);
  EXPECT_FALSE(f.log.HasLost());
  EXPECT_TRUE(f.Ack(0, SeqRange{At(1000), At(9000)}));
}

}  // namespace
}  // namespace tcpip::tcp
