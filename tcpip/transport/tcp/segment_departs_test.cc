#include "tcpip/transport/tcp/segment_departs.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tcpip/transport/tcp/connection.h"
#include "tcpip/transport/tcp/connection_fixture.h"

namespace tcpip::tcp {
namespace {

void LeaveAHole(ConnectionFixture& f) {
  Segment ahead = f.FromPeer(kAck, "ahead");
  ahead.seq += 10;
  f.Deliver(std::move(ahead));
}

// [RFC 9293 3.10.7.4 MUST-58]
TEST(SegmentDeparts, AnAckRidesOnData) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Say(kAck, "question");
  f->Write("answer");
  const auto out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(ToString(out[0]), "P. 1001:1007 ack 50009");
}

TEST(SegmentDeparts, NothingLeavesWithoutAReason) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Say(kAck);
  EXPECT_TRUE(f->Take().empty());
}

// [fault C05]
// [RFC 9293 3.2 MUST-65]
TEST(SegmentDeparts, EverySegmentHasAck) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Write(std::string(3'500, 'x'));
  f->connection().CloseWrite();
  for (const OutSegment& seg : f->Take()) {
    EXPECT_TRUE(seg.flags.ack());
    EXPECT_EQ(seg.ack, SeqNum(50'001));
    EXPECT_EQ(seg.options.mss, std::nullopt);
  }
}

// [RFC 2018 3]: news about a hole leaves even where data fills every segment
TEST(SegmentDeparts, SackBlocksTravelAheadOfFullSegments) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  LeaveAHole(*f);
  f->Write(std::string(1'000, 'x'));
  const auto out = f->Take();
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(ToString(out[0]), ". 1001:1001 ack 50001");
  EXPECT_EQ(out[0].options.sack_block_count, 1);
  EXPECT_EQ(out[0].options.sack_blocks[0], (wire::SackBlock{50'011, 50'016}));
  // [RFC 9293 3.7.1 MUST-16] a full segment has no room for options
  EXPECT_EQ(out[1].payload.size(), 1'000u);
  EXPECT_EQ(out[1].options.sack_block_count, 0);
}

TEST(SegmentDeparts, AShortSegmentCarriesSackBlocksItself) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  LeaveAHole(*f);
  f->Take();
  f->Write("short");
  const auto out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].options.sack_block_count, 1);
}

TEST(SegmentDeparts, TimestampsTickAndEcho) {
  FixtureOptions options;
  options.peer_options.timestamps = wire::TcpTimestamps{500, 0};
  auto f = ConnectionFixture::In(TcpState::kEstablished, options);
  f->Advance(Duration::Milliseconds(25));
  f->Write("x");
  const auto out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].options.timestamps,
            (wire::TcpTimestamps{100'025 + 7'000, 500}));
  // [RFC 9293 3.7.1 MUST-16] they come out of the segment size
  EXPECT_EQ(f->connection().Info().smss, 988u);
}

FixtureOptions WithEcn() {
  FixtureOptions options;
  options.config.ecn = EcnMode::kActive;
  options.peer_wnd = 60'000;
  return options;
}

// [RFC 3168 6.1.2, 6.1.4, 6.1.5]
TEST(SegmentDeparts, NewDataAndNothingElseMayBeMarked) {
  auto f = ConnectionFixture::In(TcpState::kEstablished, WithEcn());
  f->Write("data");
  auto out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(out[0].ect);
  f->Advance(Duration::Seconds(3));
  out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(out[0].retransmission);
  EXPECT_FALSE(out[0].ect);
  f->Say(kAck, "theirs");
  out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_TRUE(out[0].payload.empty());
  EXPECT_FALSE(out[0].ect);
}

TEST(SegmentDeparts, WithoutEcnNothingMayBeMarked) {
  auto f = ConnectionFixture::In(TcpState::kEstablished);
  f->Write("data");
  EXPECT_FALSE(f->Take().at(0).ect);
}

// [RFC 3168 6.1.3]
TEST(SegmentDeparts, AMarkIsEchoedAtOnceAndUntilCwr) {
  auto f = ConnectionFixture::In(TcpState::kEstablished, WithEcn());
  const auto say = [&f](int flags, bool marked) {
    Segment seg = f->FromPeer(kAck | flags, "x");
    seg.congestion_experienced = marked;
    f->Deliver(std::move(seg));
    f->peer_nxt += 1;
    f->Advance(Duration::Milliseconds(50));
    std::string said;
    for (const OutSegment& out : f->Take()) said += out.flags.ToString() + " ";
    return said;
  };
  EXPECT_EQ(say(0, false), ". ");
  EXPECT_EQ(say(0, true), "E. ");
  EXPECT_EQ(say(0, false), "E. ");
  f->Write("data");
  EXPECT_EQ(f->Take().at(0).flags.ToString(), "PE.");
  EXPECT_EQ(say(TcpFlags::kCwr, false), ". ");
  EXPECT_EQ(f->connection().Info().marked_in, 1u);
}

TEST(SegmentDeparts, ASuperSegmentCountsAsItsPieces) {
  FixtureOptions options;
  options.path.max_gso_bytes = 64'000;
  options.peer_wnd = 60'000;
  auto f = ConnectionFixture::In(TcpState::kEstablished, options);
  const uint64_t before = f->connection().Info().segs_out;
  f->Write(std::string(3'000, 'x'));
  const auto out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].payload.size(), 3'000u);
  EXPECT_EQ(out[0].gso_size, 1'000u);
  EXPECT_EQ(f->connection().Info().segs_out - before, 3u);
}

// A reader that makes room says so. [req A-15]
TEST(SegmentDeparts, ReadingAFullBufferSendsAWindowUpdate) {
  FixtureOptions options;
  options.settings.receive_buffer_bytes = 4'000;
  auto f = ConnectionFixture::In(TcpState::kEstablished, options);
  for (int i = 0; i < 4; ++i) f->Say(kAck, std::string(1'000, 'x'));
  auto out = f->Take();
  ASSERT_FALSE(out.empty());
  EXPECT_EQ(out.back().wnd, WireWindow(0));
  f->Read();
  out = f->Take();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_GE((out[0].wnd << WindowScale(0)).bytes(), 2'000u);
}

}  // namespace
}  // namespace tcpip::tcp
