// A passive timer: an instant that its owner looks at when it is stepped.
//
// Nothing fires by itself. An owner with several deadlines keeps the earliest
// of them in one TimerNode (timer_wheel.h) and asks each when that expires.
#ifndef TCPIP_TIMER_DEADLINE_H_
#define TCPIP_TIMER_DEADLINE_H_

#include "tcpip/base/time.h"

namespace tcpip {

class Deadline {
 public:
  // Instant::Never() disarms.
  void Set(Instant at) { at_ = at; }
  void Cancel() { at_ = Instant::Never(); }

  bool armed() const { return !at_.IsNever(); }
  // Never when not armed, so that the earliest of several is their minimum.
  Instant at() const { return at_; }

  // True from the very instant on, until it is set again or cancelled.
  bool Expired(Instant now) const { return armed() && at_ <= now; }

 private:
  Instant at_ = Instant::Never();
};

}  // namespace tcpip

#endif  // TCPIP_TIMER_DEADLINE_H_
