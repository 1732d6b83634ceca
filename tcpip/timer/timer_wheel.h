// Hierarchical timer wheel: one node per owner, exact deadlines, no callbacks.
//
//   level 0   512 buckets of 2^17 ns (0.13 ms)   deadlines up to  67 ms away
//   level 1   512 buckets of 2^20 ns (1 ms)      ...             536 ms
//   level n   512 buckets, each 8 times as wide  ...             8 times more
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

  // Arms or moves; Instant::Never() cancels, and an instant that has passed
  // expires at once. The node must not be armed in another wheel. O(1).
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
  static constexpr uint32_t kLevels = 14;  // reach across all Instants
  static constexpr uint32_t kBuckets = 512;
  static constexpr uint32_t kWords = kBuckets / 64;

  // Nodes less than kBuckets ticks from the present, a tick to a bucket.
  struct Level {
    void Insert(TimerNode& node, uint64_t tick);
    void Remove(TimerNode& node);
    TimerNode* Earliest(uint64_t present_tick) const;

    size_t nodes = 0;
    uint64_t occupied[kWords] = {};  // bit per bucket that has a node
    TimerHeap buckets[kBuckets];
  };

  static constexpr uint64_t Tick(uint64_t offset, uint32_t level) {
    return offset >> (17 + 3 * level);
  }
  uint64_t Offset(Instant t) const;
  void File(TimerNode& node);
  void Unfile(TimerNode& node);
  TimerNode* FirstFiled();
  TimerNode* Earliest();

  const Instant start_;
  uint64_t present_ = 0;  // nanoseconds since start_
  uint64_t sets_ = 0;     // gives each Set() its place in the order
  size_t armed_ = 0;
  TimerNode* first_ = nullptr;  // the first one filed, nullptr when unknown
  uint32_t occupied_ = 0;       // bit per level that has a node
  Level levels_[kLevels];
};

}  // namespace tcpip

#endif  // TCPIP_TIMER_TIMER_WHEEL_H_
