#include "tcpip/transport/tcp/recovery/loss_recovery.h"

#include <algorithm>
#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/recovery/sack_loss.h"
#include "tcpip/transport/tcp/recovery/sent_log.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

RecoveryState NextRecoveryState(RecoveryState state, RecoveryEvent event) {
  using enum RecoveryState;
  static constexpr RecoveryState kNext[][kRecoveryEventCount] = {
      // kFullAck, kInOrder, kEvidence, kLoss, kExpiry
      {kOpen, kOpen, kDisorder, kRecovery, kLoss},      // kOpen
      {kOpen, kOpen, kDisorder, kRecovery, kLoss},      // kDisorder
      {kOpen, kRecovery, kRecovery, kRecovery, kLoss},  // kRecovery
      {kOpen, kLoss, kLoss, kLoss, kLoss},              // kLoss
  };
  return kNext[static_cast<int>(state)][static_cast<int>(event)];
}

bool LossRecovery::OnAck(const AckFacts& ack, SentLog& log) {
  if (ack.acked_bytes > 0) OnAdvance(ack, log);
  if (ack.duplicate) {
    ++dup_acks_;
    if (!sack_ && state_ != RecoveryState::kLoss) dup_bytes_ += ack.smss;
  }
  if (ack.duplicate || log.sacked_bytes() > 0) Apply(RecoveryEvent::kEvidence);
  const bool enters = !in_episode() && LossFound(ack, log);
  if (enters) {
    Apply(RecoveryEvent::kLoss);
    recovery_point_ = log.snd_max();
    must_retransmit_ = true;
  }
  if (sack_ && state_ == RecoveryState::kRecovery) {
    log.MarkLost({log.snd_una(), LossFrontier(log, ack.smss)});
  }
  if (enters) MarkHeadLost(ack.smss, log);
  return enters;
}

void LossRecovery::OnAdvance(const AckFacts& ack, SentLog& log) {
  expiries_ = 0;
  dup_acks_ = 0;
  must_retransmit_ = false;
  if (log.snd_una() >= recovery_point_) {
    Apply(RecoveryEvent::kFullAck);
    dup_bytes_ = 0;
    // Keeps the point near SND.UNA, where sequence numbers compare.
    if (sack_ || log.snd_una() > recovery_point_) {
      recovery_point_ = log.snd_una() - 1;
    }
  }
  if (log.sacked_bytes() == 0) Apply(RecoveryEvent::kInOrder);
  if (state_ != RecoveryState::kRecovery) return;
  // [RFC 6582 3.2] a partial ACK: the next hole begins here. The window is
  // deflated by what was acknowledged, less the segment that leaves now.
  dup_bytes_ -= std::min(dup_bytes_,
                         ack.acked_bytes - std::min(ack.acked_bytes, ack.smss));
  // With SACK, data that nothing SACKed lies behind may just be on its way.
  if (sack_ && log.sacked_bytes() == 0) return;
  MarkHeadLost(ack.smss, log);
  must_retransmit_ = !sack_;
}

bool LossRecovery::LossFound(const AckFacts& ack, const SentLog& log) const {
  // [req A-27] nothing is missing that is not SACKed
  if (log.flight_size() == log.sacked_bytes()) return false;
  // What is missing was too big for the path.
  if (log.snd_una() < recovery_point_) return false;
  // [RFC 6582 3.2] without SACK, duplicates of an ACK that ended an episode
  // may answer our own needless retransmissions.
  if (!sack_ && log.snd_una() == recovery_point_) return false;
  if (ack.duplicate && dup_acks_ >= kDupThresh) return true;
  return sack_ && IsLost(log, ack.smss, log.snd_una());
}

void LossRecovery::MarkHeadLost(uint32_t smss, SentLog& log) {
  const SentRecord& head = log.record(0);
  if (head.state != SentState::kOutstanding) return;
  log.MarkLost({head.begin, Min(head.end, head.begin + smss)});
}

void LossRecovery::OnPacketTooBig(uint32_t smss, SentLog& log) {
  log.MarkOversize(smss);
  if (!in_episode() && log.HasLost()) recovery_point_ = log.snd_max();
}

void LossRecovery::OnExpiry(bool window_shut, SentLog& log, Instant now) {
  ++expiries_;
  dup_acks_ = 0;
  dup_bytes_ = 0;
  must_retransmit_ = false;
  log.MarkAllLost(now);
  if (window_shut) return;
  Apply(RecoveryEvent::kExpiry);
  recovery_point_ = log.snd_max();
}

}  // namespace tcpip::tcp
