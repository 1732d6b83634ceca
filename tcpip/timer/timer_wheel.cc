#include "tcpip/timer/timer_wheel.h"

#include <algorithm>
#include <bit>
#include <cassert>

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
  int level = 0;
  while ((at >> Shift(level)) - (present_ >> Shift(level)) >= kSlots) ++level;
  const uint32_t slot = (at >> Shift(level)) % kSlots;
  levels_ |= 1u << level;
  slots_[level] |= uint64_t{1} << slot;
  node.bucket_ = static_cast<uint32_t>(level) * kSlots + slot;
  buckets_[node.bucket_].Insert(node, node.due_);
  if (first_ != nullptr && node.filed_ < first_->filed_) first_ = &node;
}

void TimerWheel::Unfile(TimerNode& node) {
  if (first_ == &node) first_ = nullptr;
  TimerHeap& bucket = buckets_[node.bucket_];
  bucket.Remove(node);
  if (!bucket.empty()) return;
  const uint32_t level = node.bucket_ / kSlots;
  slots_[level] &= ~(uint64_t{1} << node.bucket_ % kSlots);
  if (slots_[level] == 0) levels_ &= ~(1u << level);
}

// The node filed under the earliest key. The buckets of a level span less than
// one turn, so the first bucket from the present on has the level's earliest.
TimerNode* TimerWheel::FirstFiled() {
  if (first_ != nullptr) return first_;
  for (uint32_t rest = levels_; rest != 0; rest &= rest - 1) {
    const int level = std::countr_zero(rest);
    const uint32_t base = (present_ >> Shift(level)) % kSlots;
    const uint32_t ahead = static_cast<uint32_t>(
        std::countr_zero(std::rotr(slots_[level], static_cast<int>(base))));
    const uint32_t slot = (base + ahead) % kSlots;
    TimerNode* node =
        buckets_[static_cast<uint32_t>(level) * kSlots + slot].earliest();
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

}  // namespace tcpip
