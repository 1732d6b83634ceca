// Hierarchical timer wheel: one node per owner, exact deadlines, no callbacks.
//
//   level 0   64 buckets of 2^17 ns (0.13 ms)    deadlines up to   8 ms away
//   level 1   64 buckets of 2^20 ns (1 ms)       ...              67 ms
//   level n   64 buckets, each 8 times as wide   ...              8 times more
//
// A node is filed by its distance from the wheel's present and stays in that
// bucket until it expires or is moved: a bucket is a heap, so coarse buckets
// cost no precision and nothing cascades when time goes by or jumps. Moving a
// deadline back, as every ACK does, writes only the node; the wheel notices
// when the place it filed the node under comes to the front.
//
// Nodes expire in the order of their deadlines, ties in the order of Set():
// part of the determinism of the whole stack. An owner with several timers
// keeps the earliest in its one node. The stack asks what expired and steps
// the owners; a node is disarmed when it is handed out, so that setting or
// cancelling any node meanwhile is safe. [fault S24]
#ifndef TCPIP_TIMER_TIMER_WHEEL_H_
#define TCPIP_TIMER_TIMER_WHEEL_H_

#include <cstddef>
#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/timer/timer_heap.h"

namespace tcpip {

class TimerWheel {
 public:
  explicit TimerWheel(Instant start) : start_(start) {}
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;
  ~TimerWheel();  // disarms what is still armed

  // Arms or moves. Never cancels; an instant that has passed expires at once.
  // The node must not be armed in another wheel. O(1).
  void Set(TimerNode& node, Instant deadline);

  // Nothing happens when not armed.
  void Cancel(TimerNode& node);

  // The next node whose deadline is not after `now`, disarmed, or nullptr.
  // Call until nullptr: the wheel's present moves on only then.
  TimerNode* PopExpired(Instant now);

  // The earliest deadline armed, exactly; Never when none is.
  Instant NextDeadline();

  size_t armed() const { return armed_; }

 private:
  static constexpr int kLevels = 15;  // reach beyond the 63 bits of an Instant
  static constexpr uint32_t kSlots = 64;
  static constexpr int Shift(int level) { return 17 + 3 * level; }

  uint64_t Offset(Instant t) const;
  void File(TimerNode& node);
  void Unfile(TimerNode& node);
  TimerNode* FirstFiled();
  TimerNode* Earliest();

  const Instant start_;
  uint64_t present_ = 0;  // nanoseconds since start_; nothing filed is before
  uint64_t sets_ = 0;     // gives each Set() its place in the order
  size_t armed_ = 0;
  TimerNode* first_ = nullptr;    // the first one filed, nullptr when unknown
  uint32_t levels_ = 0;           // bit per level that has a node
  uint64_t slots_[kLevels] = {};  // bit per bucket that has a node
  TimerHeap buckets_[kLevels * kSlots];
};

}  // namespace tcpip

#endif  // TCPIP_TIMER_TIMER_WHEEL_H_
