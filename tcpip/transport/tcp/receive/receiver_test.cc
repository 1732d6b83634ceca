#include "tcpip/transport/tcp/receive/receiver.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/rng.h"
#include "tcpip/buffer/view.h"

namespace tcpip::tcp {
namespace {

constexpr uint32_t kMss = 1000;
constexpr uint32_t kIss[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};

using Blocks = std::vector<std::pair<uint32_t, uint32_t>>;

uint8_t ByteAt(uint32_t offset) {
  return static_cast<uint8_t>((offset * 2654435761u) >> 24);
}

std::vector<uint8_t> StreamBytes(uint32_t offset, uint32_t size) {
  std::vector<uint8_t> bytes(size);
  for (uint32_t i = 0; i < size; ++i) bytes[i] = ByteAt(offset + i);
  return bytes;
}

std::vector<uint8_t> Bytes(const ViewChain& chain) {
  std::vector<uint8_t> bytes(chain.size());
  chain.CopyTo(bytes);
  return bytes;
}

// A receiver in ESTABLISHED with a peer that speaks in offsets from IRS + 1.
class Established {
 public:
  struct Options {
    uint32_t irs = 0;
    uint32_t buffer = 64'000;
    uint8_t scale = 0;
    uint32_t quick_acks = 0;
  };

