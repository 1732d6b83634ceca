#include "tcpip/transport/tcp/recovery/sent_log.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

void SentLog::OnSent(uint32_t bytes, uint32_t gso_size, Instant now) {
  if (empty()) delivered_time_ = now;  // an idle time is no delivery time
  records_.PushBack({.begin = snd_max_,
                     .end = snd_max_ + bytes,
                     .first_sent = now,
                     .last_sent = now,
                     .delivered = delivered_,
                     .delivered_time = delivered_time_,
                     .gso_size = gso_size,
                     .transmissions = 1});
  snd_max_ += bytes;
}

void SentLog::OnRetransmitted(SeqRange range, Instant now) {
  const size_t first = SplitAt(range.begin);
  const size_t last = SplitAt(range.end);
  for (size_t i = first; i < last; ++i) {
    SentRecord& record = records_[i];
    assert(record.state == SentState::kLost);
    SetState(record, SentState::kRetransmitted);
    record.last_sent = now;
    record.delivered = delivered_;
    record.delivered_time = delivered_time_;
    if (record.transmissions < std::numeric_limits<uint8_t>::max()) {
      ++record.transmissions;
    }
  }
  first_lost_ = range.end;
  last_retransmission_ = now;
}

void SentLog::AckTo(SeqNum ack, Instant now, Delivery& delivery) {
  assert(snd_una_ <= ack && ack <= snd_max_);
  const uint32_t before = delivery.delivered_bytes;
  size_t whole = 0;
  for (; whole < records_.size() && records_[whole].begin < ack; ++whole) {
    SentRecord& record = records_[whole];
    SentRecord acked = record;
    acked.end = Min(record.end, ack);
    Count(acked, false);
    if (acked.state != SentState::kSacked) {
      Deliver(acked, delivery);
      delivery.covers_retransmission |= acked.transmissions > 1;
    }
    record.begin = acked.end;
    if (record.begin < record.end) break;
  }
  records_.PopFront(whole);
  delivery.acked_bytes += static_cast<uint32_t>(ack - snd_una_);
  snd_una_ = ack;
  first_lost_ = Max(first_lost_, ack);
  delivered_ += delivery.delivered_bytes - before;
  if (delivery.delivered_bytes > before) delivered_time_ = now;
}

void SentLog::ApplySack(SeqRange block, Instant now, Delivery& delivery) {
  assert(snd_una_ <= block.begin && block.end <= snd_max_);
  const uint32_t before = delivery.delivered_bytes;
  size_t first, last;
  if (records_.size() < kMaxSplitRecords) {
    first = SplitAt(block.begin);
    last = SplitAt(block.end);
  } else {
    first = Find(block.begin);
    if (records_[first].begin < block.begin) ++first;
    last = Find(block.end);
  }
  for (size_t i = first; i < last; ++i) {
    SentRecord& record = records_[i];
    if (record.state == SentState::kSacked) continue;
    Deliver(record, delivery);
    delivery.sacked_bytes += record.size();
    if (sacked_bytes_ == 0) highest_sacked_ = record.end;
    highest_sacked_ = Max(highest_sacked_, record.end);
    SetState(record, SentState::kSacked);
  }
  MergeSacked(first, last);
  delivered_ += delivery.delivered_bytes - before;
  if (delivery.delivered_bytes > before) delivered_time_ = now;
}

void SentLog::MarkLost(SeqRange range) {
  if (range.empty()) return;
  const size_t first = SplitAt(range.begin);
  const size_t last = SplitAt(range.end);
  for (size_t i = first; i < last; ++i) {
    if (records_[i].state == SentState::kOutstanding) {
      SetState(records_[i], SentState::kLost);
    }
  }
}

void SentLog::MarkOversize(uint32_t limit) {
  for (size_t i = 0; i < records_.size(); ++i) {
    if (records_[i].state == SentState::kSacked) continue;
    const uint32_t size = records_[i].size();
    const uint32_t segment = std::min(records_[i].gso_size, size);
    if (segment <= limit) continue;
    // The last wire segment of a super-segment may have been small enough.
    const uint32_t rest = size % segment;
    if (rest > 0 && rest <= limit) SplitAt(records_[i].end - rest);
    SetState(records_[i], SentState::kLost);
  }
}

