#include "tcpip/transport/tcp/connection.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tcpip/transport/tcp/connection_fixture.h"

namespace tcpip::tcp {
namespace {

Segment Reflect(OutSegment out, Instant now) {
  Segment seg;
  seg.seq = out.seq;
  seg.ack = out.ack;
  seg.flags = out.flags;
  seg.wnd = out.wnd;
  seg.options = out.options;
  seg.payload = std::move(out.payload);
  seg.gso_size = out.gso_size;
  seg.ingress = now;
  return seg;
}

// With malloc's own word 768 bytes. See bench/idle_connections.
TEST(Connection, IsSmallWhenIdle) { EXPECT_LE(sizeof(Connection), 760u); }

TEST(Connection, BeginsWithASyn) {
  SlabPool pool;
  const TcpConfig config;
  Connection c(TcpContext{&config, &pool}, PathFacts(), SocketSettings(),
               {SeqNum(5), 0});
  EXPECT_EQ(c.state(), TcpState::kSynSent);
  const auto syn = c.PollSend(Instant());
  ASSERT_TRUE(syn.has_value());
  EXPECT_EQ(ToString(*syn), "S 5:6");
  EXPECT_FALSE(c.PollSend(Instant()).has_value());
  EXPECT_EQ(c.NextDeadline(), Instant() + Duration::Seconds(1));
  EXPECT_EQ(c.readiness(), Readiness());
}

// [fault C03]
TEST(Connection, TheFinalAckLeavesInTheSameTurn) {
  ConnectionFixture f;
  f.Say(kSyn | kAck);
  const auto out = f.Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(ToString(out[0]), ". 1001:1001 ack 50001");
  EXPECT_TRUE(f.connection().readiness().connected);
  EXPECT_TRUE(f.connection().readiness().writable);
}

// [fault C04] [RFC 9293 3.10.2]
TEST(Connection, DataWrittenBeforeTheHandshakeRidesOnTheFinalAck) {
  ConnectionFixture f;
  EXPECT_EQ(f.Write("early"), 5u);
  EXPECT_EQ(f.connection().Info().unsent_bytes, 5u);
  f.Say(kSyn | kAck);
  const auto out = f.Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(ToString(out[0]), "P. 1001:1006 ack 50001");
}

TEST(Connection, WritingAheadIsBoundedByTheSendBuffer) {
  FixtureOptions options;
  options.settings.send_buffer_bytes = 3;
  ConnectionFixture f(options);
  EXPECT_EQ(f.Write("early"), 3u);
  EXPECT_EQ(f.connection().writable_bytes(), 0u);
}

// [fault O01] short memory holds writers; what it has let in is not lost
TEST(Connection, WhatWasAcceptedBeforeTheHandshakeIsSentWhateverTheMemory) {
  ConnectionFixture f;
  const std::string early(9'000, 'x');
  EXPECT_EQ(f.Write(early), early.size());
  f.pool().SetBudget(1);
  f.Say(kSyn | kAck);
  EXPECT_EQ(
      f.connection().Info().unacked_bytes + f.connection().Info().unsent_bytes,
      early.size());
  EXPECT_EQ(f.Write("late"), 0u);
}

// [fault O01] [fault W01] nothing else asks once all that came has been read
TEST(Connection, AProbeFindsWhatMemoryAllowsNow) {
  FixtureOptions options;
  options.settings.receive_buffer_bytes = 4'000;
  options.peer_options.window_scale.reset();
  auto f = ConnectionFixture::In(TcpState::kEstablished, options);
  f->Say(kAck, std::string(4'000, 'x'));
  EXPECT_EQ(f->Take().back().wnd.field(), 0u);
  f->pool().SetBudget(0);
  f->Read();
  EXPECT_EQ(f->Take().back().wnd.field(), 2'048u);
  f->Say(kAck, std::string(2'048, 'x'));
  f->Advance(Duration::Milliseconds(40));
  EXPECT_EQ(f->connection().Info().rcv_wnd, 0u);
  f->pool().SetBudget(SIZE_MAX);
  Segment probe = f->FromPeer(kAck);
  probe.seq = probe.seq - 1;
  f->Deliver(std::move(probe));
  EXPECT_EQ(f->Take().back().wnd.field(), 4'000 - 2'048u);
}

TEST(Connection, AWriteCloseBeforeTheHandshakeFollowsTheData) {
  ConnectionFixture f;
  f.Write("all");
  f.connection().CloseWrite();
  EXPECT_EQ(f.Write("more"), 0u);
  f.Say(kSyn | kAck);
  EXPECT_EQ(f.connection().state(), TcpState::kFinWait1);
  const auto out = f.Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(ToString(out[0]), "FP. 1001:1005 ack 50001");
}

// 1, 3, 7, 15, 31 and 63 s, then the end at 127 s
// [RFC 9293 3.8.3 MUST-22]
// [RFC 3168 6.1.1.1] a box on the way may drop SYNs that ask for it
TEST(Connection, ASynThatAskedForEcnIsRepeatedWithout) {
  FixtureOptions options;
  options.config.ecn = EcnMode::kActive;
  ConnectionFixture f(options);
  f.Advance(Duration::Seconds(1));
  const auto again = f.Take();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].flags, TcpFlags(kSyn));
  // The answer may be one to the first.
  f.Say(kSyn | kAck);
  EXPECT_TRUE(f.connection().Info().ecn);
}

TEST(Connection, AnUnansweredSynIsRetriedSixTimes) {
  ConnectionFixture f;
  int syns = 1;
  const Instant start = f.now();
  while (!f.connection().NextDeadline().IsNever()) {
    f.Advance(f.connection().NextDeadline() - f.now());
    for (const OutSegment& seg : f.Take()) {
      EXPECT_EQ(ToString(seg), "S 1000:1001");
      ++syns;
    }
  }
  EXPECT_EQ(syns, 7);
  EXPECT_EQ(f.now() - start, Duration::Seconds(127));
  EXPECT_EQ(f.connection().error(), TcpError::kTimedOut);
  EXPECT_TRUE(f.connection().readiness().closed);
  EXPECT_FALSE(f.connection().readiness().connected);
}

// [RFC 9293 3.10.7.3]
TEST(Connection, ARstWithTheRightAckRefuses) {
  ConnectionFixture f;
  f.Say(kRst | kAck);
  EXPECT_EQ(f.connection().error(), TcpError::kRefused);
  EXPECT_EQ(f.connection().state(), TcpState::kClosed);
  EXPECT_TRUE(f.Take().empty());
}

// A half-open peer: its ACK is reset, our SYN goes on. [RFC 9293 3.5.1]
TEST(Connection, AWrongAckIsResetAndTheHandshakeGoesOn) {
  ConnectionFixture f;
  Segment stale = f.FromPeer(kAck);
  stale.ack += 77;
  f.Deliver(std::move(stale));
  const auto out = f.Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(ToString(out[0]), "R 1078:1078");
  f.Say(kSyn | kAck);
  EXPECT_EQ(f.connection().state(), TcpState::kEstablished);
}

// [RFC 5927 5.2] [RFC 9293 3.9.2.2 MUST-56] [fault X12] hard while connecting,
// soft in every synchronized state
TEST(Connection, UnreachableEndsOnlyTheAttempt) {
  ConnectionFixture f;
  f.connection().OnUnreachable(TcpError::kNetUnreachable, f.now());
  EXPECT_EQ(f.connection().state(), TcpState::kClosed);
  EXPECT_EQ(f.connection().error(), TcpError::kNetUnreachable);

  for (int i = 0; i < kTcpStateCount; ++i) {
    const auto state = static_cast<TcpState>(i);
    if (state < TcpState::kEstablished) continue;
    auto later = ConnectionFixture::In(state);
    later->connection().OnUnreachable(TcpError::kRefused, later->now());
    EXPECT_EQ(later->connection().state(), state) << ToString(state);
    EXPECT_EQ(later->connection().error(), TcpError::kNone);
    EXPECT_TRUE(later->Take().empty());
  }
}

// [RFC 9293 3.9.2.2 SHLD-25] what the network said last, if the peer has been
// silent since
// [RFC 9293 3.9.1.8 MUST-47]
TEST(Connection, ASoftErrorIsTheReasonWhenRetriesAreUsedUp) {
  for (const bool heard_since : {false, true}) {
    auto f = ConnectionFixture::In(TcpState::kEstablished);
    f->Write("x");
    f->Take();
    f->connection().OnUnreachable(TcpError::kUnreachable, f->now());
    if (heard_since) {
      Segment repeated = f->FromPeer(kAck);
      repeated.ack = repeated.ack - 1;
      f->Deliver(std::move(repeated));
    }
    for (int s = 0; s < 2000 && f->connection().error() == TcpError::kNone;
         ++s) {
      f->Advance(Duration::Seconds(1));
      f->Take();
    }
    EXPECT_EQ(f->connection().error(),
              heard_since ? TcpError::kTimedOut : TcpError::kUnreachable);
  }
}

// [RFC 5927 4.1] [fault X12] in [SND.UNA, SND.MAX), or the quote is a guess
TEST(Connection, OnlyWhatIsUnderWayCanBeReported) {
  ConnectionFixture opening;
  const SeqNum iss = opening.our_nxt - 1;
  EXPECT_TRUE(opening.connection().IsInFlight(iss));
  EXPECT_FALSE(opening.connection().IsInFlight(iss + 1));

  auto f = ConnectionFixture::In(TcpState::kEstablished);
  const SeqNum first = f->our_nxt;
  EXPECT_FALSE(f->connection().IsInFlight(first));
  f->Write("abc");
  f->Take();
  EXPECT_FALSE(f->connection().IsInFlight(first - 1));
  EXPECT_TRUE(f->connection().IsInFlight(first));
  EXPECT_TRUE(f->connection().IsInFlight(first + 2));
  EXPECT_FALSE(f->connection().IsInFlight(first + 3));
}

// [fault W14]
TEST(Connection, TheWindowOfTheSynAckIsNotScaled) {
  ConnectionFixture f;
  f.Say(kSyn | kAck);
  EXPECT_EQ(f.connection().Info().snd_wnd, 1'000u);
  f.Take();
  f.Say(kAck);
  EXPECT_EQ(f.connection().Info().snd_wnd, 128'000u);
}

// [fault C06] our ACK was lost: the SYN-ACK again is challenged, and that ACK
// is what the peer needs
TEST(Connection, ARepeatedSynAckIsAcknowledged) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  Segment again = f->FromPeer(kSyn | kAck);
  again.seq = f->options().irs;
  f->Deliver(std::move(again));
  const auto out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(ToString(out[0]), ". 1001:1001 ack 50001");
}

// [RFC 9293 3.5] figure 7
// [RFC 9293 3.5 MUST-10]
TEST(Connection, TwoSynsThatCrossMakeOneConnection) {
  ConnectionFixture f;
  f.Write("hi");
  f.Say(kSyn);
  EXPECT_EQ(f.connection().state(), TcpState::kSynReceived);
  auto out = f.Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(ToString(out[0]), "S. 1000:1001 ack 50001");
  Segment syn_ack = f.FromPeer(kSyn | kAck);
  syn_ack.seq = f.options().irs;
  f.Deliver(std::move(syn_ack));
  EXPECT_EQ(f.connection().state(), TcpState::kEstablished);
  out = f.Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(ToString(out[0]), "P. 1001:1003 ack 50001");
}

TEST(Connection, ASimultaneousOpenTakesTheAcksDataToo) {
  auto f = ConnectionFixture::In(TcpState::kSynReceived);
  f->Say(kAck, "data");
  EXPECT_EQ(f->connection().state(), TcpState::kEstablished);
  EXPECT_EQ(f->Read(), "data");
}

TEST(Connection, AnUnansweredSynAckIsRetriedFiveTimes) {
  auto f = ConnectionFixture::In(TcpState::kSynReceived);
  int syn_acks = 1;
  while (!f->connection().NextDeadline().IsNever()) {
    f->Advance(f->connection().NextDeadline() - f->now());
    syn_acks += static_cast<int>(f->Take().size());
  }
  EXPECT_EQ(syn_acks, 6);
  EXPECT_EQ(f->connection().error(), TcpError::kTimedOut);
}

// [fault C20] every segment comes back to the one that sent it
TEST(Connection, CanBeConnectedToItself) {
  SlabPool pool;
  const TcpConfig config;
  const Instant now;
  Connection self(TcpContext{&config, &pool}, PathFacts(), SocketSettings(),
                  {SeqNum(5), 0});
  const auto loop = [&] {
    int segments = 0;
    while (auto out = self.PollSend(now)) {
      self.OnSegment(Reflect(std::move(*out), now), now);
      if (++segments > 100) break;
    }
    return segments;
  };
  EXPECT_LT(loop(), 10);
  EXPECT_EQ(self.state(), TcpState::kEstablished);
  EXPECT_EQ(self.SendCopy(BytesOf("echo")), 4u);
  EXPECT_LT(loop(), 10);
  EXPECT_EQ(PayloadOf(self.Recv(100)), "echo");
}

TEST(Connection, WhatIsUnreadAfterTheEndIsCountedAsItIsRead) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Say(kAck, "unread");
  f->Say(kRst);
  EXPECT_EQ(f->connection().Info().readable_bytes, 6u);
  f->connection().Recv(4);
  EXPECT_EQ(f->connection().Info().readable_bytes, 2u);
}

// [fault X06, X07]
TEST(Connection, TwoThatDisagreeDoNotArgue) {
  FixtureOptions other;
  other.iss = SeqNum(90'000'000);
  other.irs = SeqNum(3'000'000'000);
  auto a = ConnectionFixture::In(TcpState::kEstablished);
  auto b = ConnectionFixture::In(TcpState::kEstablished, other);
  a->Write("x");
  int packets = 0;
  for (int turn = 0; turn < 10; ++turn) {
    for (OutSegment& out : a->Take()) {
      ++packets;
      b->Deliver(Reflect(std::move(out), b->now()));
    }
    for (OutSegment& out : b->Take()) {
      ++packets;
      a->Deliver(Reflect(std::move(out), a->now()));
    }
  }
  // The data, the ACK it is owed, and one answer to a pure ACK each.
  EXPECT_LE(packets, 4);
}

TEST(Connection, TheSegmentSizeFollowsThePath) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  const auto smss_on = [&f](uint16_t path_mss, PathMtuCause cause) {
    f->connection().OnPath({.path_mss = path_mss}, cause);
    return f->connection().Info().smss;
  };
  EXPECT_EQ(smss_on(500, PathMtuCause::kLinkChanged), 500u);
  EXPECT_EQ(smss_on(9'000, PathMtuCause::kLinkChanged), 1'000u);
  EXPECT_EQ(smss_on(500, PathMtuCause::kPacketTooBig), 500u);
  // [fault X12] never up
  EXPECT_EQ(smss_on(900, PathMtuCause::kPacketTooBig), 500u);
}

// [fault L02] a segment is no larger than the link cuts at present
TEST(Connection, SuperSegmentsFollowTheLink) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Say(kAck);  // its window is scaled now
  for (const uint32_t cuts : {3'000u, 0u, 2'000u}) {
    f->connection().OnPath({.max_gso_bytes = cuts}, PathMtuCause::kLinkChanged);
    f->Write(std::string(3'000, 'x'));
    EXPECT_EQ(f->Take()[0].payload.size(), std::max(1'000u, cuts));
    f->Say(kAck);
  }
}

// [fault L14] what the SYN has told the peer stays
TEST(Connection, ADialFollowsThePath) {
  ConnectionFixture f;
  f.connection().OnPath({.mss = 500, .path_mss = 500},
                        PathMtuCause::kLinkChanged);
  f.Advance(Duration::Seconds(1));
  EXPECT_EQ(f.Take()[0].options.mss, f.options().path.mss);
  f.Say(kSyn | kAck);
  EXPECT_EQ(f.connection().Info().smss, 500u);
}

TEST(Connection, ReadinessTellsTheStory) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  EXPECT_EQ(f->connection().readiness(),
            (Readiness{.writable = true, .connected = true}));
  f->Say(kAck, "x");
  EXPECT_TRUE(f->connection().readiness().readable);
  f->Read();
  EXPECT_FALSE(f->connection().readiness().readable);
  f->Say(TcpFlags::kFin | kAck);
  EXPECT_EQ(f->connection().readiness(), (Readiness{.readable = true,
                                                    .writable = true,
                                                    .connected = true,
                                                    .read_closed = true}));
  f->Say(kRst);
  EXPECT_EQ(f->connection().readiness(), (Readiness{.readable = true,
                                                    .writable = true,
                                                    .connected = true,
                                                    .read_closed = true,
                                                    .closed = true}));
}

TEST(Connection, ABufferThatShrinksLosesNothing) {
  ConnectionFixture f;
  f.Write("written ahead");
  SocketSettings small;
  small.send_buffer_bytes = 2;
  f.connection().SetSettings(small);
  f.Say(kSyn | kAck);
  const auto out = f.Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(PayloadOf(out[0].payload), "written ahead");
  EXPECT_EQ(f.connection().writable_bytes(), 0u);
}

TEST(Connection, EveryBlockComesBack) {
  for (int i = 0; i < kTcpStateCount; ++i) {
    const auto state = static_cast<TcpState>(i);
    SlabPool pool;
    auto f = ConnectionFixture::In(state);
    f->Write("x");
    f->connection().Abort(f->now());
    f->Take();
    EXPECT_EQ(f->pool().stats().live, 0u) << ToString(state);
  }
}

}  // namespace
}  // namespace tcpip::tcp
