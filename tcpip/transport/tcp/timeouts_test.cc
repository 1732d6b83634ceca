#include "tcpip/transport/tcp/timeouts.h"

#include <string>

#include "gtest/gtest.h"
#include "tcpip/transport/tcp/connection.h"
#include "tcpip/transport/tcp/connection_fixture.h"

namespace tcpip::tcp {
namespace {

constexpr int kAck = TcpFlags::kAck;

// Runs timers and takes what they send, until nothing is armed.
std::vector<OutSegment> RunOut(ConnectionFixture& f, Duration limit) {
  std::vector<OutSegment> all;
  const Instant until = f.now() + limit;
  while (f.connection().NextDeadline() <= until) {
    f.Advance(f.connection().NextDeadline() - f.now());
    for (OutSegment& seg : f.Take()) all.push_back(std::move(seg));
  }
  return all;
}

// [RFC 9293 3.8.3 MUST-20]
TEST(Timeouts, DataThatNobodyAnswersIsGivenUp) {
  FixtureOptions options;
  options.config.data_retries = 3;
  auto f = ConnectionFixture::In(TcpState::kEstablished, options);
  f->Write("hello");
  f->Take();
  const auto sent = RunOut(*f, Duration::Seconds(3600));
  EXPECT_GE(sent.size(), 3u);
  EXPECT_EQ(f->connection().state(), TcpState::kClosed);
  EXPECT_EQ(f->connection().error(), TcpError::kTimedOut);
}

// [RFC 9293 3.9.1] whatever the retries would allow
// [RFC 9293 3.8.3 MUST-21]
TEST(Timeouts, TheUserTimeoutEndsTheWaitForAnAnswer) {
  FixtureOptions options;
  options.settings.user_timeout = Duration::Seconds(10);
  auto f = ConnectionFixture::In(TcpState::kEstablished, options);
  f->Advance(Duration::Seconds(60));  // idle time does not count
  f->Write("hello");
  f->Take();
  const Instant start = f->now();
  RunOut(*f, Duration::Milliseconds(9999));
  EXPECT_EQ(f->connection().state(), TcpState::kEstablished);
  RunOut(*f, Duration::Seconds(60));
  EXPECT_EQ(f->connection().state(), TcpState::kClosed);
  EXPECT_EQ(f->connection().error(), TcpError::kTimedOut);
  EXPECT_EQ(f->now() - start, Duration::Seconds(10));
}

// FIN is sequence space: the same timer, the same limit.
TEST(Timeouts, AFinThatNobodyAnswersIsGivenUp) {
  FixtureOptions options;
  options.config.data_retries = 3;
  auto f = ConnectionFixture::In(TcpState::kLastAck, options);
  RunOut(*f, Duration::Seconds(3600));
  EXPECT_EQ(f->connection().state(), TcpState::kClosed);
  EXPECT_EQ(f->connection().error(), TcpError::kTimedOut);
}

// [req A-33] although the short segment before it is not acknowledged
// [RFC 9293 3.9.1.2 MUST-60]
TEST(Timeouts, AHeldWriteLeavesWhenItsTimeHasCome) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Write("short");
  f->Take();
  f->Write("held");
  EXPECT_TRUE(f->Take().empty());
  f->Advance(f->options().config.hold_limit);
  const auto out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(PayloadOf(out[0].payload), "held");
}

TEST(Timeouts, TheDelayedAckLeavesWhenItsTimeHasCome) {
  FixtureOptions options;
  options.config.quick_ack_segments = 0;
  auto f = ConnectionFixture::In(TcpState::kEstablished, options);
  f->Say(kAck, "x");
  EXPECT_TRUE(f->Take().empty());
  f->Advance(options.config.delayed_ack);
  EXPECT_EQ(f->Take().size(), 1u);
}

FixtureOptions WithKeepalive() {
  FixtureOptions options;
  options.settings.keepalive = true;
  options.settings.keepalive_idle = Duration::Seconds(60);
  options.settings.keepalive_interval = Duration::Seconds(10);
  options.settings.keepalive_count = 3;
  return options;
}

// [RFC 9293 3.8.4] SEG.SEQ = SND.NXT-1, and the true window
TEST(Timeouts, AKeepaliveProbeIsBelowTheWindowAndHonest) {
  auto f = ConnectionFixture::In(TcpState::kEstablished, WithKeepalive());
  f->Advance(Duration::Seconds(60));
  const auto out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(ToString(out[0]), ". 1000:1000 ack 50001");
  EXPECT_GT(out[0].wnd.field(), 0);
}

TEST(Timeouts, AnAnsweredProbeIsNotCounted) {
  auto f = ConnectionFixture::In(TcpState::kEstablished, WithKeepalive());
  for (int i = 0; i < 10; ++i) {
    f->Advance(Duration::Seconds(60));
    ASSERT_EQ(f->Take().size(), 1u) << i;
    f->Say(kAck);
  }
  EXPECT_EQ(f->connection().state(), TcpState::kEstablished);
}

TEST(Timeouts, ASilentPeerIsResetAfterTheCount) {
  auto f = ConnectionFixture::In(TcpState::kEstablished, WithKeepalive());
  const auto out = RunOut(*f, Duration::Seconds(3600));
  ASSERT_EQ(out.size(), 4u);
  EXPECT_TRUE(out[3].flags.rst());
  EXPECT_EQ(f->connection().error(), TcpError::kTimedOut);
  EXPECT_EQ(f->now() - Instant::FromNanoseconds(0),
            Duration::Seconds(100 + 60 + 30));
}

// [fault C26] nothing inside ends an idle connection
TEST(Timeouts, AnIdleConnectionLivesForEver) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  EXPECT_TRUE(f->connection().NextDeadline().IsNever());
  f->Advance(Duration::Seconds(100 * 24 * 3600));
  f->Say(kAck, "hello again");
  EXPECT_EQ(f->Read(), "hello again");
}

// [RFC 9293 3.8.4 MUST-24] and off again
TEST(Timeouts, KeepaliveCanBeTurnedOnLater) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->connection().SetSettings(WithKeepalive().settings);
  EXPECT_EQ(f->connection().NextDeadline(), f->now() + Duration::Seconds(60));
  f->connection().SetSettings(SocketSettings());
  EXPECT_TRUE(f->connection().NextDeadline().IsNever());
}

}  // namespace
}  // namespace tcpip::tcp
