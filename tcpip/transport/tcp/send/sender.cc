#include "tcpip/transport/tcp/send/sender.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tcpip/base/bytes.h"
#include "tcpip/base/require.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/congestion/congestion_window.h"
#include "tcpip/transport/tcp/negotiated.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/recovery/loss_recovery.h"
#include "tcpip/transport/tcp/recovery/sent_log.h"
#include "tcpip/transport/tcp/send/acknowledgment.h"
#include "tcpip/transport/tcp/send/send_policy.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/transport/tcp/timers.h"

namespace tcpip::tcp {
namespace {

// Segments that slow start may add for one ACK: a receiver that coalesces
// acknowledges that many at once. After a timeout an ACK may cover data that
// arrived long ago, so it is one. [RFC 3465 2.3]
constexpr uint32_t kSlowStartSegments = 32;

void Require(bool holds, const char* rule) {
  tcpip::Require(holds, "tcp::Sender", rule);
}

}  // namespace

Sender::Sender(const TcpConfig& config, const Negotiated& negotiated,
               const SenderStart& start)
    : config_(&config),
      queue_(start.send_buffer_bytes),
      log_(start.iss + 1),
      rtt_(config),
      recovery_(negotiated.sack, start.iss),
      congestion_(config.congestion, negotiated.smss,
                  config.initial_window_segments, negotiated.ecn),
      window_(start.snd_wnd, start.snd_wl1, start.snd_wl2),
      segmenter_(negotiated.smss, start.max_gso_bytes),
      policy_(start.no_delay, start.iss + 1) {
  if (start.syn_retransmitted) {
    rtt_.OnSynTimedOut();
    congestion_.OnSynTimedOut(smss());
  }
  if (start.handshake_rtt) rtt_.OnSample(*start.handshake_rtt, 0, 0);
}

size_t Sender::Write(ViewChain& data, SlabPool& pool) {
  if (write_closed()) return 0;
  const size_t n = queue_.Write(data, pool);
  // [req A-30] the tail of a write of a segment or more leaves with it; when
  // the buffer cut the write, its tail is still to come
  if (n >= smss() && data.empty()) policy_.Push(stream_end());
  return n;
}

size_t Sender::WriteCopy(ByteSpan data, SlabPool& pool) {
  if (write_closed()) return 0;
  const size_t n = queue_.WriteCopy(data, pool);
  if (n >= smss() && n == data.size()) policy_.Push(stream_end());
  return n;
}

void Sender::CloseWrite() {
  if (write_closed()) return;
  fin_ = Fin::kQueued;
  policy_.Push(stream_end());  // [req A-34] what was held goes ahead of the FIN
}

AckOutcome Sender::OnAck(const AckInput& in, Timers& timers, Instant now) {
  AckOutcome outcome;
  if (in.ack < snd_una() || in.ack > snd_max()) return outcome;
  const uint32_t flight_size = log_.flight_size();
  Delivery delivery;
  log_.AckTo(in.ack, in.ingress, delivery);
  if (recovery_.sack()) ApplySackBlocks(in, log_, delivery);
  const bool duplicate =
      IsDuplicateAck(in, delivery, recovery_.sack(), snd_wnd(), flight_size);
  counters_.dup_acks_in += duplicate;
  counters_.sack_blocks_in += in.sack.size();
  counters_.dsacks_in += HasDsack(in);
  SampleRtt(in, delivery, flight_size);
  TakeAcked(delivery.acked_bytes, outcome);
  const LossEvent loss{flight_size, smss(), /*in_episode=*/false, snd_max(),
                       now};
  AdaptCwnd(in, delivery, duplicate, loss);
  TakeWindow(in, timers, now);
  // [RFC 6298 5.2, 5.3] new data acknowledged: off, or from the start
  if (delivery.acked_bytes > 0) timers.Cancel(TimerSlot::kRetransmit);
  ArmTimers(timers, now);
  return outcome;
}

void Sender::SampleRtt(const AckInput& in, const Delivery& delivery,
                       uint32_t flight_size) {
  const auto sample = RttSampleOf(in, delivery, log_, recovery_.sack());
  if (!sample) return;
  rtt_.OnSample(sample->rtt, delivery.delivered_bytes, flight_size);
  ++(sample->by_departure ? counters_.rtt_samples_departure
                          : counters_.rtt_samples_echo);
}

void Sender::TakeAcked(uint32_t acked_bytes, AckOutcome& outcome) {
  if (acked_bytes == 0) return;
  const auto data =
      static_cast<uint32_t>(std::min<size_t>(acked_bytes, queue_.sent_bytes()));
  queue_.TrimAcked(data);
  policy_.OnAck(snd_una());
  counters_.octets_acked += data;
  outcome.acked_bytes = data;
  outcome.fin_acked = acked_bytes > data;
  if (outcome.fin_acked) fin_ = Fin::kAcked;
}

void Sender::AdaptCwnd(const AckInput& in, const Delivery& delivery,
                       bool duplicate, const LossEvent& loss) {
  const RecoveryState before = recovery_.state();
  const bool enters = recovery_.OnAck({.acked_bytes = delivery.acked_bytes,
                                       .duplicate = duplicate,
                                       .smss = smss()},
                                      log_);
  const bool congested = congestion_.IsCongested(in.ack, in.ece);
  if (enters || congested) {
    ++(enters ? counters_.fast_recoveries : counters_.ecn_reductions);
    congestion_.OnCongestion(loss);
    return;
  }
  if (in.ece) return;  // [RFC 3168 6.1.2] an echo opens no window
  if (delivery.acked_bytes == 0 || before == RecoveryState::kRecovery) return;
  const uint32_t segments =
      before == RecoveryState::kLoss ? 1 : kSlowStartSegments;
  congestion_.OnAck({.acked_bytes = delivery.acked_bytes,
                     .smss = smss(),
                     .slow_start_limit = segments * smss(),
                     .cwnd_limited = cwnd_limited_,
                     .srtt = rtt_.srtt(),
                     .now = loss.now});
}

void Sender::TakeWindow(const AckInput& in, Timers& timers, Instant now) {
  persist_.OnAck();
  if (window_.OnAck(in.seg_seq, in.ack, in.wnd)) {
    // [fault W01] who waited for the window was not idle
    if (timers.IsArmed(TimerSlot::kPersist)) last_active_ = now;
    timers.Cancel(TimerSlot::kPersist);
    if (!window_.IsShut()) persist_.Reset();
  }
  if (window_.IsShut()) recovery_.OnPeerAlive();
}

std::optional<OutData> Sender::PollSend(Timers& timers, Instant now) {
  std::optional<OutData> out = PollRetransmission(timers, now);
  if (!out) out = PollNewData(timers, now);
  if (!out && persist_.due()) out = Probe();
  if (!out) {
    burst_bytes_ = 0;
    cwnd_limited_ = CwndRoom() < smss();
  }
  ArmTimers(timers, now);
  return out;
}

std::optional<OutData> Sender::PollRetransmission(Timers& timers, Instant now) {
  const std::optional<SeqRange> lost = log_.NextLost();
  if (!lost) return std::nullopt;
  const bool at_head = lost->begin == snd_una();
  uint32_t room = CwndRoom();
  if (recovery_.MustRetransmit()) room = std::max(room, smss());
  // [fault W04] behind a window that shrank only the head may leave, as a probe
  const uint32_t window = window_.Room(snd_una(), lost->begin);
  room = std::min(room, at_head ? std::max(window, smss()) : window);
  // [req B-06] a bounded burst: the ACKs of this one clock out the next
  const uint32_t burst = config_->max_burst_segments * smss();
  room = std::min(room, burst - std::min(burst, burst_bytes_));
  const uint32_t bytes = segmenter_.Cut(lost->size(), room);
  if (bytes < std::min(lost->size(), smss())) return std::nullopt;

  const auto offset = static_cast<uint32_t>(lost->begin - snd_una());
  const auto payload = static_cast<uint32_t>(
      std::min<size_t>(bytes, queue_.sent_bytes() - offset));
  OutData out{.seq = lost->begin,
              .payload = queue_.SliceSent(offset, payload),
              .fin = bytes > payload,
              .psh = payload > 0 && offset + payload == queue_.size(),
              .retransmission = true,
              .gso_size = segmenter_.GsoSize(payload)};
  log_.OnRetransmitted({lost->begin, lost->begin + bytes}, now);
  recovery_.OnRetransmitted();
  burst_bytes_ += bytes;
  last_active_ = now;
  const uint32_t segments = segmenter_.WireSegments(payload);
  counters_.octets_retrans += payload;
  counters_.segs_retrans += segments;
  if (payload > 0) counters_.data_segs_out += segments;
  // The repair of the head has a whole RTO to be acknowledged in.
  if (at_head) timers.Set(TimerSlot::kRetransmit, now + rtt_.rto());
  return out;
}

std::optional<OutData> Sender::PollNewData(Timers& timers, Instant now) {
  if (log_.HasLost()) return std::nullopt;
  if (HasUnsent() && log_.empty() && !last_active_.IsNever() &&
      now - last_active_ > rtt_.rto()) {
    congestion_.OnIdleRestart(smss(), now);
  }
  const NewData next = NextNewData();
  if (!next.held) {
    timers.Cancel(TimerSlot::kHold);
  } else if (!timers.IsArmed(TimerSlot::kHold)) {
    timers.Set(TimerSlot::kHold, now + config_->hold_limit);  // [req A-33]
  }
  if (next.empty()) return std::nullopt;

  OutData out{.seq = snd_nxt(),
              .payload = queue_.TakeUnsent(next.bytes),
              .fin = next.fin,
              .psh = next.bytes > 0 && queue_.unsent_bytes() == 0,
              .cwr = next.bytes > 0 && congestion_.TakeCwr(),
              .gso_size = segmenter_.GsoSize(next.bytes)};
  log_.OnSent(next.bytes + next.fin, smss(), now);
  if (next.bytes % smss() != 0) policy_.OnShortSent(out.seq + next.bytes);
  if (next.fin) fin_ = Fin::kSent;
  persist_.Reset();
  last_active_ = now;
  if (next.bytes > 0) {
    counters_.data_segs_out += segmenter_.WireSegments(next.bytes);
  }
  return out;
}

OutData Sender::Probe() {
  persist_.OnSent();
  ++counters_.zero_window_probes;
  return {.seq = snd_una() - 1, .payload = {}};
}

uint32_t Sender::CwndRoom() const {
  const uint32_t in_flight = recovery_.InFlight(log_);
  return congestion_.cwnd() - std::min(congestion_.cwnd(), in_flight);
}

NewData Sender::NextNewData() const {
  return policy_.Next(
      segmenter_, {.snd_nxt = snd_nxt(),
                   .unsent_bytes = static_cast<uint32_t>(queue_.unsent_bytes()),
                   .fin_queued = fin_ == Fin::kQueued,
                   .cwnd_room = std::min(
                       CwndRoom(), segmenter_.ThirdOf(congestion_.cwnd())),
                   .window_room = window_.Room(snd_una(), snd_nxt()),
                   .max_snd_wnd = max_snd_wnd().bytes(),
                   .short_in_flight = policy_.short_end() > snd_una() &&
                                      !log_.IsSacked(policy_.short_end() - 1),
                   .override_due = persist_.due()});
}

void Sender::ArmTimers(Timers& timers, Instant now) {
  if (!log_.empty()) {
    timers.Cancel(TimerSlot::kPersist);
    if (!timers.IsArmed(TimerSlot::kRetransmit)) {
      timers.Set(TimerSlot::kRetransmit, now + rtt_.rto());
    }
    return;
  }
  timers.Cancel(TimerSlot::kRetransmit);
  // With nothing in flight only the peer's window keeps something back.
  if (!HasUnsent() || !NextNewData().empty()) {
    timers.Cancel(TimerSlot::kPersist);
  } else if (!timers.IsArmed(TimerSlot::kPersist)) {
    timers.Set(TimerSlot::kPersist,
               now + persist_.Interval(rtt_.rto(), config_->max_persist,
                                       window_.IsShut()));
  }
}

RetransmitVerdict Sender::OnRetransmitTimer(Timers& timers, Instant now) {
  if (log_.empty()) return RetransmitVerdict::kRetry;
  // [req B-20, B-22] [fault S15] counts expiries, not transmissions or time
  if (recovery_.expiries() >= config_->data_retries) {
    return RetransmitVerdict::kGiveUp;
  }
  ++counters_.timeouts;
  if (!window_.IsShut()) {
    congestion_.OnRto({.flight_size = log_.flight_size(),
                       .smss = smss(),
                       .in_episode = recovery_.in_episode(),
                       .snd_max = snd_max(),
                       .now = now});
  }
  recovery_.OnExpiry(window_.IsShut(), log_, now);
  rtt_.OnTimeout();
  timers.Set(TimerSlot::kRetransmit, now + rtt_.rto());
  return RetransmitVerdict::kRetry;
}

RetransmitVerdict Sender::OnPersistTimer(Timers& timers, Instant now) {
  if (!log_.empty() || !HasUnsent()) return RetransmitVerdict::kRetry;
  if (persist_.unanswered() >= config_->data_retries) {
    return RetransmitVerdict::kGiveUp;
  }
  persist_.OnExpiry();
  ArmTimers(timers, now);
  return RetransmitVerdict::kRetry;
}

void Sender::FillInfo(TcpInfo& info) const {
  info.recovery = recovery_.state();
  info.smss = smss();
  congestion_.Fill(info);
  info.snd_wnd = snd_wnd().bytes();
  info.pipe = log_.pipe();
  info.unsent_bytes = unsent_bytes();
  info.unacked_bytes = unacked_bytes();
  rtt_.Fill(info);
  counters_.Fill(info);
}

void Sender::CheckInvariants(const Timers& timers) const {
  Require(log_.Recount() == log_.counts(), "counts differ from a recount");
  Require(log_.pipe() <= log_.flight_size(), "pipe exceeds what is in flight");
  Require(queue_.sent_bytes() + (fin_ == Fin::kSent) == log_.flight_size(),
          "the sent log does not cover [SND.UNA, SND.MAX)");
  Require(congestion_.cwnd() >= smss(), "cwnd is below one segment");
  const bool retransmit = timers.IsArmed(TimerSlot::kRetransmit);
  const bool persist = timers.IsArmed(TimerSlot::kPersist);
  Require(retransmit == !log_.empty(), "data in flight and its timer disagree");
  Require(!(retransmit && persist), "two timers that exclude each other");
  Require(persist || !log_.empty() || !HasUnsent() || !NextNewData().empty(),
          "a window keeps data back and no timer runs");
}

}  // namespace tcpip::tcp
