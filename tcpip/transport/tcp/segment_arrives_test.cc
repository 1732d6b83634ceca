#include "tcpip/transport/tcp/segment_arrives.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tcpip/transport/tcp/connection.h"
#include "tcpip/transport/tcp/connection_fixture.h"

namespace tcpip::tcp {
namespace {

// The table of [fault C17]: every state against every kind of segment that a
// state may have to refuse, and what leaves: "-", "ACK" or "RST", and the state
// afterwards where it changes.
enum class Kind {
  kOldSeq,
  kFutureSeq,
  kOldAck,
  kFutureAck,
  kNoAck,
  kSynInWindow,
  kSynOutside,
  kExactRst,
  kRstInWindow,
  kRstOutside,
};

struct Stimulus {
  Kind kind;
  const char* name;
};
constexpr Stimulus kStimuli[] = {
    {Kind::kOldSeq, "old-seq"},     {Kind::kFutureSeq, "future-seq"},
    {Kind::kOldAck, "old-ack"},     {Kind::kFutureAck, "future-ack"},
    {Kind::kNoAck, "no-ack"},       {Kind::kSynInWindow, "syn-in"},
    {Kind::kSynOutside, "syn-out"}, {Kind::kExactRst, "rst-exact"},
    {Kind::kRstInWindow, "rst-in"}, {Kind::kRstOutside, "rst-out"},
};

Segment Make(ConnectionFixture& f, Kind kind) {
  Segment seg = f.FromPeer(kAck);
  switch (kind) {
    case Kind::kOldSeq:
      seg.seq = seg.seq - 10;
      break;
    case Kind::kFutureSeq:
      seg.seq += 100'000'000;
      break;
    case Kind::kOldAck:
      seg.ack = seg.ack - 300'000'000;
      break;
    case Kind::kFutureAck:
      seg.ack += 10;
      break;
    case Kind::kNoAck:
      seg.flags = TcpFlags(0);
      break;
    case Kind::kSynInWindow:
      seg.flags = TcpFlags(kSyn);
      seg.seq += 10;
      break;
    case Kind::kSynOutside:
      seg.flags = TcpFlags(kSyn);
      seg.seq += 100'000'000;
      break;
    case Kind::kExactRst:
      seg.flags = TcpFlags(kRst);
      break;
    case Kind::kRstInWindow:
      seg.flags = TcpFlags(kRst);
      seg.seq += 10;
      break;
    case Kind::kRstOutside:
      seg.flags = TcpFlags(kRst);
      seg.seq = seg.seq - 1;
      break;
  }
  return seg;
}

// One cell: what leaves, and the new state if any.
std::string Outcome(TcpState state, Kind kind) {
  auto f = ConnectionFixture::In(state);
  const SeqNum snd_nxt = f->our_nxt;
  const Segment stimulus = Make(*f, kind);
  const SeqNum their_ack = stimulus.ack;
  f->Deliver(Make(*f, kind));
  std::string outcome;
  for (const OutSegment& out : f->Take()) {
    if (out.flags.rst()) {
      outcome += "RST";
      EXPECT_EQ(out.seq, out.flags.ack() ? SeqNum(0) : their_ack);
    } else if (out.flags.syn()) {
      outcome += "SYN-ACK";
    } else {
      outcome += "ACK";
      // [RFC 5961 3.2, 4.2] <SEQ=SND.NXT><ACK=RCV.NXT><CTL=ACK>
      EXPECT_EQ(out.seq, snd_nxt);
      EXPECT_EQ(out.ack, f->peer_nxt);
    }
  }
  if (outcome.empty()) outcome = "-";
  if (f->connection().state() != state) {
    outcome += " " + std::string(ToString(f->connection().state()));
  }
  return outcome;
}

struct Row {
  TcpState state;
  // In the order of kStimuli.
  const char* want[10];
};

// [RFC 9293 3.10.7, RFC 5961 3.2, 4.2, 5.2]
constexpr Row kRows[] = {
    // Any ACK in SYN-SENT that is not ISS+1 is reset; a SYN opens from the
    // other side.
    {TcpState::kSynSent,
     {"-", "-", "RST", "RST", "-", "SYN-ACK SYN-RECV", "SYN-ACK SYN-RECV", "-",
      "-", "-"}},
    // [RFC 9293 3.5 MUST-11] opened actively: a RST ends it, a SYN does not
    {TcpState::kSynReceived,
     {"ACK", "ACK", "RST", "RST", "-", "ACK", "ACK", "- UNCONN", "ACK", "-"}},
    {TcpState::kEstablished,
     {"ACK", "ACK", "ACK", "ACK", "-", "ACK", "ACK", "- UNCONN", "ACK", "-"}},
    {TcpState::kFinWait1,
     {"ACK", "ACK", "ACK", "ACK", "-", "ACK", "ACK", "- UNCONN", "ACK", "-"}},
    {TcpState::kFinWait2,
     {"ACK", "ACK", "ACK", "ACK", "-", "ACK", "ACK", "- UNCONN", "ACK", "-"}},
    {TcpState::kCloseWait,
     {"ACK", "ACK", "ACK", "ACK", "-", "ACK", "ACK", "- UNCONN", "ACK", "-"}},
    {TcpState::kClosing,
     {"ACK", "ACK", "ACK", "ACK", "-", "ACK", "ACK", "- UNCONN", "ACK", "-"}},
    {TcpState::kLastAck,
     {"ACK", "ACK", "ACK", "ACK", "-", "ACK", "ACK", "- UNCONN", "ACK", "-"}},
    // The stack's table answers for TIME-WAIT.
    {TcpState::kTimeWait, {"-", "-", "-", "-", "-", "-", "-", "-", "-", "-"}},
    {TcpState::kClosed,
     {"RST", "RST", "RST", "RST", "RST", "RST", "RST", "-", "-", "-"}},
};

TEST(SegmentArrives, EveryStateRefusesAsTheRfcSays) {
  for (const Row& row : kRows) {
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(Outcome(row.state, kStimuli[i].kind), row.want[i])
          << ToString(row.state) << " " << kStimuli[i].name;
    }
  }
}

// [RFC 9293 3.6 MUST-12]
TEST(SegmentArrives, ARstIsAnErrorUnlessBothHaveSentFin) {
  const auto error_in = [](TcpState state) {
    auto f = ConnectionFixture::In(state);
    f->Say(kRst);
    return f->connection().error();
  };
  EXPECT_EQ(error_in(TcpState::kEstablished), TcpError::kReset);
  EXPECT_EQ(error_in(TcpState::kFinWait2), TcpError::kReset);
  EXPECT_EQ(error_in(TcpState::kCloseWait), TcpError::kReset);
  EXPECT_EQ(error_in(TcpState::kClosing), TcpError::kNone);
  EXPECT_EQ(error_in(TcpState::kLastAck), TcpError::kNone);
}

// [fault C20, X07]
TEST(SegmentArrives, AcksForPureAcksOutsideTheWindowAreLimited) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  const auto provoke = [&] {
    Segment seg = f->FromPeer(kAck);
    seg.seq = seg.seq - 10;
    f->Deliver(std::move(seg));
    return f->Take().size();
  };
  EXPECT_EQ(provoke(), 1u);
  EXPECT_EQ(provoke(), 0u);
  f->Advance(Duration::Milliseconds(499));
  EXPECT_EQ(provoke(), 0u);
  f->Advance(Duration::Milliseconds(1));
  EXPECT_EQ(provoke(), 1u);
}

