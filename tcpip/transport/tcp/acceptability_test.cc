#include "tcpip/transport/tcp/acceptability.h"

#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"

namespace tcpip::tcp {
namespace {

constexpr uint32_t kRcvNxt = 0xffffff00;  // the window wraps
constexpr uint32_t kWnd = 1'000;
constexpr uint32_t kUna = 5'000;
constexpr uint32_t kMax = 6'000;
constexpr uint32_t kMaxSndWnd = 2'000;

Bounds Window(uint32_t wnd = kWnd) {
  return {.rcv_nxt = SeqNum(kRcvNxt),
          .rcv_wnd = WindowSize(wnd),
          .snd_una = SeqNum(kUna),
          .snd_max = SeqNum(kMax),
          .max_snd_wnd = WindowSize(kMaxSndWnd)};
}

struct Case {
  const char* name;
  uint32_t seq;  // relative to RCV.NXT
  uint32_t payload;
  int flags;
  Verdict want;
  uint32_t wnd = kWnd;
  uint32_t ack = kUna;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr int kAck = TcpFlags::kAck;
constexpr int kRst = TcpFlags::kRst;
constexpr int kSyn = TcpFlags::kSyn;
constexpr int kFin = TcpFlags::kFin;
constexpr uint32_t kBefore = static_cast<uint32_t>(-1);

const Case kSequence[] = {
    // [RFC 9293 3.10.7.4] the four rows of the acceptability table
    {"PureAckAtRcvNxt", 0, 0, kAck, Verdict::kContinue},
    {"PureAckInWindow", kWnd - 1, 0, kAck, Verdict::kContinue},
    {"PureAckAtRightEdgeOfAFullWindow", kWnd, 0, kAck, Verdict::kContinue},
    {"PureAckBeyondRightEdge", kWnd + 1, 0, kAck, Verdict::kAck},
    {"PureAckOld", kBefore, 0, kAck, Verdict::kAck},
    {"DataAtRcvNxt", 0, 100, kAck, Verdict::kContinue},
    {"DataEndsAtRcvNxt", static_cast<uint32_t>(-100), 100, kAck, Verdict::kAck},
    {"DataReachesIntoWindow", static_cast<uint32_t>(-99), 100, kAck,
     Verdict::kContinue},
    {"DataStartsAtLastByteOfWindow", kWnd - 1, 100, kAck, Verdict::kContinue},
    {"DataAtRightEdge", kWnd, 100, kAck, Verdict::kAck},
    {"DataSpansTheWholeWindow", kBefore, kWnd + 100, kAck, Verdict::kContinue},
    {"FinAtRightEdge", kWnd, 0, kAck | kFin, Verdict::kContinue},
    {"FinBeyondRightEdge", kWnd + 1, 0, kAck | kFin, Verdict::kAck},
    {"FinOld", kBefore, 0, kAck | kFin, Verdict::kAck},
    // Zero window.
    {"ZeroWindowPureAck", 0, 0, kAck, Verdict::kContinue, 0},
    {"ZeroWindowProbeIsHeard", 0, 1, kAck, Verdict::kContinue, 0},
    {"ZeroWindowFinInSequence", 0, 0, kAck | kFin, Verdict::kContinue, 0},
    {"ZeroWindowDataAhead", 1, 1, kAck, Verdict::kAck, 0},
    {"ZeroWindowOldData", kBefore, 1, kAck, Verdict::kAck, 0},
};

// [RFC 5961 3.2] [fault X03]
const Case kReset[] = {
    {"RstBeforeWindowIsDropped", kBefore, 0, kRst, Verdict::kDrop},
    {"RstAtRcvNxtResets", 0, 0, kRst, Verdict::kReset},
    {"RstWithAckAtRcvNxtResets", 0, 0, kRst | kAck, Verdict::kReset, kWnd, 1},
    {"RstOneAheadIsChallenged", 1, 0, kRst, Verdict::kChallenge},
    {"RstAtLastByteIsChallenged", kWnd - 1, 0, kRst, Verdict::kChallenge},
    {"RstAtRightEdgeIsDropped", kWnd, 0, kRst, Verdict::kDrop},
    // [RFC 9293 3.4 MUST-66] RST is judged at a zero window, too
    {"ZeroWindowExactRstResets", 0, 0, kRst, Verdict::kReset, 0},
    {"ZeroWindowRstAheadIsDropped", 1, 0, kRst, Verdict::kDrop, 0},
    {"RstThatCarriesTextIsJudgedByItsSequence", kBefore, 10, kRst,
     Verdict::kDrop},
};

// [RFC 5961 4.2] [fault X04]: a SYN outside the window gets the same ACK by
// the sequence test.
const Case kSynCases[] = {
    {"SynAtRcvNxtIsChallenged", 0, 0, kSyn, Verdict::kChallenge},
    {"SynInWindowIsChallenged", 500, 0, kSyn | kAck, Verdict::kChallenge},
    {"SynOutsideWindowIsAcknowledged", kWnd + 5, 0, kSyn, Verdict::kAck},
};

// [RFC 5961 5.2]
const Case kAckRange[] = {
    {"WithoutAckIsDropped", 0, 10, 0, Verdict::kDrop},
    {"AckAtSndUna", 0, 0, kAck, Verdict::kContinue, kWnd, kUna},
    {"AckAtSndMax", 0, 0, kAck, Verdict::kContinue, kWnd, kMax},
    {"AckBeyondSndMaxIsChallenged", 0, 0, kAck, Verdict::kChallenge, kWnd,
     kMax + 1},
    {"OldAckWithinTheLargestWindow", 0, 0, kAck, Verdict::kContinue, kWnd,
     kUna - kMaxSndWnd},
    {"OlderAckIsChallenged", 0, 0, kAck, Verdict::kChallenge, kWnd,
     kUna - kMaxSndWnd - 1},
};

class Acceptability : public testing::TestWithParam<Case> {};

TEST_P(Acceptability, IsJudgedAsTheRfcSays) {
  const Case& c = GetParam();
  SlabPool pool;
  Segment seg;
  seg.seq = SeqNum(kRcvNxt) + c.seq;
  seg.ack = SeqNum(c.ack);
  seg.flags = TcpFlags(c.flags);
  seg.payload.AppendCopy(pool, std::vector<uint8_t>(c.payload));
  EXPECT_EQ(CheckAcceptability(Window(c.wnd), seg), c.want);
}

std::string NameOf(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Sequence, Acceptability, testing::ValuesIn(kSequence),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Reset, Acceptability, testing::ValuesIn(kReset),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Syn, Acceptability, testing::ValuesIn(kSynCases),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Ack, Acceptability, testing::ValuesIn(kAckRange),
                         NameOf);

}  // namespace
}  // namespace tcpip::tcp
