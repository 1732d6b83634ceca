#include "tcpip/transport/tcp/tcb.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

const Instant kNow = Instant::FromNanoseconds(0) + Duration::Seconds(5);

Handshake Finished() {
  Handshake h;
  h.ours = MakeOffer(SocketSettings(), PathFacts(), {SeqNum(10), 100});
  h.theirs.irs = SeqNum(700);
  h.theirs.wnd = WireWindow(2'000);
  h.theirs.options.mss = 1'400;
  h.theirs.options.window_scale = 3;
  h.theirs.options.timestamps = wire::TcpTimestamps{44, 0};
  h.snd_wnd = WindowSize(2'000);
  h.snd_wl1 = SeqNum(700);
  h.snd_wl2 = SeqNum(11);
  h.opened = kNow - Duration::Milliseconds(20);
  h.rtt = Duration::Milliseconds(20);
  return h;
}

TEST(Tcb, StartsWhereTheHandshakeEnded) {
  const TcpConfig config;
  const Tcb tcb(config, SocketSettings(), Finished(), kNow);
  const Bounds bounds = tcb.bounds();
  EXPECT_EQ(bounds.rcv_nxt, SeqNum(701));
  EXPECT_EQ(bounds.rcv_wnd, WindowSize(65'535));
  EXPECT_EQ(bounds.snd_una, SeqNum(11));
  EXPECT_EQ(bounds.snd_max, SeqNum(11));
  EXPECT_EQ(bounds.max_snd_wnd, WindowSize(2'000));
  EXPECT_EQ(tcb.negotiated.smss, 1'388u);
  EXPECT_EQ(tcb.state, TcpState::kEstablished);
  EXPECT_TRUE(tcb.timers.NextDeadline().IsNever());
  CheckInvariants(tcb);
}

// [RFC 7323 3.2] the SYN's timestamp is the first to echo
TEST(Tcb, EchoesTheSynsTimestamp) {
  const TcpConfig config;
  const Tcb tcb(config, SocketSettings(), Finished(), kNow);
  EXPECT_EQ(tcb.TimestampsAt(kNow), (wire::TcpTimestamps{5'100, 44}));
}

TEST(Tcb, WithoutAgreementThereAreNoTimestamps) {
  TcpConfig config;
  config.timestamps = false;
  const Tcb tcb(config, SocketSettings(), Finished(), kNow);
  EXPECT_FALSE(tcb.TimestampsAt(kNow).has_value());
  EXPECT_EQ(tcb.negotiated.smss, 1'400u);
}

TEST(Tcb, TheSnapshotNamesWhatWasAgreed) {
  const TcpConfig config;
  const Tcb tcb(config, SocketSettings(), Finished(), kNow);
  const TcpInfo info = InfoOf(tcb);
  EXPECT_EQ(info.state, TcpState::kEstablished);
  EXPECT_EQ(info.snd_scale, 3);
  EXPECT_EQ(info.rcv_scale, 7);
  EXPECT_TRUE(info.timestamps);
  EXPECT_FALSE(info.sack);
  EXPECT_EQ(info.srtt, Duration::Milliseconds(20));
  EXPECT_EQ(info.pinned_bytes, 0u);
}

// An idle connection must be cheap.
// Most of what an idle connection costs: see bench/idle_connections.
TEST(Tcb, IsSmall) { EXPECT_LE(sizeof(Tcb), 688u); }

}  // namespace
}  // namespace tcpip::tcp
