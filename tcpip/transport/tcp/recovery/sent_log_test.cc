#include "tcpip/transport/tcp/recovery/sent_log.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip::tcp {
namespace {

constexpr Instant T(int64_t n) { return Instant::FromNanoseconds(n); }

// The records as text: "0-1000 outstanding" is "0-1000o", and so on.
std::string Text(const SentLog& log, uint32_t base = 0) {
  std::string text;
  for (size_t i = 0; i < log.record_count(); ++i) {
    const SentRecord& record = log.record(i);
    if (!text.empty()) text += ' ';
    text += std::to_string(record.begin.value() - base) + "-" +
            std::to_string(record.end.value() - base) +
            "oslr"[static_cast<int>(record.state)];
  }
  return text;
}

SeqRange R(uint32_t begin, uint32_t end) {
  return {SeqNum(begin), SeqNum(end)};
}

SentLog Sent(int records, uint32_t bytes = 1000) {
  SentLog log{SeqNum(0)};
  for (int i = 0; i < records; ++i) log.OnSent(bytes, 1000, T(100 + i));
  return log;
}

Delivery Sack(SentLog& log, SeqRange block) {
  Delivery delivery;
  log.ApplySack(block, T(1000), delivery);
  EXPECT_EQ(log.counts(), log.Recount());
  return delivery;
}

Delivery Ack(SentLog& log, uint32_t ack) {
  Delivery delivery;
  log.AckTo(SeqNum(ack), T(1000), delivery);
  EXPECT_EQ(log.counts(), log.Recount());
  return delivery;
}

TEST(SentLog, StartsEmptyAndWithoutMemory) {
  const SentLog log{SeqNum(5)};
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(log.pipe(), 0u);
  EXPECT_EQ(log.record_count(), 0u);
  EXPECT_EQ(log.NextLost(), std::nullopt);
  EXPECT_LE(sizeof(SentLog), 96u);
  EXPECT_LE(sizeof(SentRecord), 48u);
}

TEST(SentLog, CoversWhatIsSentUntilItIsAcknowledged) {
  SentLog log = Sent(3);
  EXPECT_EQ(Text(log), "0-1000o 1000-2000o 2000-3000o");
  EXPECT_EQ(Ack(log, 1000).acked_bytes, 1000u);
  EXPECT_EQ(Text(log), "1000-2000o 2000-3000o");
  EXPECT_EQ(log.pipe(), 2000u);
  Ack(log, 3000);
  EXPECT_TRUE(log.empty());
}

TEST(SentLog, AnAckInsideARecordShortensIt) {
  SentLog log = Sent(1, 45'000);
  const Delivery delivery = Ack(log, 12'345);
  EXPECT_EQ(delivery.delivered_bytes, 12'345u);
  EXPECT_EQ(delivery.newest_sent, T(100));
  EXPECT_EQ(Text(log), "12345-45000o");
}

TEST(SentLog, ASackCoversNoByteThatItDoesNotName) {
  SentLog log = Sent(3);
  Sack(log, R(1500, 2000));  // [fault S13]
  EXPECT_EQ(Text(log), "0-1000o 1000-1500o 1500-2000s 2000-3000o");
  EXPECT_FALSE(log.IsSacked(SeqNum(1499)));
  EXPECT_TRUE(log.IsSacked(SeqNum(1500)));
  EXPECT_FALSE(log.IsSacked(SeqNum(2000)));
}

TEST(SentLog, OverlappingNestedAndRepeatedBlocksCountOnce) {
  SentLog log = Sent(1, 10'000);
  EXPECT_EQ(Sack(log, R(2000, 4000)).sacked_bytes, 2000u);
  EXPECT_EQ(Sack(log, R(2000, 4000)).sacked_bytes, 0u);
  EXPECT_EQ(Sack(log, R(2500, 3000)).sacked_bytes, 0u);
  EXPECT_EQ(Sack(log, R(3000, 5000)).sacked_bytes, 1000u);
  EXPECT_EQ(Sack(log, R(1000, 6000)).sacked_bytes, 2000u);
  EXPECT_EQ(Text(log), "0-1000o 1000-6000s 6000-10000o");
  EXPECT_EQ(log.pipe(), 5000u);
}

TEST(SentLog, NeighbouringSackedRangesBecomeOneRecord) {
  SentLog log = Sent(5);
  Sack(log, R(1000, 2000));
  Sack(log, R(3000, 4000));
  Sack(log, R(2000, 3000));
  EXPECT_EQ(Text(log), "0-1000o 1000-4000s 4000-5000o");
  EXPECT_EQ(log.highest_sacked(), SeqNum(4000));
}

TEST(SentLog, SackedOutsideRecoveryAndThenAcknowledgedLeavesNothingBehind) {
  SentLog log = Sent(0);
  for (uint32_t i = 0; i < 1000; ++i) {  // [fault S02] [req D-40]
    const uint32_t base = log.snd_una().value();
    while (log.flight_size() < 10'000) log.OnSent(1000, 1000, T(1));
    Sack(log, R(base + 2000, base + 4000));
    Ack(log, base + 5000);
    ASSERT_EQ(log.pipe(), log.flight_size());
    ASSERT_EQ(log.pipe(), 5000u);
  }
}

TEST(SentLog, PipeCountsEachByteOnce) {
  SentLog log = Sent(10);
  Sack(log, R(2000, 5000));
  log.MarkLost(R(0, 2000));
  EXPECT_EQ(log.pipe(), 5000u);  // 10 - 3 SACKed - 2 lost
  log.OnRetransmitted(R(0, 1000), T(200));
  EXPECT_EQ(log.pipe(), 6000u);
  EXPECT_EQ(log.lost_bytes(), 2000u);
  EXPECT_EQ(log.retransmitted_bytes(), 1000u);
  Sack(log, R(0, 1000));  // the repair arrived
  EXPECT_EQ(log.pipe(), 5000u);
  EXPECT_EQ(log.counts(), log.Recount());
}

TEST(SentLog, NextLostGoesThroughTheLostOnce) {
  SentLog log = Sent(6);
  log.MarkLost(R(0, 1000));
  log.MarkLost(R(2000, 4000));
  std::vector<uint32_t> begins;
  while (const auto lost = log.NextLost()) {
    begins.push_back(lost->begin.value());
    log.OnRetransmitted(*lost, T(200));
  }
  EXPECT_EQ(begins, (std::vector<uint32_t>{0, 2000, 3000}));
  EXPECT_FALSE(log.HasLost());
}

TEST(SentLog, APartOfALostRecordMayBeSentAgain) {
  SentLog log = Sent(1, 10'000);
  log.MarkLost(R(0, 10'000));
  log.OnRetransmitted(R(0, 2000), T(200));
  EXPECT_EQ(Text(log), "0-2000r 2000-10000l");
  EXPECT_EQ(*log.NextLost(), R(2000, 10'000));
}

TEST(SentLog, MarkLostLeavesRepairsAndSackedDataAlone) {
  SentLog log = Sent(4);
  log.MarkLost(R(0, 1000));
  log.OnRetransmitted(R(0, 1000), T(200));
  Sack(log, R(1000, 2000));
  log.MarkLost(R(0, 3000));
  EXPECT_EQ(Text(log), "0-1000r 1000-2000s 2000-3000l 3000-4000o");
}

TEST(SentLog, OversizeIsWhatWasLargerOnTheWire) {
  SentLog log{SeqNum(0)};
  log.OnSent(3200, 1000, T(1));  // a super-segment of 1000, 1000, 1000, 200
  log.OnSent(500, 1000, T(2));   // short
  log.OnSent(2700, 1000, T(3));  // its last one too big as well
  log.OnSent(1000, 400, T(4));   // sent when the size was smaller
  Sack(log, R(1000, 2000));
  log.MarkOversize(600);
  EXPECT_EQ(log.counts(), log.Recount());
  EXPECT_EQ(Text(log),
            "0-1000l 1000-2000s 2000-3000l 3000-3200o 3200-3700o 3700-6400l "
            "6400-7400o");
}

TEST(SentLog, OversizeIsLostAgainWhenThePathTakesEvenLess) {
  SentLog log = Sent(2);
  log.MarkOversize(800);
  log.OnRetransmitted(R(0, 800), T(200));
  log.OnRetransmitted(R(800, 1000), T(200));
  log.MarkOversize(800);  // the repairs fit
  EXPECT_EQ(Text(log), "0-800r 800-1000r 1000-2000l");
  log.MarkOversize(500);
  EXPECT_EQ(Text(log), "0-800l 800-1000r 1000-2000l");
  EXPECT_EQ(log.counts(), log.Recount());
  EXPECT_EQ(log.NextLost()->begin, SeqNum(0));
}

TEST(SentLog, AnExpiryLosesTheRepairsTooAndKeepsSacks) {
  SentLog log = Sent(4);
  log.MarkLost(R(0, 1000));
  log.OnRetransmitted(R(0, 1000), T(200));
  Sack(log, R(2000, 3000));
  log.MarkAllLost(T(300));
  EXPECT_EQ(Text(log), "0-1000l 1000-2000l 2000-3000s 3000-4000l");
  EXPECT_EQ(log.pipe(), 0u);
  EXPECT_EQ(log.last_expiry(), T(300));
}

TEST(SentLog, ASackedHeadThatIsNotAcknowledgedWasDropped) {
  SentLog log = Sent(4);
  Sack(log, R(0, 3000));
  log.MarkAllLost(T(300));  // [RFC 2018 8] [req A-28]
  EXPECT_EQ(log.sacked_bytes(), 0u);
  EXPECT_EQ(log.highest_sacked(), log.snd_una());
  EXPECT_EQ(log.NextLost()->begin, SeqNum(0));
}

TEST(SentLog, TimesOnlyDataThatWasSentOnce) {
  SentLog log = Sent(4);
  log.MarkLost(R(2000, 3000));
  log.OnRetransmitted(R(2000, 3000), T(200));
  EXPECT_EQ(Ack(log, 2000).newest_sent, T(101));
  const Delivery both = Ack(log, 4000);
  EXPECT_EQ(both.newest_sent, T(103));
  EXPECT_TRUE(both.covers_retransmission);
  EXPECT_EQ(log.last_retransmission(), T(200));
}

TEST(SentLog, TimesNothingTwice) {
  SentLog log = Sent(3);
  EXPECT_EQ(Sack(log, R(2000, 3000)).newest_sent, T(102));
  EXPECT_EQ(Sack(log, R(1000, 3000)).newest_sent, T(101));
  const Delivery rest = Ack(log, 3000);  // [req E-17]
  EXPECT_EQ(rest.newest_sent, T(100));
  EXPECT_EQ(rest.delivered_bytes, 1000u);
  EXPECT_EQ(rest.acked_bytes, 3000u);
  EXPECT_EQ(log.delivered(), 3000u);
}

TEST(SentLog, KeepsWhatARateSampleNeeds) {
  SentLog log = Sent(2);
  Ack(log, 1000);
  log.OnSent(1000, 1000, T(1100));
  EXPECT_EQ(log.record(1).delivered, 1000u);
  EXPECT_EQ(log.record(1).delivered_time, T(1000));
  Ack(log, 3000);
  log.OnSent(1000, 1000, T(5000));  // after an idle time
  EXPECT_EQ(log.record(0).delivered_time, T(5000));
}

TEST(SentLog, APeerCannotSplitItWithoutBound) {
  SentLog log = Sent(1, 1'000'000);
  Delivery delivery;
  for (uint32_t at = 0; at < 40'000; at += 2) {
    log.ApplySack(R(at, at + 1), T(1), delivery);
  }
  EXPECT_LE(log.record_count(), SentLog::kMaxSplitRecords + 2);
  const uint32_t before = log.sacked_bytes();
  Sack(log, R(500'000, 500'001));  // inside a record: not believed
  EXPECT_EQ(log.sacked_bytes(), before);
  Sack(log, R(0, 1'000'000));  // everything: believed
  EXPECT_EQ(log.record_count(), 1u);
  EXPECT_EQ(log.pipe(), 0u);
}

// --- The model: one entry for each byte ---

struct ByteModel {
  SentState state = SentState::kOutstanding;
  int64_t sent = 0;
  int transmissions = 1;
};

class SentLogModel : public testing::TestWithParam<uint32_t> {
 protected:
  void Step() {
    ++now_;
    const auto size = static_cast<uint32_t>(bytes_.size());
    const uint32_t a = size == 0 ? 0 : Draw(size);
    const uint32_t b = size == 0 ? 0 : a + 1 + Draw(size - a);
    switch (rng_.Next() % 8) {
      case 0:
      case 1:
        if (size < 400) Send(1 + Draw(60));
        break;
      case 2:
        AckTo(Draw(std::min(size, 40u) + 1));
        break;
      case 3:
      case 4:
        if (size > 0) SackBlock(a, std::min(b, a + 50));
        break;
      case 5:
        if (size > 0) Lose(a, std::min(b, a + 50));
        break;
      case 6:
        Repair();
        break;
      case 7:
        if (Draw(20) == 0) Expire();
        break;
    }
    Compare();
  }

  uint32_t Draw(uint32_t bound) {
    return static_cast<uint32_t>(rng_.Next() % bound);
  }
  SeqRange At(uint32_t a, uint32_t b) const {
    return {log_.snd_una() + a, log_.snd_una() + b};
  }

  void Send(uint32_t n) {
    log_.OnSent(n, 10, T(now_));
    bytes_.insert(bytes_.end(), n, {.sent = now_});
  }

  void Expect(const Delivery& got, const std::vector<ByteModel>& newly,
              bool covers) {
    std::optional<Instant> newest;
    for (const ByteModel& byte : newly) {
      if (byte.transmissions > 1) continue;
      newest = newest ? std::max(*newest, T(byte.sent)) : T(byte.sent);
    }
    ASSERT_EQ(got.delivered_bytes, newly.size());
    ASSERT_EQ(got.newest_sent, newest);
    ASSERT_EQ(got.covers_retransmission, covers);
  }

  void AckTo(uint32_t n) {
    std::vector<ByteModel> newly;
    bool covers = false;
    for (uint32_t i = 0; i < n; ++i) {
      if (bytes_[i].state != SentState::kSacked) newly.push_back(bytes_[i]);
      // What was SACKed has been delivered and counted before.
      covers |=
          bytes_[i].transmissions > 1 && bytes_[i].state != SentState::kSacked;
    }
    Delivery delivery;
    log_.AckTo(log_.snd_una() + n, T(now_), delivery);
    bytes_.erase(bytes_.begin(), bytes_.begin() + n);
    Expect(delivery, newly, covers);
    ASSERT_EQ(delivery.acked_bytes, n);
  }

  void SackBlock(uint32_t a, uint32_t b) {
    std::vector<ByteModel> newly;
    for (uint32_t i = a; i < b; ++i) {
      if (bytes_[i].state != SentState::kSacked) newly.push_back(bytes_[i]);
      bytes_[i].state = SentState::kSacked;
    }
    Delivery delivery;
    log_.ApplySack(At(a, b), T(now_), delivery);
    Expect(delivery, newly, false);
  }

  void Lose(uint32_t a, uint32_t b) {
    for (uint32_t i = a; i < b; ++i) {
      if (bytes_[i].state == SentState::kOutstanding) {
        bytes_[i].state = SentState::kLost;
      }
    }
    log_.MarkLost(At(a, b));
  }

  void Repair() {
    const auto first = std::find_if(
        bytes_.begin(), bytes_.end(),
        [](const ByteModel& byte) { return byte.state == SentState::kLost; });
    const auto lost = log_.NextLost();
    ASSERT_EQ(lost.has_value(), first != bytes_.end());
    if (!lost) return;
    const auto begin = static_cast<uint32_t>(first - bytes_.begin());
    ASSERT_EQ(lost->begin, log_.snd_una() + begin);
    const uint32_t n = 1 + Draw(lost->size());
    for (uint32_t i = begin; i < begin + n; ++i) {
      ASSERT_EQ(bytes_[i].state, SentState::kLost);
      bytes_[i].state = SentState::kRetransmitted;
      bytes_[i].sent = now_;
      ++bytes_[i].transmissions;
    }
    log_.OnRetransmitted(At(begin, begin + n), T(now_));
  }

  void Expire() {
    const bool reneged =
        !bytes_.empty() && bytes_[0].state == SentState::kSacked;
    for (ByteModel& byte : bytes_) {
      if (byte.state == SentState::kSacked) {
        if (!reneged) continue;
        byte.transmissions = 2;
      }
      byte.state = SentState::kLost;
    }
    log_.MarkAllLost(T(now_));
  }

  void Compare() {
    ASSERT_EQ(log_.flight_size(), bytes_.size());
    ASSERT_EQ(log_.counts(), log_.Recount());
    uint32_t pipe = 0;
    uint32_t highest_sacked = 0;
    for (uint32_t i = 0; i < bytes_.size(); ++i) {
      const SentState state = bytes_[i].state;
      ASSERT_EQ(log_.record(log_.Find(log_.snd_una() + i)).state, state);
      ASSERT_EQ(log_.IsSacked(log_.snd_una() + i), state == SentState::kSacked);
      pipe += state == SentState::kOutstanding ||
              state == SentState::kRetransmitted;
      if (state == SentState::kSacked) highest_sacked = i + 1;
    }
    ASSERT_EQ(log_.pipe(), pipe);
    if (highest_sacked > 0) {
      ASSERT_EQ(log_.highest_sacked(), log_.snd_una() + highest_sacked);
    }
  }

  static constexpr uint64_t kSeed = 7;
  SeededRng rng_{kSeed};
  SentLog log_{SeqNum(GetParam() + 1)};
  std::vector<ByteModel> bytes_;
  int64_t now_ = 0;
};

TEST_P(SentLogModel, BehavesLikeAnArrayOfBytes) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  for (int i = 0; i < 10'000 && !HasFatalFailure(); ++i) Step();
}

// [fault S23]
INSTANTIATE_TEST_SUITE_P(Iss, SentLogModel,
                         testing::Values(0u, 1u, 0x7fffffffu, 0x80000000u,
                                         0xffffffffu));

}  // namespace
}  // namespace tcpip::tcp
