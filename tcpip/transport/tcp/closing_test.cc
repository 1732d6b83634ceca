#include "tcpip/transport/tcp/closing.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tcpip/transport/tcp/connection.h"
#include "tcpip/transport/tcp/connection_fixture.h"

namespace tcpip::tcp {
namespace {

// The only segment that is left to send.
OutSegment Only(ConnectionFixture& f) {
  auto out = f.Take();
  EXPECT_EQ(out.size(), 1u);
  return out.empty() ? OutSegment() : std::move(out[0]);
}

// [RFC 9293 3.6] figure 12
TEST(Closing, ByUsFirst) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->connection().CloseWrite();
  EXPECT_EQ(f->connection().state(), TcpState::kFinWait1);
  EXPECT_EQ(ToString(Only(*f)), "F. 1001:1002 ack 50001");
  f->Say(kAck);
  EXPECT_EQ(f->connection().state(), TcpState::kFinWait2);
  f->Say(kFin | kAck);
  EXPECT_EQ(f->connection().state(), TcpState::kTimeWait);
  EXPECT_EQ(ToString(Only(*f)), ". 1002:1002 ack 50002");
  EXPECT_TRUE(f->connection().readiness().closed);
  EXPECT_EQ(f->connection().error(), TcpError::kNone);
}

TEST(Closing, ByThePeerFirst) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Say(kFin | kAck);
  EXPECT_EQ(f->connection().state(), TcpState::kCloseWait);
  EXPECT_EQ(ToString(Only(*f)), ". 1001:1001 ack 50002");
  EXPECT_TRUE(f->connection().readiness().read_closed);
  EXPECT_FALSE(f->connection().readiness().closed);
  f->connection().CloseWrite();
  EXPECT_EQ(f->connection().state(), TcpState::kLastAck);
  EXPECT_EQ(ToString(Only(*f)), "F. 1001:1002 ack 50002");
  f->Say(kAck);
  EXPECT_EQ(f->connection().state(), TcpState::kClosed);
  EXPECT_EQ(f->connection().error(), TcpError::kNone);
  EXPECT_TRUE(f->connection().NextDeadline().IsNever());
}

// [RFC 9293 3.6] figure 13
TEST(Closing, BothAtOnce) {
  auto f = ConnectionFixture::In(TcpState::kClosing);
  f->Say(kAck);
  EXPECT_EQ(f->connection().state(), TcpState::kTimeWait);
  EXPECT_TRUE(f->Take().empty());
}

TEST(Closing, FinAckedAndFinInOneSegmentSkipFinWait2) {
  auto f = ConnectionFixture::In(TcpState::kFinWait1);
  f->Say(kFin | kAck);
  EXPECT_EQ(f->connection().state(), TcpState::kTimeWait);
  EXPECT_EQ(ToString(Only(*f)), ". 1002:1002 ack 50002");
}

