#include "tcpip/transport/tcp/receive/receiver.h"

#include <algorithm>
#include <utility>

#include "tcpip/transport/tcp/receive/compaction.h"

namespace tcpip::tcp {
namespace {

uint32_t DataSize(const Segment& seg) {
  return static_cast<uint32_t>(seg.payload.size());
}

}  // namespace

Receiver::Receiver(const TcpConfig& config, const Negotiated& negotiated,
                   SeqNum rcv_nxt, uint32_t initial_window,
                   uint32_t buffer_bytes)
    : rcv_nxt_(rcv_nxt),
      last_ack_sent_(rcv_nxt),
      ack_policy_(config),
      window_(negotiated, rcv_nxt, initial_window, buffer_bytes),
      ecn_echo_(negotiated.ecn),
      paws_(negotiated.timestamps),
      sack_blocks_(negotiated.sack) {}

ReceiveOutcome Receiver::OnSegment(Segment& seg, SlabPool& pool, Timers& timers,
                                   Instant now) {
  if (seg.len() == 0) return {};
  const uint32_t segments = seg.mss_count();
  const bool old = seg.seq < rcv_nxt_ || fin_received_;
  // [RFC 5681 4.2] duplicates and probes of a closed window are answered
  if (TrimToWindow(seg)) AckNow();
  if (seg.len() == 0) return {.duplicate = old};
  if (!seg.payload.empty() &&
      ecn_echo_.OnData(seg.congestion_experienced, seg.flags.cwr())) {
    AckNow();
  }
  if (pool.IsSpent() && !IsNeeded(seg)) {
    // [fault O01] the peer has it still, and is told what is missing
    pool.CountRefusal();
    AckNow();
    return {};
  }
  return seg.seq == rcv_nxt_ ? OnInOrder(seg, segments, pool, timers, now)
                             : OnOutOfOrder(seg, pool);
}

ReceiveOutcome Receiver::OnInOrder(Segment& seg, uint32_t segments,
                                   SlabPool& pool, Timers& timers,
                                   Instant now) {
  ReceiveOutcome outcome;
  const bool fills_hole = !reassembly_.empty() || reassembly_.fin();
  if (seg.flags.fin()) reassembly_.InsertFin(seg.seq + DataSize(seg));
  if (reassembly_.empty()) {
    outcome.delivered_bytes = DataSize(seg);
    AppendCompacted(std::move(seg.payload), in_order_, pool);
  } else {
    reassembly_.Insert(seg.seq, seg.payload, pool);
    outcome.delivered_bytes = reassembly_.TakeRun(seg.seq, in_order_, pool);
  }
  rcv_nxt_ += outcome.delivered_bytes;
  sack_blocks_.OnAdvance(rcv_nxt_);

  // [RFC 5681 4.2] at once when it fills all or part of a gap
  if (fills_hole) {
    AckNow();
  } else if (outcome.delivered_bytes > 0) {
    ack_policy_.OnInOrderData(segments, timers, now);
  }
  if (reassembly_.fin() == rcv_nxt_) {
    rcv_nxt_ += 1;
    fin_received_ = outcome.fin_reached = true;
    reassembly_.Clear();
    sack_blocks_.ForgetRanges();
    AckNow();
  }
  return outcome;
}

ReceiveOutcome Receiver::OnOutOfOrder(const Segment& seg, SlabPool& pool) {
  const SeqNum data_end = seg.seq + DataSize(seg);
  const SeqNum held_end = Min(reassembly_.RunEnd(seg.seq), data_end);
  bool is_new = reassembly_.Insert(seg.seq, seg.payload, pool) > 0;
  if (seg.flags.fin() && reassembly_.InsertFin(data_end)) is_new = true;

  // [RFC 5681 4.2] out of order: a duplicate ACK without delay
  AckNow();
  sack_blocks_.OnDuplicate({seg.seq, held_end});
  sack_blocks_.OnOutOfOrder(reassembly_.RangeAround(seg.seq));
  return {.out_of_order = is_new, .duplicate = !is_new};
}

bool Receiver::IsNeeded(const Segment& seg) const {
  return seg.seq == rcv_nxt_ && (in_order_.empty() || !reassembly_.empty());
}

void Receiver::OnUnacceptable(const Segment& seg) {
  AckNow();
  ReportOld(seg);
}

void Receiver::ReportOld(const Segment& seg) {
  sack_blocks_.OnDuplicate({seg.seq, Min(seg.seq + DataSize(seg), rcv_nxt_)});
}

bool Receiver::TrimToWindow(Segment& seg) {
  const uint32_t received = seg.len();
  if (seg.seq < rcv_nxt_) {
    ReportOld(seg);
    const auto old = static_cast<uint32_t>(rcv_nxt_ - seg.seq);
    seg.TrimFront(std::min(old, received));
  }
  // [fault W10] A FIN takes no room: where its data fits, it does, too.
  const SeqNum limit = reassembly_.fin().value_or(window_.right_edge());
  const int32_t beyond = seg.seq + DataSize(seg) - limit;
  if (beyond > 0) {
    seg.TrimBack(seg.flags.fin() +
                 std::min(DataSize(seg), static_cast<uint32_t>(beyond)));
  }
  return seg.len() != received;
}

void Receiver::OnDelayedAckTimer() { ack_policy_.OnTimer(); }

ViewChain Receiver::Read(size_t max_bytes) {
  ViewChain data = in_order_.SplitFront(std::min(max_bytes, in_order_.size()));
  // [req A-15] the peer may be waiting for room
  if (!data.empty() && !fin_received_ &&
      window_.IsWorthAnnouncing(rcv_nxt_, in_order_.size())) {
    AckNow();
  }
  return data;
}

WindowSize Receiver::rcv_wnd() const { return window_.Remaining(rcv_nxt_); }

Receiver::AckFields Receiver::TakeAckFields(TcpOptions& options,
                                            Timers& timers) {
  last_ack_sent_ = rcv_nxt_;
  sack_blocks_.Report(options);
  ack_policy_.OnAckSent(timers);
  return {.ack = rcv_nxt_,
          .wnd = window_.Offer(rcv_nxt_, in_order_.size()),
          .ece = ecn_echo_.echoes()};
}

size_t Receiver::pinned_bytes() const {
  return in_order_.pinned_bytes() + reassembly_.pinned_bytes();
}

}  // namespace tcpip::tcp
