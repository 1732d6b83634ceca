// Zero-window probes and their back-off. RFC 9293 3.8.6.1.
//
// Counts for Sender, which arms TimerSlot::kPersist while nothing is in flight
// and the peer's window keeps queued data or FIN back, and sends the probe: an
// empty segment just below SND.UNA, which every TCP must answer because it is
// unacceptable (Linux's form; it puts no byte into the sent log that the peer
// has no room for). With a window that is open but too small to be worth
// using, the same timer is the override of silly window avoidance.
#ifndef TCPIP_TRANSPORT_TCP_SEND_PERSIST_H_
#define TCPIP_TRANSPORT_TCP_SEND_PERSIST_H_

#include <algorithm>
#include <cstdint>

#include "tcpip/base/time.h"

namespace tcpip::tcp {

class Persist {
 public:
  // [RFC 9293 3.8.6.2.1] the override timeout is 0.1 to 1 s
  static constexpr Duration kMaxOverride = Duration::Seconds(1);

  // From now to the next expiry: the RTO, doubled with each probe, at most
  // `max`. [RFC 9293 3.8.6.1 SHLD-29, SHLD-30]
  Duration Interval(Duration rto, Duration max, bool window_shut) const {
    const Duration interval = std::min(rto * (int64_t{1} << doublings_), max);
    return window_shut ? interval : std::min(interval, kMaxOverride);
  }

  void OnExpiry() {
    if (doublings_ < kMaxDoublings) ++doublings_;
    ++unanswered_;
    due_ = true;
  }
  // A probe, or a segment too short for its window, is to leave.
  bool due() const { return due_; }
  void OnSent() { due_ = false; }

  // [RFC 9293 3.8.6.1 MUST-37] the peer answers, so the connection lives,
  // however long its window stays shut. [fault W01]
  void OnAck() { unanswered_ = 0; }
  uint8_t unanswered() const { return unanswered_; }

  // Data is moving again, or the window opened.
  void Reset() { *this = Persist(); }

 private:
  static constexpr uint8_t kMaxDoublings = 16;
  uint8_t doublings_ : 7 = 0;
  bool due_ : 1 = false;
  uint8_t unanswered_ = 0;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEND_PERSIST_H_
