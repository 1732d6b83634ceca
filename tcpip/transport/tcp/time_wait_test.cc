#include "tcpip/transport/tcp/time_wait.h"

#include "gtest/gtest.h"
#include "tcpip/transport/tcp/connection_fixture.h"

namespace tcpip::tcp {
namespace {

using Action = TimeWaitVerdict::Action;

constexpr uint32_t kSndNxt = 1'000;
constexpr uint32_t kRcvNxt = 9'000;

FourTuple Tuple(uint16_t port = 1) {
  return {{IpAddress::Ipv4(192, 0, 2, 1), port},
          {IpAddress::Ipv4(192, 0, 2, 2), 80}};
}

TimeWaitFacts Facts(std::optional<uint32_t> ts_recent = std::nullopt) {
  return {.snd_nxt = SeqNum(kSndNxt),
          .rcv_nxt = SeqNum(kRcvNxt),
          .wnd = WireWindow(500),
          .rcv_wnd = WindowSize(64'000),
          .ts_recent = ts_recent,
          .tsval_offset = 7};
}

Segment Seg(uint32_t seq, int flags, uint32_t ack = kSndNxt) {
  Segment seg;
  seg.seq = SeqNum(seq);
  seg.flags = TcpFlags(flags);
  if (seg.flags.ack()) seg.ack = SeqNum(ack);
  return seg;
}

class TimeWait : public testing::Test {
 protected:
  TimeWaitVerdict Arrives(const Segment& seg, Instant now = At(0)) {
    return table_.OnSegment(Tuple(), seg, now);
  }
  TcpConfig config_;
  TimeWaitTable table_{config_};
};

// [RFC 9293 3.6.1 MUST-13]
TEST_F(TimeWait, EntriesExpireInOrderAfterTwoMsl) {
  table_.Add(Tuple(1), Facts(), At(0));
  table_.Add(Tuple(2), Facts(), At(10));
  EXPECT_EQ(table_.NextDeadline(), At(60'000));
  table_.OnTimer(At(59'999));
  EXPECT_EQ(table_.size(), 2u);
  table_.OnTimer(At(60'000));
  EXPECT_FALSE(table_.Contains(Tuple(1)));
  EXPECT_TRUE(table_.Contains(Tuple(2)));
  table_.OnTimer(At(60'010));
  EXPECT_EQ(table_.size(), 0u);
  EXPECT_TRUE(table_.NextDeadline().IsNever());
}

TEST_F(TimeWait, AtTheMaximumTheOldestGoes) {
  config_.max_time_wait = 2;
  TimeWaitTable table(config_);
  for (uint16_t port = 1; port <= 3; ++port) {
    table.Add(Tuple(port), Facts(), At(port));
  }
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.evicted(), 1u);
  EXPECT_FALSE(table.Contains(Tuple(1)));
  EXPECT_TRUE(table.Contains(Tuple(3)));
}

TEST_F(TimeWait, AddingATupleAgainReplacesIt) {
  table_.Add(Tuple(), Facts(), At(0));
  table_.Add(Tuple(), Facts(), At(5));
  EXPECT_EQ(table_.size(), 1u);
  EXPECT_EQ(table_.NextDeadline(), At(60'005));
}

// [RFC 9293 3.10.7.4] acknowledge it, and restart the 2 MSL timeout
TEST_F(TimeWait, ARepeatedFinIsAcknowledgedAndRestartsTheTimer) {
  table_.Add(Tuple(), Facts(), At(0));
  for (int64_t ms : {1'000, 1'001}) {
    const auto v = Arrives(Seg(kRcvNxt - 1, kFin | kAck), At(ms));
    ASSERT_EQ(v.action, Action::kReply);
    EXPECT_EQ(v.reply->seq, SeqNum(kSndNxt));
    EXPECT_EQ(v.reply->ack, SeqNum(kRcvNxt));
    EXPECT_EQ(v.reply->wnd, WireWindow(500));
    EXPECT_EQ(table_.NextDeadline(), At(ms + 60'000));
  }
}

TEST_F(TimeWait, RepliesCarryTimestamps) {
  table_.Add(Tuple(), Facts(40), At(0));
  const auto v = Arrives(Seg(kRcvNxt - 1, kFin | kAck), At(1'000));
  EXPECT_EQ(v.reply->options.timestamps, (wire::TcpTimestamps{1'007, 40}));
}

struct Case {
  const char* name;
  uint32_t seq;
  int flags;
  uint32_t ack;
  Action want;
  bool stays;
};

// [RFC 9293 3.10.7.4, RFC 5961 3.2, 5.2] [fault C17]
const Case kCases[] = {
    {"a pure ACK is what we wait for", kRcvNxt, kAck, kSndNxt, Action::kNone,
     true},
    {"an old ACK number is ignored", kRcvNxt, kAck, kSndNxt - 9, Action::kNone,
     true},
    {"an ACK of the future is challenged", kRcvNxt, kAck, kSndNxt + 1,
     Action::kReply, true},
    {"outside the window", kRcvNxt - 9, kAck, kSndNxt, Action::kReply, true},
    {"without ACK", kRcvNxt, 0, 0, Action::kNone, true},
    {"exact RST", kRcvNxt, kRst, 0, Action::kNone, false},
    {"RST in the window", kRcvNxt + 1, kRst, 0, Action::kReply, true},
    {"RST outside", kRcvNxt - 1, kRst, 0, Action::kNone, true},
    {"SYN-ACK", kRcvNxt + 5, kSyn | kAck, kSndNxt, Action::kReply, true},
};

TEST_F(TimeWait, JudgesSegmentsLikeASynchronizedState) {
  for (const Case& c : kCases) {
    table_.Add(Tuple(), Facts(), At(0));
    EXPECT_EQ(Arrives(Seg(c.seq, c.flags, c.ack)).action, c.want) << c.name;
    EXPECT_EQ(table_.Contains(Tuple()), c.stays) << c.name;
  }
}

struct SynCase {
  const char* name;
  std::optional<uint32_t> ts_recent;
  std::optional<uint32_t> tsval;
  uint32_t seq;
  bool reopens;
};

// [RFC 6191 2]
const SynCase kSyns[] = {
    {"newer timestamp, older sequence", 40, 41, kRcvNxt - 9, true},
    {"same timestamp, newer sequence", 40, 40, kRcvNxt + 1, true},
    {"same timestamp, same sequence", 40, 40, kRcvNxt, false},
    {"older timestamp, newer sequence", 40, 39, kRcvNxt + 1, false},
    {"timestamps given up, newer sequence", 40, std::nullopt, kRcvNxt + 1,
     true},
    {"timestamps given up, older sequence", 40, std::nullopt, kRcvNxt - 1,
     false},
    {"timestamps are new", std::nullopt, 3, kRcvNxt - 9, true},
    {"no timestamps, newer sequence", std::nullopt, std::nullopt, kRcvNxt + 1,
     true},
    {"no timestamps, older sequence", std::nullopt, std::nullopt, kRcvNxt - 1,
     false},
};

TEST_F(TimeWait, ASynThatCannotBeOldReopens) {
  for (const SynCase& c : kSyns) {
    table_.Add(Tuple(), Facts(c.ts_recent), At(0));
    Segment syn = Seg(c.seq, kSyn);
    if (c.tsval) syn.options.timestamps = wire::TcpTimestamps{*c.tsval, 0};
    const auto v = Arrives(syn);
    EXPECT_EQ(v.action, c.reopens ? Action::kReopen : Action::kReply) << c.name;
    EXPECT_EQ(table_.Contains(Tuple()), !c.reopens) << c.name;
    if (c.reopens) {
      // [RFC 9293 3.6.1 MAY-2] larger than any the old one used
      EXPECT_EQ(v.iss_floor, SeqNum(kSndNxt + 1)) << c.name;
    }
  }
}

// [RFC 7323 5.3 R1]
TEST_F(TimeWait, AnOldTimestampIsAcknowledgedAndRestartsNothing) {
  table_.Add(Tuple(), Facts(40), At(0));
  Segment fin = Seg(kRcvNxt - 1, kFin | kAck);
  fin.options.timestamps = wire::TcpTimestamps{39, 0};
  EXPECT_EQ(Arrives(fin, At(10)).action, Action::kReply);
  EXPECT_EQ(table_.NextDeadline(), At(60'000));
}

// [fault C20, X07]
TEST_F(TimeWait, AcksForPureAcksAreLimited) {
  table_.Add(Tuple(), Facts(), At(0));
  const Segment old = Seg(kRcvNxt - 9, kAck);
  EXPECT_EQ(Arrives(old, At(0)).action, Action::kReply);
  EXPECT_EQ(Arrives(old, At(499)).action, Action::kNone);
  EXPECT_EQ(Arrives(old, At(500)).action, Action::kReply);
}

TEST_F(TimeWait, AnUnknownTupleIsNobodys) {
  EXPECT_EQ(Arrives(Seg(kRcvNxt, kAck)).action, Action::kNone);
  table_.Remove(Tuple());
  EXPECT_FALSE(table_.Contains(Tuple()));
}

}  // namespace
}  // namespace tcpip::tcp