TEST(SegmentArrives, ARetransmissionIsAlwaysAcknowledged) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Say(kAck, "data");
  f->Take();
  for (int i = 0; i < 3; ++i) {
    Segment again = f->FromPeer(kAck, "data");
    again.seq = again.seq - 4;
    f->Deliver(std::move(again));
    const auto out = f->Take();
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].ack, f->peer_nxt);
    // [RFC 2883 4] told as a duplicate
    EXPECT_EQ(out[0].options.sack_block_count, 1);
  }
  EXPECT_EQ(f->Read(), "data");
}

// [RFC 9293 3.8.4] a keepalive probe is just below the window
TEST(SegmentArrives, AKeepaliveProbeIsAnswered) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  Segment probe = f->FromPeer(kAck);
  probe.seq = probe.seq - 1;
  f->Deliver(std::move(probe));
  EXPECT_EQ(f->Take().size(), 1u);
}

TEST(SegmentArrives, AnOldAckNumberIsIgnoredAndItsDataTaken) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Write("abc");
  f->Take();
  f->Say(kAck);
  Segment seg = f->FromPeer(kAck, "hello");
  seg.ack = seg.ack - 2;
  f->Deliver(std::move(seg));
  EXPECT_EQ(f->Read(), "hello");
}

FixtureOptions WithTimestamps() {
  FixtureOptions options;
  options.peer_options.timestamps = wire::TcpTimestamps{500, 0};
  return options;
}

// [RFC 7323 5.3 R1]
// [RFC 9293 3.1 MUST-5]
TEST(SegmentArrives, AnOldTimestampIsAcknowledgedAndDropped) {
  auto f = ConnectionFixture::In(TcpState::kEstablished, WithTimestamps());
  Segment old = f->FromPeer(kAck, "wrapped");
  old.options.timestamps = wire::TcpTimestamps{499, 0};
  f->Deliver(std::move(old));
  EXPECT_EQ(f->connection().readable_bytes(), 0u);
  const auto out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].options.timestamps->tsecr, 500u);
}

// [RFC 7323 5.3] RST is exempt
TEST(SegmentArrives, ARstWithAnOldTimestampStillResets) {
  auto f = ConnectionFixture::In(TcpState::kEstablished, WithTimestamps());
  Segment rst = f->FromPeer(kRst);
  rst.options.timestamps = wire::TcpTimestamps{1, 0};
  f->Deliver(std::move(rst));
  EXPECT_EQ(f->connection().state(), TcpState::kClosed);
}

// [RFC 7323 3.2] [fault C02]
TEST(SegmentArrives, AMissingTimestampIsTolerated) {
  auto f = ConnectionFixture::In(TcpState::kEstablished, WithTimestamps());
  f->Say(kAck, "bare");
  EXPECT_EQ(f->Read(), "bare");
  const auto out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].options.timestamps->tsecr, 500u);
}

