// Probing an idle peer. RFC 9293 3.8.4.
//
// Owned by Tcb; off by default [RFC 9293 3.8.4 MUST-25]. The deadline is lazy:
// arrivals only note the time, and the timer moves itself when it fires.
#ifndef TCPIP_TRANSPORT_TCP_KEEPALIVE_H_
#define TCPIP_TRANSPORT_TCP_KEEPALIVE_H_

#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/timers.h"

namespace tcpip::tcp {

class Keepalive {
 public:
  // Any segment from the peer proves it alive.
  void OnArrival(Instant now) {
    last_heard_ = now;
    unanswered_ = 0;
  }

  // Arms or cancels the slot: at first, and when the settings change.
  void SetSettings(const SocketSettings& settings, Timers& timers) const;

  enum class Expiry : uint8_t { kWait, kProbe, kGiveUp };
  // The slot expired; arms it again unless it gives up. `busy` when unanswered
  // data probes the peer anyway.
  Expiry OnTimer(const SocketSettings& settings, bool busy, Timers& timers,
                 Instant now);

  // True once when a probe should leave.
  bool TakeProbe() {
    const bool due = probe_due_;
    probe_due_ = false;
    return due;
  }

 private:
  Instant last_heard_;
  uint8_t unanswered_ = 0;
  bool probe_due_ = false;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_KEEPALIVE_H_
