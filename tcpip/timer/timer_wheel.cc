#include "tcpip/timer/timer_wheel.h"

#include <algorithm>
#include <bit>

namespace tcpip {

TimerWheel::~TimerWheel() {
  while (TimerNode* node = FirstFiled()) Cancel(*node);
}

void TimerWheel::Set(TimerNode& node, Instant deadline) {
  if (deadline.IsNever()) return Cancel(node);
  const TimerKey due{deadline, ++sets_};
  if (node.armed()) {
    node.due_ = due;
    if (node.filed_ < due) return;
    Unfile(node);
  } else {
    node.due_ = due;
    ++armed_;
  }
  File(node);
}

void TimerWheel::Cancel(TimerNode& node) {
  if (!node.armed()) return;
  Unfile(node);
  node.due_ = TimerKey();
  --armed_;
}

TimerNode* TimerWheel::PopExpired(Instant now) {
  TimerNode* node = Earliest();
  if (node == nullptr || node->deadline() > now) {
    present_ = std::max(present_, Offset(now));
    return nullptr;
  }
  Cancel(*node);
  return node;
}

Instant TimerWheel::NextDeadline() {
  const TimerNode* node = Earliest();
  return node == nullptr ? Instant::Never() : node->deadline();
}

// The difference of two instants may exceed 63 bits.
uint64_t TimerWheel::Offset(Instant t) const {
  if (t <= start_) return 0;
  return static_cast<uint64_t>(t.nanoseconds()) -
         static_cast<uint64_t>(start_.nanoseconds());
}

void TimerWheel::File(TimerNode& node) {
  // What is overdue goes to the bucket of the present, the first looked at.
  const uint64_t at = std::max(Offset(node.due_.at), present_);
  static_assert(Tick(~uint64_t{0}, kLevels - 1) < kBuckets);
  uint32_t level = 0;
  while (Tick(at, level) - Tick(present_, level) >= kBuckets) ++level;
  node.level_ = static_cast<uint16_t>(level);
  levels_[level].Insert(node, Tick(at, level));
  occupied_ |= 1u << level;
  if (first_ != nullptr && node.filed_ < first_->filed_) first_ = &node;
}

void TimerWheel::Unfile(TimerNode& node) {
  if (first_ == &node) first_ = nullptr;
  Level& level = levels_[node.level_];
  level.Remove(node);
  if (level.nodes == 0) occupied_ &= ~(1u << node.level_);
}

// The node filed under the earliest key.
TimerNode* TimerWheel::FirstFiled() {
  if (first_ != nullptr) return first_;
  for (uint32_t rest = occupied_; rest != 0; rest &= rest - 1) {
    const auto level = static_cast<uint32_t>(std::countr_zero(rest));
    TimerNode* node = levels_[level].Earliest(Tick(present_, level));
    if (first_ == nullptr || node->filed_ < first_->filed_) first_ = node;
  }
  return first_;
}

// The node that is due first. Files anew each node found to have been moved
// back, which happens at most once per such move.
TimerNode* TimerWheel::Earliest() {
  for (;;) {
    TimerNode* node = FirstFiled();
    if (node == nullptr || node->filed_ == node->due_) return node;
    Unfile(*node);
    File(*node);
  }
}

void TimerWheel::Level::Insert(TimerNode& node, uint64_t tick) {
  const auto bucket = static_cast<uint16_t>(tick % kBuckets);
  node.bucket_ = bucket;
  buckets[bucket].Insert(node, node.due_);
  occupied[bucket / 64] |= uint64_t{1} << bucket % 64;
  ++nodes;
}

void TimerWheel::Level::Remove(TimerNode& node) {
  const uint32_t bucket = node.bucket_;
  buckets[bucket].Remove(node);
  if (buckets[bucket].empty()) {
    occupied[bucket / 64] &= ~(uint64_t{1} << bucket % 64);
  }
  --nodes;
}

// The level spans less than one turn from the present on, so its earliest node
// is in the first occupied bucket from there. The level must not be empty.
TimerNode* TimerWheel::Level::Earliest(uint64_t present_tick) const {
  const uint32_t start = present_tick % kBuckets;
  uint32_t word = start / 64;
  uint64_t bits = occupied[word] & ~uint64_t{0} << start % 64;
  while (bits == 0) {
    word = (word + 1) % kWords;
    bits = occupied[word];
  }
  const auto bit = static_cast<uint32_t>(std::countr_zero(bits));
  return buckets[word * 64 + bit].earliest();
}

}  // namespace tcpip