// [fault X11] only what covers the last ACK moves TS.Recent
TEST(SegmentArrives, ATimestampOutsideTheWindowPoisonsNothing) {
  auto f = ConnectionFixture::In(TcpState::kEstablished, WithTimestamps());
  Segment forged = f->FromPeer(kAck, "x");
  forged.seq += 100'000'000;
  forged.options.timestamps = wire::TcpTimestamps{1'000'000, 0};
  f->Deliver(std::move(forged));
  Segment good = f->FromPeer(kAck, "good");
  good.options.timestamps = wire::TcpTimestamps{501, 0};
  f->Deliver(std::move(good));
  EXPECT_EQ(f->Read(), "good");
}

TEST(SegmentArrives, AValidEchoGivesAnRttAndAnImpossibleOneDoesNot) {
  FixtureOptions options = WithTimestamps();
  options.peer_options.sack_permitted = false;
  auto f = ConnectionFixture::In(TcpState::kEstablished, options);
  f->Advance(Duration::Milliseconds(50));
  const auto samples = [&](uint32_t tsecr) {
    f->Write("x");
    const auto out = f->Take();
    EXPECT_FALSE(out.empty());
    Segment ack = f->FromPeer(kAck);
    ack.options.timestamps = wire::TcpTimestamps{600, tsecr};
    f->Deliver(std::move(ack));
    const TcpInfo info = f->connection().Info();
    return info.min_rtt;
  };
  const uint32_t tsval = TsvalAt(f->now(), 7'000);
  // From the future, from before the connection, and none: never an RTT of
  // hours.
  for (const uint32_t tsecr : {tsval + 5, tsval - 1'000'000, 0u}) {
    EXPECT_LT(samples(tsecr), Duration::Seconds(1));
  }
}

// [req D-43] by when it arrived, however late it is looked at
TEST(SegmentArrives, AnAckThatWaitedInsideTheStackMeasuresTheSamePath) {
  constexpr Duration kPath = Duration::Milliseconds(20);
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Write("hello");
  f->Take();
  Segment ack = f->FromPeer(kAck);
  ack.ingress = f->now() + kPath;
  f->Advance(kPath + Duration::Milliseconds(50));
  const Duration before = f->connection().Info().srtt;
  f->Deliver(std::move(ack));
  EXPECT_EQ(f->connection().Info().srtt, before + (kPath - before) / 8);
}

// [RFC 9293 3.10.7.4] the FIN of a segment that fills a hole counts when it is
// reached
TEST(SegmentArrives, AnEarlyFinWaitsForTheHole) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  Segment late = f->FromPeer(kFin | kAck, "second");
  late.seq += 5;
  f->Deliver(std::move(late));
  EXPECT_EQ(f->connection().state(), TcpState::kEstablished);
  f->Say(kAck, "first");
  EXPECT_EQ(f->connection().state(), TcpState::kCloseWait);
  EXPECT_EQ(f->Read(), "firstsecond");
}

// [RFC 9293 3.10.7.4 MUST-58, MUST-59] one ACK for all that was waiting
TEST(SegmentArrives, ABatchIsAcknowledgedOnce) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  for (const char* text : {"one", "two", "three", "four"}) f->Say(kAck, text);
  const auto out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].ack, f->peer_nxt);
}

TEST(SegmentArrives, TextAfterTheFinIsIgnored) {
  auto f = ConnectionFixture::In(TcpState::kCloseWait);
  f->Say(kAck, "what?");
  EXPECT_EQ(f->Read(), "");
  EXPECT_EQ(f->connection().state(), TcpState::kCloseWait);
}

// [fault X24] [RFC 6093 6]
TEST(SegmentArrives, UrgentDataIsOrdinaryData) {
  for (const uint16_t pointer : {0, 3, 0xffff}) {
    auto f = ConnectionFixture::In(TcpState::kEstablished);
    Segment seg = f->FromPeer(kAck | TcpFlags::kUrg, "abc");
    seg.urgent_pointer = pointer;
    f->Deliver(std::move(seg));
    EXPECT_EQ(f->Read(), "abc");
  }
}

// A window that the peer opens while both are shut must be heard.
TEST(SegmentArrives, AnAckOnDataForAZeroWindowIsTaken) {
  FixtureOptions options;
  options.settings.receive_buffer_bytes = 2'000;
  options.peer_wnd = 0;
  auto f = ConnectionFixture::In(TcpState::kEstablished, options);
  f->Say(kAck, std::string(1'000, 'a'));
  f->Say(kAck, std::string(1'000, 'b'));
  f->Take();
  f->Write("blocked");
  EXPECT_TRUE(f->Take().empty());
  Segment probe = f->FromPeer(kAck, "p");
  probe.wnd = WireWindow(10);
  f->Deliver(std::move(probe));
  const auto out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(PayloadOf(out[0].payload), "blocked");
  EXPECT_EQ(out[0].ack, f->peer_nxt);
}

}  // namespace
}  // namespace tcpip::tcp
