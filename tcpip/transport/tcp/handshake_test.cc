#include "tcpip/transport/tcp/handshake.h"

#include <utility>

#include "gtest/gtest.h"
#include "tcpip/transport/tcp/connection_fixture.h"

namespace tcpip::tcp {
namespace {

constexpr uint32_t kIss = 100;
constexpr uint32_t kIrs = 900;

Segment Seg(uint32_t seq, uint32_t ack, int flags) {
  Segment seg;
  seg.seq = SeqNum(seq);
  seg.ack = SeqNum(ack);
  seg.flags = TcpFlags(flags);
  seg.wnd = WireWindow(1'000);
  return seg;
}

Offer OurOffer() {
  return MakeOffer(SocketSettings(), PathFacts(), {SeqNum(kIss), 0});
}

HalfOpen Passive() {
  Segment syn = Seg(kIrs, 0, kSyn);
  syn.options.window_scale = 7;
  return {.offer = OurOffer(),
          .peer = PeerSynOf(syn),
          .syn_ack = {},
          .ack_limiter = {}};
}

struct Case {
  const char* name;
  uint32_t seq;
  uint32_t ack;
  int flags;
  HandshakeVerdict want;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// [RFC 9293 3.10.7.3]
const Case kSynSent[] = {
    {"SynAck", kIrs, kIss + 1, kSyn | kAck, HandshakeVerdict::kEstablished},
    {"SynAckForAnotherSyn", kIrs, kIss + 2, kSyn | kAck,
     HandshakeVerdict::kSendReset},
    {"AckOfNothing", kIrs, kIss, kAck, HandshakeVerdict::kSendReset},
    {"GoodAckAlone", kIrs, kIss + 1, kAck, HandshakeVerdict::kDrop},
    {"Syn", kIrs, 0, kSyn, HandshakeVerdict::kSyn},
    {"Nothing", kIrs, 0, 0, HandshakeVerdict::kDrop},
    {"Fin", kIrs, 0, kFin, HandshakeVerdict::kDrop},
    // [RFC 5961 3.2] [fault X03]
    {"RstWithTheAck", kIrs, kIss + 1, kRst | kAck, HandshakeVerdict::kReset},
    {"RstWithAnotherAck", kIrs, kIss, kRst | kAck, HandshakeVerdict::kDrop},
    {"RstWithoutAck", kIrs, 0, kRst, HandshakeVerdict::kDrop},
    // [fault C01]
    {"SynAckWithEceAndPush", kIrs, kIss + 1,
     kSyn | kAck | TcpFlags::kEce | TcpFlags::kPsh,
     HandshakeVerdict::kEstablished},
};

class JudgeInSynSentTest : public testing::TestWithParam<Case> {};
TEST_P(JudgeInSynSentTest, Verdict) {
  const Case& c = GetParam();
  EXPECT_EQ(JudgeInSynSent(OurOffer(), Seg(c.seq, c.ack, c.flags)), c.want);
}
INSTANTIATE_TEST_SUITE_P(Handshake, JudgeInSynSentTest,
                         testing::ValuesIn(kSynSent),
                         [](const auto& info) { return info.param.name; });

constexpr uint32_t kNext = kIrs + 1;

// [RFC 9293 3.10.7.4] for SYN-RECEIVED
const Case kSynReceived[] = {
    {"FinalAck", kNext, kIss + 1, kAck, HandshakeVerdict::kEstablished},
    {"FinalAckWithFin", kNext, kIss + 1, kAck | kFin,
     HandshakeVerdict::kEstablished},
    {"AckOfNothing", kNext, kIss, kAck, HandshakeVerdict::kSendReset},
    {"AckOfTooMuch", kNext, kIss + 2, kAck, HandshakeVerdict::kSendReset},
    {"AckFromBeforeTheWindow", kNext - 1, kIss + 1, kAck,
     HandshakeVerdict::kAck},
    {"AckFromBeyondTheWindow", kNext + 70'000, kIss + 1, kAck,
     HandshakeVerdict::kAck},
    {"WithoutAck", kNext, 0, 0, HandshakeVerdict::kDrop},
    // [fault C06]
    {"TheSameSyn", kIrs, 0, kSyn, HandshakeVerdict::kRepeatSynAck},
    {"AnotherSynInWindow", kNext + 5, 0, kSyn, HandshakeVerdict::kSyn},
    {"AnotherSynOutside", kIrs - 500, 0, kSyn, HandshakeVerdict::kAck},
    {"SynAckOfASimultaneousOpen", kIrs, kIss + 1, kSyn | kAck,
     HandshakeVerdict::kEstablished},
    // [RFC 5961 3.2] [fault X03]
    {"ExactRst", kNext, 0, kRst, HandshakeVerdict::kReset},
    {"RstInWindow", kNext + 1, 0, kRst, HandshakeVerdict::kChallenge},
    {"RstOutside", kNext - 1, 0, kRst, HandshakeVerdict::kDrop},
};

class JudgeInSynReceivedTest : public testing::TestWithParam<Case> {};
// [RFC 9293 3.5 MUST-11]
TEST_P(JudgeInSynReceivedTest, Verdict) {
  const Case& c = GetParam();
  EXPECT_EQ(JudgeInSynReceived(Passive(), Seg(c.seq, c.ack, c.flags)), c.want);
}
INSTANTIATE_TEST_SUITE_P(Handshake, JudgeInSynReceivedTest,
                         testing::ValuesIn(kSynReceived),
                         [](const auto& info) { return info.param.name; });

// [RFC 7323 5.3 R1]
TEST(Handshake, AnAckOlderThanTheSynIsNotTheFinalOne) {
  HalfOpen half_open = Passive();
  half_open.peer.options.timestamps = wire::TcpTimestamps{50, 0};
  Segment ack = Seg(kNext, kIss + 1, kAck);
  ack.options.timestamps = wire::TcpTimestamps{49, 0};
  EXPECT_EQ(JudgeInSynReceived(half_open, ack), HandshakeVerdict::kAck);
  ack.options.timestamps = wire::TcpTimestamps{50, 0};
  EXPECT_EQ(JudgeInSynReceived(half_open, ack), HandshakeVerdict::kEstablished);
  // [fault C02] without the option it is tolerated
  ack.options.timestamps.reset();
  EXPECT_EQ(JudgeInSynReceived(half_open, ack), HandshakeVerdict::kEstablished);
}

// [fault W14] SYN-ACK unscaled, final ACK scaled
TEST(Handshake, OnlyTheWindowOfASynIsUnscaled) {
  SynSent active;
  active.offer = OurOffer();
  Segment syn_ack = Seg(kIrs, kIss + 1, kSyn | kAck);
  syn_ack.options.window_scale = 7;
  EXPECT_EQ(Finish(active, syn_ack).snd_wnd, WindowSize(1'000));
  EXPECT_EQ(Finish(TcpConfig(), Passive(), Seg(kNext, kIss + 1, kAck)).snd_wnd,
            WindowSize(128'000));
}

TEST(Handshake, ChallengesShareOneLimit) {
  HalfOpen half_open = Passive();
  const Segment rst = Seg(kNext + 1, 0, kRst);
  const auto answer = [&](HandshakeVerdict verdict, int64_t ms) {
    return AnswerInSynReceived(TcpConfig(), half_open, verdict, rst, At(ms));
  };
  EXPECT_TRUE(answer(HandshakeVerdict::kChallenge, 0).has_value());
  EXPECT_FALSE(answer(HandshakeVerdict::kChallenge, 499).has_value());
  EXPECT_FALSE(answer(HandshakeVerdict::kAck, 499).has_value());
  EXPECT_TRUE(answer(HandshakeVerdict::kAck, 500).has_value());
}

TEST(Handshake, ARepeatedSynDrawsTheSameSynAck) {
  HalfOpen half_open = Passive();
  const auto answer = AnswerInSynReceived(TcpConfig(), half_open,
                                          HandshakeVerdict::kRepeatSynAck,
                                          Seg(kIrs, 0, kSyn), At(0));
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->seq, SeqNum(kIss));
  EXPECT_EQ(answer->ack, SeqNum(kNext));
}

// [RFC 6298 5.5] 1 s doubling: the sixth retry ends at 127 s
TEST(SynTransmissions, DoubleFromASecondAndEndAt127Seconds) {
  const TcpConfig config;
  SynTransmissions syn;
  ASSERT_TRUE(syn.due());
  syn.OnSent(config, At(0));
  for (const int64_t s : {1, 3, 7, 15, 31, 63}) {
    EXPECT_EQ(syn.deadline(), At(s * 1'000));
    EXPECT_EQ(syn.OnTimer(6, At(s * 1'000 - 1)),
              SynTransmissions::Expiry::kNotYet);
    EXPECT_EQ(syn.OnTimer(6, At(s * 1'000)),
              SynTransmissions::Expiry::kSendAgain);
    EXPECT_TRUE(syn.due());
    syn.OnSent(config, At(s * 1'000));
  }
  EXPECT_EQ(syn.deadline(), At(127'000));
  EXPECT_EQ(syn.OnTimer(6, At(127'000)), SynTransmissions::Expiry::kGiveUp);
}

// [RFC 6298 3] Karn: what left twice cannot be timed
TEST(SynTransmissions, OnlyASynThatLeftOnceGivesAnRtt) {
  const TcpConfig config;
  SynTransmissions once;
  once.OnSent(config, At(5));
  Handshake h;
  once.Describe(h, At(35));
  EXPECT_EQ(h.rtt, Duration::Milliseconds(30));
  EXPECT_EQ(h.opened, At(5));
  EXPECT_FALSE(h.syn_timed_out);

  SynTransmissions repeated = once;
  repeated.OnRepeated();
  h = Handshake();
  repeated.Describe(h, At(35));
  EXPECT_FALSE(h.rtt.has_value());
  EXPECT_FALSE(h.syn_timed_out);

  SynTransmissions twice = once;
  twice.OnSent(config, At(1'005));
  h = Handshake();
  twice.Describe(h, At(1'035));
  EXPECT_FALSE(h.rtt.has_value());
  EXPECT_TRUE(h.syn_timed_out);
  EXPECT_EQ(h.opened, At(5));
}

}  // namespace
}  // namespace tcpip::tcp
