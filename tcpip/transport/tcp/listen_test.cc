#include "tcpip/transport/tcp/listen.h"

#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/transport/tcp/connection_fixture.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {
namespace {

constexpr uint32_t kIss = 100;
constexpr uint32_t kIrs = 900;

FourTuple Client(uint16_t port) {
  return {{IpAddress::Ipv4(192, 0, 2, 1), 80},
          {IpAddress::Ipv4(192, 0, 2, 2), port}};
}

class Listen : public testing::Test {
 protected:
  explicit Listen(uint32_t backlog = 8) { Restart(backlog); }

  void Restart(uint32_t backlog) {
    listener_.emplace(TcpContext{&config_, &pool_}, SocketSettings(), backlog);
  }

  Segment Seg(uint32_t seq, int flags, uint32_t ack = kIss + 1,
              std::string_view payload = {}) {
    Segment seg;
    seg.seq = SeqNum(seq);
    seg.flags = TcpFlags(flags);
    if (seg.flags.ack()) seg.ack = SeqNum(ack);
    seg.wnd = WireWindow(1'000);
    seg.ingress = now_;
    if (seg.flags.syn()) seg.options.mss = 1'000;
    seg.payload.AppendCopy(
        pool_,
        {reinterpret_cast<const uint8_t*>(payload.data()), payload.size()});
    return seg;
  }
  ListenVerdict Arrives(uint16_t port, Segment seg) {
    return listener_->OnSegment(Client(port), std::move(seg), PathFacts(),
                                {SeqNum(kIss), 0}, now_);
  }
  ListenVerdict SynFrom(uint16_t port) {
    return Arrives(port, Seg(kIrs, kSyn));
  }
  ListenVerdict FinalAckFrom(uint16_t port, std::string_view payload = {}) {
    return Arrives(port, Seg(kIrs + 1, kAck, kIss + 1, payload));
  }
  std::vector<TupleSegment> Expire(Instant now) {
    now_ = now;
    listener_->OnTimer(now);
    std::vector<TupleSegment> out;
    while (auto seg = listener_->PollSend(now)) out.push_back(std::move(*seg));
    return out;
  }

  TcpConfig config_;
  SlabPool pool_;
  Instant now_ = At(0);
  std::optional<Listener> listener_;
};

TEST_F(Listen, ThreeSegmentsMakeAConnection) {
  auto v = SynFrom(1);
  ASSERT_TRUE(v.reply.has_value());
  EXPECT_EQ(v.reply->flags, TcpFlags(kSyn | kAck));
  EXPECT_EQ(v.reply->seq, SeqNum(kIss));
  EXPECT_EQ(v.reply->ack, SeqNum(kIrs + 1));
  EXPECT_EQ(listener_->half_open(), 1u);
  EXPECT_EQ(v.established, nullptr);

  v = FinalAckFrom(1);
  ASSERT_NE(v.established, nullptr);
  EXPECT_EQ(v.established->state(), TcpState::kEstablished);
  EXPECT_EQ(listener_->half_open(), 0u);
  EXPECT_TRUE(listener_->NextDeadline().IsNever());
}

TEST_F(Listen, TheFinalAcksDataAndFinAreTakenAtOnce) {
  SynFrom(1);
  const auto v =
      Arrives(1, Seg(kIrs + 1, kAck | kFin, kIss + 1, "GET / HTTP/1.0"));
  ASSERT_NE(v.established, nullptr);
  EXPECT_EQ(v.established->readable_bytes(), 14u);
  EXPECT_EQ(v.established->state(), TcpState::kCloseWait);
  const auto ack = v.established->PollSend(now_);
  ASSERT_TRUE(ack.has_value());
  EXPECT_EQ(ack->ack, SeqNum(kIrs + 1 + 14 + 1));
}

TEST_F(Listen, AcceptHandsOutHandlesInOrder) {
  listener_->Enqueue(7);
  listener_->Enqueue(8);
  listener_->Enqueue(9);
  listener_->Forget(8);
  EXPECT_EQ(listener_->accept_queue_length(), 2u);
  EXPECT_EQ(listener_->Accept(), 7u);
  EXPECT_EQ(listener_->Accept(), 9u);
  EXPECT_EQ(listener_->Accept(), std::nullopt);
}

// [RFC 9293 3.10.7.2] [fault C17]
TEST_F(Listen, InListenOnlyASynIsWelcome) {
  auto v = Arrives(1, Seg(5, kRst));
  EXPECT_EQ(v.drop, ListenDrop::kNotForListen);
  EXPECT_FALSE(v.reply.has_value());
  v = Arrives(1, Seg(5, kAck, 77));
  ASSERT_TRUE(v.reply.has_value());
  EXPECT_EQ(v.reply->flags, TcpFlags(kRst));
  EXPECT_EQ(v.reply->seq, SeqNum(77));
  v = Arrives(1, Seg(5, kSyn | kAck, 77));
  EXPECT_EQ(v.reply->flags, TcpFlags(kRst));
  EXPECT_EQ(Arrives(1, Seg(5, kFin)).drop, ListenDrop::kNotForListen);
  EXPECT_EQ(Arrives(1, Seg(5, 0)).drop, ListenDrop::kNotForListen);
  EXPECT_EQ(listener_->half_open(), 0u);
}

// [fault C01]
TEST_F(Listen, FlagsBesideSynMeanNothing) {
  config_.ecn = EcnMode::kOff;
  uint16_t port = 1;
  for (const int extra : {TcpFlags::kEce | TcpFlags::kCwr, 0 | TcpFlags::kPsh,
                          0 | TcpFlags::kUrg, 0 | TcpFlags::kFin}) {
    const auto v = Arrives(port++, Seg(kIrs, kSyn | extra, 0, "early"));
    ASSERT_TRUE(v.reply.has_value()) << extra;
    EXPECT_EQ(v.reply->flags, TcpFlags(kSyn | kAck)) << extra;
    EXPECT_EQ(v.reply->ack, SeqNum(kIrs + 1)) << extra;
  }
}

// [fault C06]
TEST_F(Listen, ARepeatedSynDrawsTheSameSynAck) {
  SynFrom(1);
  const auto v = listener_->OnSegment(Client(1), Seg(kIrs, kSyn), PathFacts(),
                                      {SeqNum(kIss + 5'000), 0}, At(10));
  ASSERT_TRUE(v.reply.has_value());
  EXPECT_EQ(v.reply->seq, SeqNum(kIss));
  EXPECT_EQ(listener_->half_open(), 1u);
  EXPECT_EQ(listener_->NextDeadline(), At(1'000));
}

TEST_F(Listen, ABadFinalAckDrawsRstAndTheHandshakeGoesOn) {
  SynFrom(1);
  const auto v = Arrives(1, Seg(kIrs + 1, kAck, kIss + 9));
  ASSERT_TRUE(v.reply.has_value());
  EXPECT_EQ(v.reply->flags, TcpFlags(kRst));
  EXPECT_EQ(v.reply->seq, SeqNum(kIss + 9));
  EXPECT_NE(FinalAckFrom(1).established, nullptr);
}

// [RFC 9293 3.10.7.4, RFC 5961 3.2] [fault X03]
// [RFC 9293 3.5 MUST-11]
TEST_F(Listen, OnlyTheExactRstRemovesAHalfOpenEntry) {
  SynFrom(1);
  Arrives(1, Seg(kIrs, kRst));
  EXPECT_EQ(listener_->half_open(), 1u);
  EXPECT_TRUE(Arrives(1, Seg(kIrs + 2, kRst)).reply.has_value());
  EXPECT_EQ(listener_->half_open(), 1u);
  EXPECT_FALSE(Arrives(1, Seg(kIrs + 1, kRst)).reply.has_value());
  EXPECT_EQ(listener_->half_open(), 0u);
}

TEST_F(Listen, ANewSynInTheWindowReturnsToListen) {
  SynFrom(1);
  Arrives(1, Seg(kIrs + 50, kSyn));
  EXPECT_EQ(listener_->half_open(), 0u);
  EXPECT_TRUE(Arrives(1, Seg(kIrs + 50, kSyn)).reply.has_value());
}

// [fault C27] [fault X02]: 5 retries, gone after 63 s
TEST_F(Listen, AHalfOpenEntryIsRetriedAndThenForgotten) {
  SynFrom(1);
  for (const int64_t s : {1, 3, 7, 15, 31}) {
    EXPECT_EQ(listener_->NextDeadline(), At(s * 1'000));
    const auto out = Expire(listener_->NextDeadline());
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].tuple, Client(1));
    EXPECT_EQ(out[0].segment.flags, TcpFlags(kSyn | kAck));
  }
  EXPECT_EQ(listener_->NextDeadline(), At(63'000));
  EXPECT_TRUE(Expire(At(63'000)).empty());
  EXPECT_EQ(listener_->half_open(), 0u);
  EXPECT_TRUE(listener_->NextDeadline().IsNever());
}

struct RetryCase {
  uint8_t retries;
  int half_open;
  int want_sent;  // retransmissions of all, until all are forgotten
};

// [fault X30] as set; fewer while more than half of the room is taken
TEST_F(Listen, SynAcksAreRetriedAsOftenAsIsSet) {
  constexpr RetryCase kCases[] = {
      {0, 1, 0},
      {1, 1, 1},
      {5, 1, 5},
      {5, 4, 20},  // half of the room
      // Five are tried twice; when the first is forgotten four are left, and
      // these go on.
      {5, 5, 5 * 2 + 4 * 3},
      {1, 5, 5},  // never more than is set
  };
  for (const RetryCase& c : kCases) {
    config_.synack_retries = c.retries;
    config_.max_half_open = 8;
    now_ = At(0);
    Restart(8);
    for (int i = 1; i <= c.half_open; ++i) SynFrom(static_cast<uint16_t>(i));
    int sent = 0;
    while (!listener_->NextDeadline().IsNever()) {
      sent += static_cast<int>(Expire(listener_->NextDeadline()).size());
    }
    EXPECT_EQ(sent, c.want_sent) << int{c.retries} << " of " << c.half_open;
    EXPECT_EQ(listener_->half_open(), 0u);
  }
}

TEST_F(Listen, EntriesExpireInTheOrderOfTheirDeadlines) {
  SynFrom(1);
  now_ = At(500);
  SynFrom(2);
  const auto first = Expire(At(1'000));
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].tuple, Client(1));
  EXPECT_EQ(listener_->NextDeadline(), At(1'500));
  const auto second = Expire(At(1'500));
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].tuple, Client(2));
}

TEST_F(Listen, AnAckBetweenTimerAndPollEndsTheRetries) {
  SynFrom(1);
  now_ = At(1'000);
  listener_->OnTimer(now_);
  EXPECT_NE(FinalAckFrom(1).established, nullptr);
  EXPECT_FALSE(listener_->PollSend(now_).has_value());
}

TEST_F(Listen, BeyondTheCapSynsAreDropped) {
  config_.max_half_open = 2;
  Restart(8);
  SynFrom(1);
  SynFrom(2);
  EXPECT_EQ(SynFrom(3).drop, ListenDrop::kTooManyHalfOpen);
  EXPECT_EQ(listener_->half_open(), 2u);
  Arrives(1, Seg(kIrs + 1, kRst));
  EXPECT_EQ(SynFrom(3).drop, ListenDrop::kNone);
}

// [fault C10]: a backlog of 1 lets two wait
TEST_F(Listen, AFullQueueDropsSynsAndFinalAcksUntilAccept) {
  Restart(1);
  for (const uint16_t port : {1, 2, 3}) SynFrom(port);
  for (const uint16_t port : {1, 2}) {
    ASSERT_NE(FinalAckFrom(port).established, nullptr);
    listener_->Enqueue(port);
  }
  EXPECT_FALSE(listener_->HasRoom());
  // The third has its SYN-ACK; its ACK is dropped, and so is a new SYN.
  auto v = FinalAckFrom(3, "hello");
  EXPECT_EQ(v.drop, ListenDrop::kQueueFull);
  EXPECT_EQ(v.established, nullptr);
  EXPECT_EQ(SynFrom(4).drop, ListenDrop::kQueueFull);
  EXPECT_EQ(listener_->half_open(), 1u);
  // The SYN-ACK leaves again; after accept() its answer is good.
  EXPECT_EQ(Expire(At(1'000)).size(), 1u);
  EXPECT_EQ(listener_->Accept(), 1u);
  v = FinalAckFrom(3, "hello");
  ASSERT_NE(v.established, nullptr);
  EXPECT_EQ(v.established->readable_bytes(), 5u);
}

// [RFC 6298 5.7] and Karn's rule reach the connection
TEST_F(Listen, TheHandshakeGivesTheFirstRttSample) {
  SynFrom(1);
  now_ = At(80);
  EXPECT_EQ(FinalAckFrom(1).established->Info().srtt,
            Duration::Milliseconds(80));
  SynFrom(2);
  Expire(At(1'080));
  now_ = At(1'100);
  EXPECT_EQ(FinalAckFrom(2).established->Info().srtt, Duration::Zero());
}

}  // namespace
}  // namespace tcpip::tcp