  explicit Established(const Options& options)
      : start_(SeqNum(options.irs) + 1), scale_(options.scale) {
    config_.quick_ack_segments = options.quick_acks;
    Negotiated negotiated;
    negotiated.rmss = kMss;
    negotiated.rcv_scale = scale_;
    negotiated.sack = negotiated.timestamps = true;
    receiver_ = std::make_unique<Receiver>(config_, negotiated, start_,
                                           std::min(options.buffer, 64'000u),
                                           options.buffer);
    if (options.buffer > 64'000) Ack();
  }

  Receiver* operator->() { return receiver_.get(); }
  SlabPool& pool() { return pool_; }
  Timers& timers() { return timers_; }
  SeqNum Seq(uint32_t offset) const { return start_ + offset; }
  uint32_t rcv_nxt() const {
    return static_cast<uint32_t>(receiver_->rcv_nxt() - start_);
  }

  Segment MakeSegment(uint32_t offset, ByteSpan bytes, bool fin = false) {
    Segment seg;
    seg.seq = Seq(offset);
    seg.flags = TcpFlags(TcpFlags::kAck | (fin ? int{TcpFlags::kFin} : 0));
    if (bytes.size() > kMss) seg.gso_size = kMss;
    for (size_t at = 0; at < bytes.size(); at += 32'768) {
      seg.payload.Append(View::Copy(
          pool_,
          bytes.subspan(at, std::min<size_t>(32'768, bytes.size() - at))));
    }
    return seg;
  }
  ReceiveOutcome Arrive(Segment seg) {
    return receiver_->OnSegment(seg, pool_, timers_, now_);
  }
  // `size` bytes of the peer's stream.
  ReceiveOutcome Data(uint32_t offset, uint32_t size, bool fin = false) {
    return Arrive(MakeSegment(offset, StreamBytes(offset, size), fin));
  }
  ReceiveOutcome Fin(uint32_t offset) { return Data(offset, 0, true); }

  struct Sent {
    uint32_t ack;
    uint32_t window;  // bytes
    Blocks sack;      // offsets
  };
  // A segment leaves.
  Sent Ack() {
    TcpOptions options;
    const Receiver::AckFields fields =
        receiver_->TakeAckFields(options, timers_);
    Sent sent{static_cast<uint32_t>(fields.ack - start_),
              (fields.wnd << scale_).bytes(),
              {}};
    for (int i = 0; i < options.sack_block_count; ++i) {
      sent.sack.emplace_back(options.sack_blocks[i].left - start_.value(),
                             options.sack_blocks[i].right - start_.value());
    }
    return sent;
  }
  // Whether an ACK wants to leave, which then does.
  bool TakeAckNow() {
    const bool wanted = receiver_->WantsAckNow();
    if (wanted) Ack();
    return wanted;
  }
  // Reads everything and checks that it continues the peer's stream.
  void ReadAndCheck(uint32_t offset) {
    const std::vector<uint8_t> got = Bytes(receiver_->Read(SIZE_MAX));
    EXPECT_EQ(got, StreamBytes(offset, static_cast<uint32_t>(got.size())));
  }

 private:
  SlabPool pool_;
  TcpConfig config_;
  SeqNum start_;
  WindowScale scale_;
  Timers timers_;
  Instant now_ = Instant() + Duration::Seconds(1);
  std::unique_ptr<Receiver> receiver_;
};

TEST(Receiver, DeliversInOrderDataWithoutCopying) {
  Established r({});
  Segment seg = r.MakeSegment(0, StreamBytes(0, 40'000));
  const uint8_t* bytes = seg.payload.view(0).data();
  const ReceiveOutcome outcome = r.Arrive(std::move(seg));
  EXPECT_EQ(outcome.delivered_bytes, 40'000u);
  EXPECT_FALSE(outcome.out_of_order || outcome.duplicate ||
               outcome.fin_reached);
  EXPECT_EQ(r.rcv_nxt(), 40'000u);
  EXPECT_EQ(r->readable_bytes(), 40'000u);
  const ViewChain read = r->Read(SIZE_MAX);
  EXPECT_EQ(read.view(0).data(), bytes);
  EXPECT_EQ(Bytes(read), StreamBytes(0, 40'000));
}

// [fault O01] at the budget only that is taken without which nobody goes on
TEST(Receiver, KeepsOnlyWhatItsReaderWaitsForWhenMemoryIsSpent) {
  Established r({});
  r.pool().SetBudget(0);
  EXPECT_FALSE(r.Data(2 * kMss, kMss).out_of_order);  // behind a hole
  EXPECT_EQ(r.Data(0, kMss).delivered_bytes, kMss);   // nothing is unread
  EXPECT_EQ(r.Data(kMss, kMss).delivered_bytes, 0u);  // something is
  EXPECT_TRUE(r.TakeAckNow());                        // the peer is told
  EXPECT_EQ(r.pool().stats().refusals, 2u);
  EXPECT_EQ(r->out_of_order_bytes(), 0u);
  EXPECT_EQ(r.rcv_nxt(), kMss);

  r.pool().SetBudget(SIZE_MAX);
  EXPECT_TRUE(r.Data(2 * kMss, kMss).out_of_order);
  r.pool().SetBudget(0);
  // Fills a hole, and what is behind it can be read.
  EXPECT_EQ(r.Data(kMss, kMss).delivered_bytes, 2 * kMss);
  r.ReadAndCheck(0);
  r.Fin(3 * kMss);
  EXPECT_TRUE(r->fin_received());
  EXPECT_EQ(r.pool().stats().live, 0u);
}

TEST(Receiver, ReadGivesAtMostWhatIsAsked) {
  Established r({});
  r.Data(0, 500);
  EXPECT_EQ(Bytes(r->Read(100)), StreamBytes(0, 100));
  EXPECT_EQ(Bytes(r->Read(1000)), StreamBytes(100, 400));
  EXPECT_TRUE(r->Read(1).empty());
}

TEST(Receiver, APureAckIsNotAnswered) {
  Established r({});
  const ReceiveOutcome outcome = r.Data(0, 0);
  EXPECT_FALSE(outcome.duplicate);
  EXPECT_FALSE(r->WantsAckNow());
  EXPECT_TRUE(r.timers().NextDeadline().IsNever());
}

struct AckRow {
  const char* name;
  uint32_t before;     // delivered and acknowledged first
  uint32_t held_from;  // a segment held behind a hole; 0 for none
  uint32_t offset;
  uint32_t size;
  bool fin;
  bool want_now;
};

TEST(Receiver, AcknowledgesAtOnceWhatTellsThePeerSomething) {
  // [RFC 5681 4.2] out of order, duplicates, hole fills; the rest is
  // delayed, once for 1 MSS and not at all for 40
  const AckRow kRows[] = {
      {"1 MSS in order", 2000, 0, 2000, kMss, false, false},
      {"40 MSS in order", 2000, 0, 2000, 40 * kMss, false, true},
      {"1 MSS out of order", 2000, 0, 3000, kMss, false, true},
      {"40 MSS out of order", 2000, 0, 3000, 40 * kMss, false, true},
      {"old duplicate", 2000, 0, 1000, kMss, false, true},
      {"partly old", 2000, 0, 1500, kMss, false, true},
      {"duplicate behind a hole", 2000, 3000, 3000, kMss, false, true},
      {"fills the hole", 2000, 3000, 2000, kMss, false, true},
      {"fills part of the hole", 2000, 9000, 2000, kMss, false, true},
      {"reaches past the window", 2000, 0, 2000, 63'000, false, true},
      {"FIN", 2000, 0, 2000, 0, true, true},
      {"FIN out of order", 2000, 0, 2100, 0, true, true},
  };
  for (const AckRow& row : kRows) {
    for (const uint32_t irs : kIss) {
      Established r({.irs = irs});
      r.Data(0, row.before);
      if (row.held_from > 0) r.Data(row.held_from, kMss);
      r.Ack();
      r.Data(row.offset, row.size, row.fin);
      EXPECT_EQ(r->WantsAckNow(), row.want_now) << row.name << " " << irs;
      EXPECT_TRUE(row.want_now || r.timers().IsArmed(TimerSlot::kDelayedAck));
    }
  }
}

TEST(Receiver, TheDelayedAckTimerForcesTheAck) {
  Established r({});
  r.Data(0, kMss);
  EXPECT_FALSE(r->WantsAckNow());
  r->OnDelayedAckTimer();
  EXPECT_TRUE(r.TakeAckNow());
  EXPECT_FALSE(r.timers().IsArmed(TimerSlot::kDelayedAck));
  EXPECT_EQ(r->last_ack_sent(), r.Seq(kMss));
}

TEST(Receiver, ReportsHeldRangesNewestFirstAndTheirMerging) {
  // [RFC 2018 4]
  Established r({.irs = 0xffffffff});
  EXPECT_TRUE(r.Data(1000, 1000).out_of_order);
  EXPECT_TRUE(r->has_sack_blocks());
  EXPECT_TRUE(r.Data(5000, 1000).out_of_order);
  EXPECT_EQ(r->out_of_order_bytes(), 2000u);
  EXPECT_EQ(r.Ack().sack, (Blocks{{5000, 6000}, {1000, 2000}}));
  r.Data(2000, 1000);
  EXPECT_EQ(r.Ack().sack, (Blocks{{1000, 3000}, {5000, 6000}}));
  EXPECT_EQ(r.Data(0, 1000).delivered_bytes, 3000u);
  const Established::Sent sent = r.Ack();
  EXPECT_EQ(sent.ack, 3000u);
  EXPECT_EQ(sent.sack, (Blocks{{5000, 6000}}));
  r.Data(3000, 2000);
  EXPECT_FALSE(r->has_sack_blocks());
  EXPECT_EQ(r->out_of_order_bytes(), 0u);
  r.ReadAndCheck(0);
}

TEST(Receiver, ReportsWhatCameTwice) {
  // [RFC 2883 4]
  Established r({});
  r.Data(0, 1000);
  r.Ack();
  EXPECT_TRUE(r.Data(0, 1000).duplicate);
  EXPECT_EQ(r.Ack().sack, (Blocks{{0, 1000}}));

  const Segment old = r.MakeSegment(200, StreamBytes(200, 300));
  r->OnUnacceptable(old);
  EXPECT_TRUE(r->WantsAckNow());
  EXPECT_EQ(r.Ack().sack, (Blocks{{200, 500}}));

  EXPECT_EQ(r.Data(500, 1000).delivered_bytes, 500u);
  EXPECT_EQ(r.Ack().sack, (Blocks{{500, 1000}}));

  r.Data(3000, 1000);
  r.Ack();
  EXPECT_TRUE(r.Data(3000, 500).duplicate);
  EXPECT_EQ(r.Ack().sack, (Blocks{{3000, 3500}, {3000, 4000}}));
  EXPECT_TRUE(r.Data(3500, 1000).out_of_order);
  EXPECT_EQ(r.Ack().sack, (Blocks{{3500, 4000}, {3000, 4500}}));
  EXPECT_EQ(r.Ack().sack, (Blocks{{3000, 4500}}));
}

TEST(Receiver, HoldsTheWholeWindowBehindAHole) {
  // [fault W06] nothing that was offered is refused
  for (const uint32_t size : {1u, 1000u, 40'000u}) {
    Established r({.buffer = 64'000});
    for (uint32_t at = 1; at < 64'000; at += size) {
      ASSERT_TRUE(r.Data(at, std::min(size, 64'000 - at)).out_of_order);
    }
    EXPECT_EQ(r.Ack().sack, (Blocks{{1, 64'000}}));
    EXPECT_LE(r.pool().stats().live_bytes, 2u * 64'000) << size;
    EXPECT_EQ(r.Data(0, 1).delivered_bytes, 64'000u);
    EXPECT_LE(r.pool().stats().live_bytes, 2u * 64'000) << size;
    EXPECT_EQ(r.Ack().window, 0u);
    r.ReadAndCheck(0);
  }
}

TEST(Receiver, SingleBytesCloseTheWindowBeforeAnyIsDropped) {
  // [fault W07]
  for (const uint8_t scale : {0, 7}) {
    Established r({.buffer = 65'536, .scale = scale, .quick_acks = 32});
    uint32_t taken = 0;
    for (uint32_t i = 0; i < 100'000; ++i) {
      const uint32_t window = r->rcv_wnd().bytes();
      const uint32_t delivered = r.Data(taken, 1).delivered_bytes;
      ASSERT_EQ(delivered, window > 0 ? 1u : 0u) << i;
      taken += delivered;
      r.TakeAckNow();
    }
    EXPECT_EQ(r.Ack().window, 0u);
    EXPECT_GE(taken, 65'000u);
    EXPECT_LE(r.pool().stats().live_bytes, 2u * 65'536);
    EXPECT_LE(r->pinned_bytes(), 2u * 65'536);
    r.ReadAndCheck(0);
  }
}

TEST(Receiver, AProbeOfAClosedWindowIsAnsweredAndNotTaken) {
  Established r({.buffer = 10'000});
  r.Data(0, 10'000);
  EXPECT_EQ(r.Ack().window, 0u);
  const ReceiveOutcome outcome = r.Data(10'000, 1);
  EXPECT_EQ(outcome.delivered_bytes, 0u);
  EXPECT_FALSE(outcome.duplicate);
  EXPECT_EQ(r.rcv_nxt(), 10'000u);
  EXPECT_TRUE(r.TakeAckNow());
}

TEST(Receiver, ReadingAnnouncesAWindowThatWasClosed) {
  // [req A-15]
  Established r({.buffer = 10'000});
  r.Data(0, 10'000);
  r.Ack();
  r->Read(kMss - 1);
  EXPECT_FALSE(r->WantsAckNow());
  r->Read(1);
  EXPECT_TRUE(r->WantsAckNow());
  EXPECT_EQ(r.Ack().window, kMss);
}

TEST(Receiver, ReadingFromAnOpenWindowAnnouncesNothing) {
  Established r({});
  r.Data(0, 10'000);
  r.Ack();
  r->Read(SIZE_MAX);
  EXPECT_FALSE(r->WantsAckNow());
  EXPECT_EQ(r.Ack().window, 64'000u);
}

TEST(Receiver, AFinIsTakenInOrderOnce) {
  Established r({});
  EXPECT_TRUE(r.Data(1000, 500, /*fin=*/true).out_of_order);
  EXPECT_EQ(r.Ack().sack, (Blocks{{1000, 1501}}));  // the FIN is in it
  EXPECT_FALSE(r->fin_received());
  const ReceiveOutcome outcome = r.Data(0, 1000);
  EXPECT_EQ(outcome.delivered_bytes, 1500u);
  EXPECT_TRUE(outcome.fin_reached);
  EXPECT_TRUE(r->fin_received());
  EXPECT_EQ(r.Ack().ack, 1501u);
  const ReceiveOutcome again = r.Data(1000, 500, true);
  EXPECT_TRUE(again.duplicate);
  EXPECT_FALSE(again.fin_reached);
  EXPECT_TRUE(r.TakeAckNow());
  r.ReadAndCheck(0);
}

TEST(Receiver, AFinAtAClosedWindowIsTaken) {
  // [fault W10]
  for (const uint32_t irs : kIss) {
    Established r({.irs = irs, .buffer = 10'000});
    r.Data(0, 10'000);
    EXPECT_EQ(r.Ack().window, 0u);
    EXPECT_TRUE(r.Fin(10'000).fin_reached);
    const Established::Sent sent = r.Ack();
    EXPECT_EQ(sent.ack, 10'001u);
    EXPECT_EQ(sent.window, 0u);
    r.ReadAndCheck(0);
    EXPECT_FALSE(r->WantsAckNow());
  }
}

TEST(Receiver, AFinBehindDataThatDoesNotFitIsNotTaken) {
  Established r({.buffer = 10'000});
  EXPECT_EQ(r.Data(0, 10'001, true).delivered_bytes, 10'000u);
  EXPECT_FALSE(r->fin_received());
  EXPECT_FALSE(r.Fin(10'001).out_of_order);
  r->Read(SIZE_MAX);
  r.Ack();
  EXPECT_TRUE(r.Data(10'000, 1, true).fin_reached);
}

TEST(Receiver, DataBehindTheFinIsIgnored) {
  Established r({});
  r.Fin(2000);
  EXPECT_TRUE(r.Data(1000, 1000).out_of_order);
  EXPECT_FALSE(r.Data(1500, 3000).out_of_order);
  EXPECT_FALSE(r.Data(2500, 100).out_of_order);
  EXPECT_TRUE(r.Data(0, 1000).fin_reached);
  EXPECT_EQ(r->readable_bytes(), 2000u);
  r.Ack();
  EXPECT_TRUE(r.Data(2001, 100).duplicate);
  EXPECT_TRUE(r->WantsAckNow());
  EXPECT_EQ(r->readable_bytes(), 2000u);
}

TEST(Receiver, DataBeforeAFinThatIsHeldFillsAHole) {
  Established r({});
  r.Fin(2000);
  r.Ack();
  r.Data(0, kMss);
  EXPECT_TRUE(r->WantsAckNow());
}

TEST(Receiver, WhatWasHeldBehindALateFinIsDropped) {
  Established r({});
  r.Data(3000, 1000);
  r.Fin(2000);
  EXPECT_TRUE(r.Data(0, 2000).fin_reached);
  EXPECT_EQ(r->out_of_order_bytes(), 0u);
  EXPECT_TRUE(r.Ack().sack.empty());
  r.ReadAndCheck(0);
  EXPECT_EQ(r.pool().stats().live, 0u);
}

TEST(Receiver, TimestampsFollowTheAcknowledgedEdge) {
  // [RFC 7323 4.3]
  Established r({});
  const Instant now;
  const auto stamped = [&r](uint32_t offset, uint32_t tsval) {
    Segment seg = r.MakeSegment(offset, StreamBytes(offset, 10));
    seg.options.timestamps = wire::TcpTimestamps{tsval, 0};
    return seg;
  };
  r->UpdateTimestamp(stamped(0, 7), now);
  EXPECT_EQ(r->ts_recent(), 7u);
  r->UpdateTimestamp(stamped(10, 9), now);  // not acknowledged up to there
  EXPECT_EQ(r->ts_recent(), 7u);
  EXPECT_TRUE(r->FailsPaws(stamped(0, 6), now));
  r.Data(0, 10);
  r.Ack();
  r->UpdateTimestamp(stamped(10, 9), now);
  EXPECT_EQ(r->ts_recent(), 9u);
}

TEST(Receiver, NoBlockOutlivesItsReader) {
  Established r({});
  r.Data(1000, 3000);
  r.Data(0, 1000);
  r.Data(6000, 100, true);
  r->Read(SIZE_MAX);
  r.Data(4000, 2000);
  EXPECT_TRUE(r->fin_received());
  r->Read(SIZE_MAX);
  EXPECT_EQ(r.pool().stats().live, 0u);
  EXPECT_EQ(r->pinned_bytes(), 0u);
}

// The peer says anything within reach of its stream; what is taken must be the
// first byte received for each place, in order, and all of the window.
class Model {
 public:
  Model(Established& r, uint32_t stream_size, SeededRng& rng)
      : r_(r), rng_(rng), want_(stream_size, -1) {}

  bool Finished() const { return read_.size() == want_.size(); }

  void Step() {
    const uint32_t rcv_nxt = r_.rcv_nxt();
    const uint32_t back = std::min(rcv_nxt, rng_.Below(3000));
    const uint32_t ahead = rng_.Below(3) == 0 ? 0 : rng_.Below(70'000);
    const auto size = static_cast<uint32_t>(want_.size());
    const uint32_t begin = std::min(rcv_nxt - back + ahead, size - 1);
    const uint32_t limit = rng_.Below(4) == 0 ? 50'000 : 2 * kMss;
    Send(begin, std::min(1 + rng_.Below(limit), size - begin));
    if (rng_.Below(3) == 0) Read(rng_.Below(60'000));
    if (rng_.Below(2) == 0 || r_->WantsAckNow()) CheckEdge();
  }

  const std::vector<uint8_t>& read() const { return read_; }
  std::vector<uint8_t> want() const {
    return std::vector<uint8_t>(want_.begin(), want_.end());
  }

 private:
  void Send(uint32_t begin, uint32_t size) {
    std::vector<uint8_t> bytes(size);
    auto byte = static_cast<uint8_t>(rng_.Next());
    for (uint8_t& b : bytes) b = byte++;
    const uint32_t edge = r_.rcv_nxt() + r_->rcv_wnd().bytes();
    for (uint32_t i = begin; i < std::min(begin + size, edge); ++i) {
      if (want_[i] < 0) want_[i] = bytes[i - begin];
    }
    const bool fin = begin + size == want_.size();
    r_.Arrive(r_.MakeSegment(begin, bytes, fin));
    while (next_ < want_.size() && want_[next_] >= 0) ++next_;
    ASSERT_EQ(r_->readable_bytes(), next_ - read_.size());
  }

  void Read(uint32_t size) {
    const std::vector<uint8_t> bytes = Bytes(r_->Read(size));
    read_.insert(read_.end(), bytes.begin(), bytes.end());
  }

  void CheckEdge() {
    const Established::Sent sent = r_.Ack();
    // [fault W08]
    ASSERT_GE(sent.ack + sent.window + (r_->fin_received() ? 1 : 0), edge_);
    edge_ = sent.ack + sent.window;
    for (const auto& [begin, end] : sent.sack) {
      ASSERT_LT(begin, end);
    }
  }

  Established& r_;
  SeededRng& rng_;
  std::vector<int> want_;  // the first byte that came, or -1
  std::vector<uint8_t> read_;
  size_t next_ = 0;  // the first byte that is missing
  uint32_t edge_ = 0;
};

TEST(Receiver, AgreesWithAnArrayOfBytesWhateverThePeerSends) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SeededRng rng(seed);
    const uint32_t buffer = 4000 + rng.Below(150'000);
    Established r({.irs = kIss[seed % 5],
                   .buffer = buffer,
                   .scale = static_cast<uint8_t>(buffer > 60'000 ? 3 : 0),
                   .quick_acks = 8});
    Model model(r, 150'000, rng);
    for (int step = 0; step < 20'000 && !model.Finished(); ++step) {
      model.Step();
      ASSERT_FALSE(testing::Test::HasFatalFailure());
      ASSERT_LE(r.pool().stats().live_bytes, 2 * buffer + 65'536);
    }
    ASSERT_TRUE(model.Finished());
    EXPECT_TRUE(r->fin_received());
    EXPECT_EQ(model.read(), model.want());
    EXPECT_EQ(r->pinned_bytes(), 0u);
  }
}

}  // namespace
}  // namespace tcpip::tcp
