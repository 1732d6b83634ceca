// The timers of one connection: deadlines by slot, no callbacks. The owner
// keeps the earliest in the stack's timer wheel and calls OnTimer, which asks
// each slot in the order of the enum.
#ifndef TCPIP_TRANSPORT_TCP_TIMERS_H_
#define TCPIP_TRANSPORT_TCP_TIMERS_H_

#include <array>
#include <cstdint>

#include "tcpip/base/time.h"

namespace tcpip::tcp {

enum class TimerSlot : uint8_t {
  kRetransmit,  // RTO of data and FIN; excludes kPersist
  kPersist,     // zero-window probe; excludes kRetransmit
  kHold,        // a short write waits no longer than this
  kDelayedAck,
  kKeepalive,
  kUserTimeout,  // data has waited too long for its acknowledgment
  kLinger,       // FIN-WAIT-2 of an orphan
};
inline constexpr int kTimerSlotCount = 7;

class Timers {
 public:
  Timers() { deadlines_.fill(Instant::Never()); }

  void Set(TimerSlot slot, Instant deadline) { at(slot) = deadline; }
  void Cancel(TimerSlot slot) { at(slot) = Instant::Never(); }
  void CancelAll() { deadlines_.fill(Instant::Never()); }

  bool IsArmed(TimerSlot slot) const { return !deadline(slot).IsNever(); }
  Instant deadline(TimerSlot slot) const {
    return deadlines_[static_cast<int>(slot)];
  }
  // True once when the slot's deadline has passed; disarms it.
  bool TakeExpired(TimerSlot slot, Instant now) {
    if (deadline(slot) > now) return false;
    Cancel(slot);
    return true;
  }
  Instant NextDeadline() const;

 private:
  Instant& at(TimerSlot slot) { return deadlines_[static_cast<int>(slot)]; }
  std::array<Instant, kTimerSlotCount> deadlines_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_TIMERS_H_
