#include "tcpip/transport/tcp/offer.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

const Instant kNow = Instant::FromNanoseconds(0) + Duration::Seconds(1);

Offer OfferOf(uint32_t buffer = 4 << 20, uint16_t mss = 1460) {
  SocketSettings settings;
  settings.receive_buffer_bytes = buffer;
  PathFacts path;
  path.mss = mss;
  return MakeOffer(settings, path, {SeqNum(10), 500});
}

PeerSyn Syn(const TcpOptions& options) {
  return {.irs = SeqNum(70), .wnd = WireWindow(1000), .options = options};
}

TcpOptions AllOptions() {
  TcpOptions o;
  o.mss = 1200;
  o.window_scale = 9;
  o.sack_permitted = true;
  o.timestamps = wire::TcpTimestamps{11, 0};
  return o;
}

// [RFC 7323 2.3] the shift describes the largest buffer in 16 bits
TEST(Offer, ScaleIsTheSmallestThatHoldsTheBuffer) {
  EXPECT_EQ(OfferOf(65'535).scale.shift(), 0);
  EXPECT_EQ(OfferOf(65'536).scale.shift(), 1);
  EXPECT_EQ(OfferOf(4 << 20).scale.shift(), 7);
  EXPECT_EQ(OfferOf(0xffffffff).scale.shift(), 14);
}

// [fault W14]
TEST(Offer, WindowOfASynIsBytesNeverScaled) {
  EXPECT_EQ(OfferOf(4 << 20).window, 65'535);
  EXPECT_EQ(OfferOf(20'000).window, 20'000);
}

// [RFC 9293 3.7.1 MUST-14]
TEST(Offer, SynCarriesEveryOptionWeHave) {
  const OutSegment syn = MakeSyn(TcpConfig(), OfferOf(), kNow);
  EXPECT_EQ(syn.flags, TcpFlags(TcpFlags::kSyn));
  EXPECT_EQ(syn.seq, SeqNum(10));
  EXPECT_EQ(syn.wnd, WireWindow(65'535));
  EXPECT_EQ(syn.options.mss, 1460);
  EXPECT_EQ(syn.options.window_scale, 7);
  EXPECT_TRUE(syn.options.sack_permitted);
  EXPECT_EQ(syn.options.timestamps, (wire::TcpTimestamps{1'500, 0}));
}

// One bit for each option: what we have, what the peer's SYN has.
struct Bits {
  bool scale, sack, timestamps;
};
Bits BitsOf(int i) { return {(i & 1) != 0, (i & 2) != 0, (i & 4) != 0}; }

TEST(Offer, AnOptionIsOnExactlyWhenBothSynsCarryIt) {
  for (int i = 0; i < 64; ++i) {
    const Bits ours = BitsOf(i & 7);
    const Bits theirs = BitsOf(i >> 3);
    SCOPED_TRACE(i);
    TcpConfig config;
    config.window_scaling = ours.scale;
    config.sack = ours.sack;
    config.timestamps = ours.timestamps;
    TcpOptions options = AllOptions();
    if (!theirs.scale) options.window_scale.reset();
    options.sack_permitted = theirs.sack;
    if (!theirs.timestamps) options.timestamps.reset();

    const Negotiated n = Agree(config, OfferOf(), Syn(options));
    const bool scale = ours.scale && theirs.scale;
    const bool timestamps = ours.timestamps && theirs.timestamps;
    // [RFC 7323 2.2] scaling works in both directions or not at all
    EXPECT_EQ(n.snd_scale, WindowScale(scale ? 9 : 0));
    EXPECT_EQ(n.rcv_scale, WindowScale(scale ? 7 : 0));
    EXPECT_EQ(n.sack, ours.sack && theirs.sack);
    EXPECT_EQ(n.timestamps, timestamps);
    EXPECT_EQ(n.smss, timestamps ? 1'188u : 1'200u);

    const OutSegment syn_ack =
        MakeSynAck(config, OfferOf(), Syn(options), kNow);
    EXPECT_EQ(syn_ack.options.window_scale.has_value(), scale);
    EXPECT_EQ(syn_ack.options.sack_permitted, n.sack);
    EXPECT_EQ(syn_ack.options.timestamps.has_value(), timestamps);
    EXPECT_TRUE(syn_ack.options.mss.has_value());
  }
}

TEST(Offer, SynAckAcknowledgesAndEchoes) {
  const OutSegment syn_ack =
      MakeSynAck(TcpConfig(), OfferOf(), Syn(AllOptions()), kNow);
  EXPECT_EQ(syn_ack.flags, TcpFlags(TcpFlags::kSyn | TcpFlags::kAck));
  EXPECT_EQ(syn_ack.ack, SeqNum(71));
  EXPECT_EQ(syn_ack.options.timestamps, (wire::TcpTimestamps{1'500, 11}));
}

struct EcnCase {
  EcnMode ours;
  int theirs;  // flags of their SYN
  bool agreed;
};

// [RFC 3168 6.1.1] [fault C01]
const EcnCase kEcnCases[] = {
    {EcnMode::kOff, TcpFlags::kSyn | TcpFlags::kEce | TcpFlags::kCwr, false},
    {EcnMode::kPassive, TcpFlags::kSyn | TcpFlags::kEce | TcpFlags::kCwr, true},
    {EcnMode::kActive, TcpFlags::kSyn | TcpFlags::kEce | TcpFlags::kCwr, true},
    {EcnMode::kActive, TcpFlags::kSyn, false},
    {EcnMode::kActive, TcpFlags::kSyn | TcpFlags::kEce, false},
    {EcnMode::kActive, TcpFlags::kSyn | TcpFlags::kCwr, false},
    // A SYN-ACK answers, with ECE alone; with both a broken peer reflects.
    {EcnMode::kActive, TcpFlags::kSyn | TcpFlags::kAck | TcpFlags::kEce, true},
    {EcnMode::kActive,
     TcpFlags::kSyn | TcpFlags::kAck | TcpFlags::kEce | TcpFlags::kCwr, false},
    {EcnMode::kPassive, TcpFlags::kSyn | TcpFlags::kAck | TcpFlags::kEce,
     false},
};

TEST(Offer, EcnIsOnWhenOneAsksAndTheOtherAgrees) {
  for (const EcnCase& c : kEcnCases) {
    SCOPED_TRACE(c.theirs);
    TcpConfig config;
    config.ecn = c.ours;
    Segment seg;
    seg.flags = TcpFlags(c.theirs);
    const PeerSyn theirs = PeerSynOf(seg);
    EXPECT_EQ(Agree(config, OfferOf(), theirs).ecn, c.agreed);
    if (seg.flags.ack()) continue;
    const TcpFlags answer = MakeSynAck(config, OfferOf(), theirs, kNow).flags;
    EXPECT_EQ(answer.ece(), c.agreed);
    EXPECT_FALSE(answer.cwr());
  }
}

TEST(Offer, OnlyAnActiveEndAsksForEcn) {
  for (const EcnMode mode :
       {EcnMode::kOff, EcnMode::kPassive, EcnMode::kActive}) {
    TcpConfig config;
    config.ecn = mode;
    const TcpFlags flags = MakeSyn(config, OfferOf(), kNow).flags;
    EXPECT_EQ(flags.ece(), mode == EcnMode::kActive);
    EXPECT_EQ(flags.cwr(), mode == EcnMode::kActive);
  }
}

struct MssCase {
  const char* name;
  uint16_t path;
  std::optional<uint16_t> peer;
  uint32_t smss;
};

// [RFC 9293 3.7.1 MUST-15, MUST-16]
const MssCase kMss[] = {
    {"the smaller one counts: theirs", 1460, 1000, 1000},
    {"the smaller one counts: ours", 536, 1460, 536},
    {"none means the default", 1460, std::nullopt, 536},
    {"too small is raised [fault X14]", 1460, 1, 48},
    {"so is a path's", 20, 1460, 48},
};

// [RFC 9293 3.7.1 MUST-14]
TEST(Offer, SmssIsTheSmallerMss) {
  for (const MssCase& c : kMss) {
    TcpOptions options;
    options.mss = c.peer;
    const Negotiated n =
        Agree(TcpConfig(), OfferOf(1 << 20, c.path), Syn(options));
    EXPECT_EQ(n.smss, c.smss) << c.name;
    EXPECT_EQ(n.rmss, c.path) << c.name;
  }
}

// [RFC 7323 2.3]
TEST(Offer, AShiftAbove14IsTakenAs14) {
  TcpOptions options = AllOptions();
  options.window_scale = 15;
  EXPECT_EQ(Agree(TcpConfig(), OfferOf(), Syn(options)).snd_scale.shift(), 14);
}

TEST(Offer, SmssFollowsThePathWithinWhatThePeerTakes) {
  Negotiated n;
  n.timestamps = true;
  n.smss_limit = 1'188;
  EXPECT_EQ(SmssFor(1'000, n), 988u);
  EXPECT_EQ(SmssFor(1'460, n), 1'188u);
}

TEST(Offer, HandshakeAckHasAScaledWindow) {
  const OutSegment ack =
      MakeHandshakeAck(TcpConfig(), OfferOf(), Syn(AllOptions()), kNow);
  EXPECT_EQ(ack.flags, TcpFlags(TcpFlags::kAck));
  EXPECT_EQ(ack.seq, SeqNum(11));
  EXPECT_EQ(ack.ack, SeqNum(71));
  EXPECT_EQ(ack.wnd, WireWindow(65'535 >> 7));
  EXPECT_EQ(ack.options.timestamps, (wire::TcpTimestamps{1'500, 11}));
}

}  // namespace
}  // namespace tcpip::tcp
