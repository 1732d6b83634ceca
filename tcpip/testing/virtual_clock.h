// The Instant that tests own. Time moves when the test says so, and never back.
#ifndef TCPIP_TESTING_VIRTUAL_CLOCK_H_
#define TCPIP_TESTING_VIRTUAL_CLOCK_H_

#include <cassert>

#include "tcpip/base/time.h"

namespace tcpip::sim {

class VirtualClock {
 public:
  // Not the origin of Instant, so that a forgotten zero shows.
  static constexpr Instant kStart = Instant::FromNanoseconds(1'000'000'000);

  Instant now() const { return now_; }
  void Advance(Duration by) { AdvanceTo(now_ + by); }
  void AdvanceTo(Instant to) {
    assert(to >= now_ && !to.IsNever());
    now_ = to;
  }

 private:
  Instant now_ = kStart;
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_VIRTUAL_CLOCK_H_
