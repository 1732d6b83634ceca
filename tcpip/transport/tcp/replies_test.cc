#include "tcpip/transport/tcp/replies.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

Segment At(uint32_t seq, uint32_t ack, TcpFlags flags) {
  Segment seg;
  seg.seq = SeqNum(seq);
  seg.ack = SeqNum(ack);
  seg.flags = flags;
  return seg;
}

// [RFC 9293 3.10.7.1] <SEQ=SEG.ACK><CTL=RST>
TEST(Replies, ResetForAnAckTakesItsSequenceNumberFromTheAck) {
  const auto reset = ResetFor(At(100, 7, TcpFlags::kAck));
  ASSERT_TRUE(reset.has_value());
  EXPECT_EQ(reset->flags, TcpFlags(TcpFlags::kRst));
  EXPECT_EQ(reset->seq, SeqNum(7));
}

// [RFC 9293 3.10.7.1] <SEQ=0><ACK=SEG.SEQ+SEG.LEN><CTL=RST,ACK>
TEST(Replies, ResetForASynAcknowledgesIt) {
  const auto reset = ResetFor(At(100, 0, TcpFlags::kSyn));
  ASSERT_TRUE(reset.has_value());
  EXPECT_EQ(reset->flags, TcpFlags(TcpFlags::kRst | TcpFlags::kAck));
  EXPECT_EQ(reset->seq, SeqNum(0));
  EXPECT_EQ(reset->ack, SeqNum(101));
}

// [fault C19] a RST never draws a RST
TEST(Replies, ResetIsNeverAnswered) {
  EXPECT_FALSE(ResetFor(At(1, 2, TcpFlags::kRst)).has_value());
  EXPECT_FALSE(ResetFor(At(1, 2, TcpFlags::kRst | TcpFlags::kAck)).has_value());
}

TEST(Replies, AckCarriesOurNumbersAndTimestamps) {
  const OutSegment ack = MakeAck({.snd_nxt = SeqNum(5),
                                  .rcv_nxt = SeqNum(6),
                                  .wnd = WireWindow(7),
                                  .timestamps = wire::TcpTimestamps{8, 9}});
  EXPECT_EQ(ack.flags, TcpFlags(TcpFlags::kAck));
  EXPECT_EQ(ack.seq, SeqNum(5));
  EXPECT_EQ(ack.ack, SeqNum(6));
  EXPECT_EQ(ack.wnd, WireWindow(7));
  EXPECT_EQ(ack.options.timestamps, (wire::TcpTimestamps{8, 9}));
}

Instant At(int64_t ms) {
  return Instant::FromNanoseconds(0) + Duration::Milliseconds(ms);
}

// [fault X06] the budget of a new connection is not empty
TEST(AckLimiter, AllowsOneChallengeInEveryHalfSecond) {
  AckLimiter limiter;
  EXPECT_TRUE(limiter.AllowChallenge(At(0)));
  EXPECT_FALSE(limiter.AllowChallenge(At(0)));
  EXPECT_FALSE(limiter.AllowChallenge(At(499)));
  EXPECT_TRUE(limiter.AllowChallenge(At(500)));
  EXPECT_FALSE(limiter.AllowChallenge(At(999)));
}

// [fault C20] pure ACKs are what loops are made of
TEST(AckLimiter, LimitsSegmentsWithoutDataAndNotRetransmissions) {
  AckLimiter limiter;
  const Segment pure = At(1, 1, TcpFlags::kAck);
  const Segment fin = At(1, 1, TcpFlags::kAck | TcpFlags::kFin);
  const Segment syn = At(1, 1, TcpFlags::kSyn);
  EXPECT_TRUE(limiter.AllowAck(pure, At(0)));
  EXPECT_FALSE(limiter.AllowAck(pure, At(100)));
  EXPECT_FALSE(limiter.AllowAck(syn, At(100)));
  EXPECT_TRUE(limiter.AllowAck(fin, At(100)));
  EXPECT_TRUE(limiter.AllowAck(fin, At(100)));
}

}  // namespace
}  // namespace tcpip::tcp
