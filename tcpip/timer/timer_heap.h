// TimerNode, what the owner of a timer embeds, and TimerHeap, an intrusive
// pairing heap of them: the bucket of the timer wheel.
//
// The heap knows its earliest node at all times. Insertion is one comparison,
// removal of a node that never was the earliest mostly a list removal; removal
// of the earliest is O(log n) amortised. Nothing allocates or recurses.
//
// Fredman, Sedgewick, Sleator and Tarjan, "The pairing heap", 1986.
#ifndef TCPIP_TIMER_TIMER_HEAP_H_
#define TCPIP_TIMER_TIMER_HEAP_H_

#include <cassert>
#include <compare>
#include <cstdint>

#include "tcpip/base/time.h"

namespace tcpip {

// When a timer is due; `order` breaks ties and is unique among armed nodes.
struct TimerKey {
  Instant at = Instant::Never();
  uint64_t order = 0;

  friend constexpr auto operator<=>(const TimerKey&, const TimerKey&) = default;
};

// Must be disarmed before it is destroyed (checked in debug builds).
class TimerNode {
 public:
  TimerNode() = default;
  TimerNode(const TimerNode&) = delete;
  TimerNode& operator=(const TimerNode&) = delete;
  ~TimerNode() { assert(!armed()); }

  bool armed() const { return !due_.at.IsNever(); }
  Instant deadline() const { return due_.at; }  // Never when not armed

 private:
  friend class TimerHeap;
  friend class TimerWheel;

  TimerKey due_;                // what the owner asked for
  TimerKey filed_;              // what the heap sorts by; never later than due_
  TimerNode* child_ = nullptr;  // first of the nodes below
  TimerNode* next_ = nullptr;   // sibling
  TimerNode* prev_ = nullptr;   // sibling, or the parent of a first child
  uint16_t level_ = 0;          // of the wheel, where it is filed
  uint16_t bucket_ = 0;
};

class TimerHeap {
 public:
  TimerHeap() = default;
  TimerHeap(const TimerHeap&) = delete;
  TimerHeap& operator=(const TimerHeap&) = delete;

  bool empty() const { return root_ == nullptr; }
  TimerNode* earliest() const { return root_; }

  // The node must be in no heap.
  void Insert(TimerNode& node, TimerKey key);
  // The node must be in this heap.
  void Remove(TimerNode& node);

 private:
  static TimerNode* Link(TimerNode* a, TimerNode* b);
  static TimerNode* LinkSiblings(TimerNode* first);

  TimerNode* root_ = nullptr;
};

}  // namespace tcpip

#endif  // TCPIP_TIMER_TIMER_HEAP_H_