void SentLog::MarkAllLost(Instant now) {
  last_expiry_ = now;
  if (empty()) return;
  const bool reneged = records_[0].state == SentState::kSacked;
  for (size_t i = 0; i < records_.size(); ++i) {
    SentRecord& record = records_[i];
    if (record.state == SentState::kSacked) {
      if (!reneged) continue;
      // It went once already, at times that are not kept: never timed again.
      record.transmissions = 2;
    }
    SetState(record, SentState::kLost);
  }
}

std::optional<SeqRange> SentLog::NextLost() const {
  if (!HasLost()) return std::nullopt;
  size_t i = Find(Max(first_lost_, snd_una_));
  while (records_[i].state != SentState::kLost) ++i;
  return records_[i].range();
}

bool SentLog::IsSacked(SeqNum seq) const {
  const size_t i = Find(seq);
  return i < records_.size() && records_[i].state == SentState::kSacked;
}

SeqNum SentLog::highest_sacked() const {
  return sacked_bytes_ > 0 ? highest_sacked_ : snd_una_;
}

size_t SentLog::Find(SeqNum seq) const {
  if (seq < snd_una_ || seq >= snd_max_) return records_.size();
  size_t low = 0;
  size_t high = records_.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (records_[middle].end <= seq) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

SentLog::Counts SentLog::Recount() const {
  Counts counts;
  SeqNum next = snd_una_;
  for (size_t i = 0; i < records_.size(); ++i) {
    const SentRecord& record = records_[i];
    counts.gapless &= record.begin == next && record.begin < record.end;
    next = record.end;
    if (record.state == SentState::kOutstanding) continue;
    if (record.state == SentState::kSacked) {
      counts.sacked += record.size();
      continue;
    }
    counts.lost += record.size();
    if (record.state == SentState::kRetransmitted) {
      counts.retransmitted += record.size();
    }
  }
  counts.gapless &= next == snd_max_;
  return counts;
}

void SentLog::Count(const SentRecord& record, bool add) {
  const uint32_t bytes = add ? record.size() : 0 - record.size();
  if (record.state == SentState::kSacked) sacked_bytes_ += bytes;
  if (record.state == SentState::kLost) lost_bytes_ += bytes;
  if (record.state == SentState::kRetransmitted) {
    lost_bytes_ += bytes;
    retransmitted_bytes_ += bytes;
  }
}

void SentLog::SetState(SentRecord& record, SentState state) {
  Count(record, false);
  record.state = state;
  Count(record, true);
  if (state == SentState::kLost) first_lost_ = Min(first_lost_, record.begin);
}

void SentLog::Deliver(const SentRecord& record, Delivery& delivery) const {
  delivery.delivered_bytes += record.size();
  if (record.transmissions > 1) return;
  if (!delivery.newest_sent || *delivery.newest_sent < record.last_sent) {
    delivery.newest_sent = record.last_sent;
  }
}

size_t SentLog::SplitAt(SeqNum seq) {
  const size_t i = Find(seq);
  if (i == records_.size() || records_[i].begin == seq) return i;
  SentRecord front = records_[i];
  front.end = seq;
  records_[i].begin = seq;
  records_.Insert(i, front);
  return i + 1;
}

void SentLog::MergeSacked(size_t first, size_t last) {
  if (first >= last) return;
  const auto sacked = [this](size_t i) {
    return records_[i].state == SentState::kSacked;
  };
  if (first > 0 && sacked(first - 1)) --first;
  if (last < records_.size() && sacked(last)) ++last;
  records_[first].end = records_[last - 1].end;
  // What else a record says is of no use once its data has arrived.
  records_.Erase(first + 1, last);
}

}  // namespace tcpip::tcp
