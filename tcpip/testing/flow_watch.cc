#include "tcpip/testing/flow_watch.h"

#include <algorithm>

namespace tcpip::sim {

int64_t FlowWatch::OffsetOf(uint32_t seq) const {
  const uint32_t max = first_seq_ + static_cast<uint32_t>(snd_max_);
  return static_cast<int64_t>(snd_max_) + static_cast<int32_t>(seq - max);
}

void FlowWatch::OnSent(const ReadTcp& segment, bool lost,
                       const tcp::TcpInfo& info, Instant now) {
  const wire::TcpHeader& header = segment.header;
  if (header.flags.syn()) first_seq_ = header.seq + 1;
  CountEpisodes(info);
  const int64_t offset = OffsetOf(header.seq);
  // Keepalives repeat what has been acknowledged.
  if (header.flags.syn() || segment.len() == 0 ||
      offset < static_cast<int64_t>(acked_)) {
    return;
  }

  const auto begin = static_cast<uint64_t>(offset);
  const uint64_t end = begin + segment.len();
  const SendKind kind = KindOf(begin, info);
  ++counts_.segs_sent;
  counts_.segs_lost += lost;
  counts_.retrans_fast += kind == SendKind::kFast;
  counts_.retrans_timeout += kind == SendKind::kTimeout;
  counts_.retrans_other += kind == SendKind::kOther;
  if (kind != SendKind::kNew) SendAgain(begin, std::min(end, snd_max_), lost);
  if (end > snd_max_) Record(std::max(begin, snd_max_), end, lost, now);
  if (!keep_events_) return;
  events_.push_back({.kind = FlowEvent::Kind::kSent,
                     .sent = kind,
                     .lost = lost,
                     .begin = begin,
                     .end = end,
                     .rtt = {},
                     .at = now,
                     .info = info});
}

SendKind FlowWatch::KindOf(uint64_t begin, const tcp::TcpInfo& info) const {
  if (begin >= snd_max_) return SendKind::kNew;
  switch (info.recovery) {
    case tcp::RecoveryState::kRecovery:
      return SendKind::kFast;
    case tcp::RecoveryState::kLoss:
      return SendKind::kTimeout;
    default:
      return SendKind::kOther;
  }
}

void FlowWatch::Record(uint64_t begin, uint64_t end, bool lost, Instant now) {
  in_flight_[begin] = {.end = end,
                       .at = now,
                       .again = false,
                       .hurt = lost,
                       .fate = lost ? Fate::kLost : Fate::kUnderWay};
  lost_segs_ += lost;
  hurt_segs_ += lost;
  snd_max_ = end;
}

void FlowWatch::SendAgain(uint64_t begin, uint64_t end, bool lost) {
  bool needed = false;
  auto it = in_flight_.upper_bound(begin);
  if (it != in_flight_.begin()) --it;
  for (; it != in_flight_.end() && it->first < end; ++it) {
    Sent& sent = it->second;
    if (sent.end <= begin) continue;
    sent.again = true;
    if (lost && !sent.hurt && sent.fate != Fate::kCovered) {
      sent.hurt = true;
      ++hurt_segs_;
    }
    if (sent.fate != Fate::kLost) continue;
    needed = true;
    if (lost) continue;
    sent.fate = Fate::kUnderWay;
    --lost_segs_;
  }
  counts_.retrans_needless += !needed;
}

void FlowWatch::OnAcked(const ReadTcp& segment, const tcp::TcpInfo& info,
                        Instant now) {
  CountEpisodes(info);
  if (!segment.header.flags.ack() || segment.header.flags.syn()) return;
  const int64_t ack = OffsetOf(segment.header.ack);
  std::optional<Instant> newest = Cover(0, ack);
  for (int i = 0; i < segment.options.sack_block_count; ++i) {
    const wire::SackBlock& block = segment.options.sack_blocks[i];
    newest =
        std::max(newest, Cover(OffsetOf(block.left), OffsetOf(block.right)));
  }
  if (ack > static_cast<int64_t>(acked_)) Forget(static_cast<uint64_t>(ack));
  if (newest) rtts_.push_back(now - *newest);
  if (!keep_events_) return;
  events_.push_back({.kind = FlowEvent::Kind::kAcked,
                     .end = acked_,
                     .rtt = newest ? now - *newest : Duration::Zero(),
                     .at = now,
                     .info = info});
}

std::optional<Instant> FlowWatch::Cover(int64_t begin, int64_t end) {
  std::optional<Instant> newest;
  if (end <= begin || end <= 0) return newest;
  const auto first = static_cast<uint64_t>(std::max<int64_t>(begin, 0));
  for (auto it = in_flight_.lower_bound(first);
       it != in_flight_.end() && it->second.end <= static_cast<uint64_t>(end);
       ++it) {
    Sent& sent = it->second;
    if (sent.fate == Fate::kCovered) continue;
    Uncount(sent);
    if (!sent.again) newest = std::max(newest, std::optional(sent.at));
  }
  return newest;
}

void FlowWatch::Uncount(Sent& sent) {
  lost_segs_ -= sent.fate == Fate::kLost;
  hurt_segs_ -= sent.hurt;
  sent.fate = Fate::kCovered;
}

void FlowWatch::Forget(uint64_t acked) {
  acked_ = acked;
  auto it = in_flight_.begin();
  while (it != in_flight_.end() && it->first < acked) {
    if (it->second.fate != Fate::kCovered) Uncount(it->second);
    it = in_flight_.erase(it);
  }
}

void FlowWatch::CountEpisodes(const tcp::TcpInfo& info) {
  // Before there is data, what is repeated is a SYN.
  if (snd_max_ > 0) {
    if (lost_segs_ == 0) counts_.spurious += info.timeouts - counts_.timeouts;
    if (hurt_segs_ == 0) {
      counts_.spurious += info.fast_recoveries - counts_.fast_recoveries;
    }
  }
  counts_.timeouts = info.timeouts;
  counts_.fast_recoveries = info.fast_recoveries;
}

}  // namespace tcpip::sim