// [RFC 9293 3.6.1] what TIME-WAIT goes on with
TEST(Closing, TimeWaitKeepsTheNumbers) {
  FixtureOptions options;
  options.peer_options.timestamps = wire::TcpTimestamps{77, 0};
  auto f = ConnectionFixture::In(TcpState::kTimeWait, options);
  const TimeWaitFacts facts = f->connection().time_wait();
  EXPECT_EQ(facts.snd_nxt, SeqNum(1'002));
  EXPECT_EQ(facts.rcv_nxt, SeqNum(50'002));
  EXPECT_EQ(facts.ts_recent, 77u);
  EXPECT_EQ(facts.tsval_offset, 7'000u);
  EXPECT_EQ(facts.wnd << WindowScale(7), facts.rcv_wnd);
}

// [fault C12]
TEST(Closing, TheStateMovesBeforeTheFinCanLeave) {
  FixtureOptions options;
  options.peer_wnd = 0;
  auto f = ConnectionFixture::In(TcpState::kEstablished, options);
  f->Write(std::string(1'000, 'x'));
  f->connection().CloseWrite();
  EXPECT_EQ(f->connection().state(), TcpState::kFinWait1);
  EXPECT_TRUE(f->Take().empty());
  Segment update = f->FromPeer(kAck);
  update.wnd = WireWindow(100);
  f->Deliver(std::move(update));
  const auto out = f->Take();
  ASSERT_FALSE(out.empty());
  EXPECT_EQ(out[0].seq, SeqNum(1'001));
  EXPECT_TRUE(out.back().flags.fin());
}

// [fault C15]
TEST(Closing, AnAckJustBeforeTheFinLeavesTheFinAlone) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Write("abc");
  f->connection().CloseWrite();
  EXPECT_EQ(ToString(Only(*f)), "FP. 1001:1005 ack 50001");
  Segment ack = f->FromPeer(kAck);
  ack.ack = SeqNum(1'004);
  f->Deliver(std::move(ack));
  EXPECT_EQ(f->connection().state(), TcpState::kFinWait1);
  f->Advance(Duration::Seconds(3));
  EXPECT_EQ(ToString(Only(*f)), "F. 1004:1005 ack 50001");
}

// [RFC 9293 3.10.4] half-close: each direction ends by itself
TEST(Closing, AfterOurFinThePeerMayTalkOn) {
  auto f = ConnectionFixture::In(TcpState::kFinWait2);
  f->Say(kAck, "still here");
  EXPECT_EQ(f->Read(), "still here");
  EXPECT_EQ(f->connection().state(), TcpState::kFinWait2);
  EXPECT_EQ(f->Write("no"), 0u);
}

TEST(Closing, AfterThePeersFinWeMayTalkOn) {
  auto f = ConnectionFixture::In(TcpState::kCloseWait);
  EXPECT_EQ(f->Write("answer"), 6u);
  EXPECT_EQ(PayloadOf(Only(*f).payload), "answer");
}

// [fault C16]
TEST(Closing, AnOrphansFinWait2EndsAfterAMinute) {
  auto f = ConnectionFixture::In(TcpState::kFinWait2);
  f->connection().Close(f->now());
  f->Advance(Duration::Seconds(59));
  EXPECT_EQ(f->connection().state(), TcpState::kFinWait2);
  f->Advance(Duration::Seconds(1));
  EXPECT_EQ(f->connection().state(), TcpState::kClosed);
}

TEST(Closing, AnOrphanThatReachesFinWait2LaterEndsToo) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->connection().Close(f->now());
  f->Take();
  f->Say(kAck);
  EXPECT_EQ(f->connection().state(), TcpState::kFinWait2);
  f->Advance(Duration::Seconds(60));
  EXPECT_EQ(f->connection().state(), TcpState::kClosed);
}

// [fault C16] the other half of the row
TEST(Closing, FinWait2WithAReaderWaitsForEver) {
  auto f = ConnectionFixture::In(TcpState::kFinWait2);
  f->Advance(Duration::Seconds(1'000'000));
  EXPECT_EQ(f->connection().state(), TcpState::kFinWait2);
  f->Say(kAck, "late");
  EXPECT_EQ(f->Read(), "late");
}

// [RFC 2525 2.17] [RFC 9293 3.6.1]
TEST(Closing, CloseWithUnreadDataResets) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Say(kAck, "unread");
  f->Take();
  f->connection().Close(f->now());
  EXPECT_EQ(f->connection().state(), TcpState::kClosed);
  EXPECT_EQ(f->connection().readable_bytes(), 0u);
  EXPECT_EQ(ToString(Only(*f)), "R. 1001:1001 ack 50007");
}

TEST(Closing, DataAfterCloseResets) {
  auto f = ConnectionFixture::In(TcpState::kFinWait2);
  f->connection().Close(f->now());
  f->Say(kAck, "anybody?");
  EXPECT_EQ(f->connection().state(), TcpState::kClosed);
  EXPECT_EQ(ToString(Only(*f)), "R 1002:1002");
}

TEST(Closing, ARepetitionAfterCloseDoesNotReset) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Say(kAck, "read me");
  f->Read();
  f->connection().Close(f->now());
  f->Take();
  Segment again = f->FromPeer(kAck, "read me");
  again.seq = again.seq - 7;
  f->Deliver(std::move(again));
  EXPECT_EQ(f->connection().state(), TcpState::kFinWait1);
}

// [RFC 9293 3.10.5]
TEST(Closing, AbortSendsRstAndEndsAtOnce) {
  for (const TcpState state :
       {TcpState::kSynReceived, TcpState::kEstablished, TcpState::kFinWait1,
        TcpState::kFinWait2, TcpState::kCloseWait}) {
    auto f = ConnectionFixture::In(state);
    f->connection().Abort(f->now());
    EXPECT_EQ(f->connection().state(), TcpState::kClosed);
    EXPECT_EQ(f->connection().error(), TcpError::kAborted);
    const OutSegment reset = Only(*f);
    EXPECT_TRUE(reset.flags.rst()) << ToString(state);
    EXPECT_EQ(reset.seq, f->our_nxt) << ToString(state);
  }
}

TEST(Closing, AbortInSynSentSaysNothing) {
  auto f = ConnectionFixture::In(TcpState::kSynSent);
  f->connection().Abort(f->now());
  EXPECT_EQ(f->connection().state(), TcpState::kClosed);
  EXPECT_TRUE(f->Take().empty());
}

TEST(Closing, WhatWasNotReadOutlivesTheConnection) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Say(kFin | kAck, "last words");
  f->connection().CloseWrite();
  f->Take();
  f->Say(kAck);
  EXPECT_EQ(f->connection().state(), TcpState::kClosed);
  EXPECT_TRUE(f->connection().readiness().readable);
  EXPECT_EQ(f->Read(), "last words");
  EXPECT_EQ(f->connection().Info().octets_in, 10u);
}

// As in Linux: what came before the RST can be read, then the error shows.
TEST(Closing, WhatCameBeforeARstCanBeRead) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Say(kAck, "before");
  f->Say(kRst);
  EXPECT_EQ(f->connection().error(), TcpError::kReset);
  EXPECT_EQ(f->Read(), "before");
  EXPECT_TRUE(f->connection().readiness().writable);
}

}  // namespace
}  // namespace tcpip::tcp
