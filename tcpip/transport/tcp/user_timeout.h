// The user timeout of one connection: how long its data may wait for an
// acknowledgment before the connection is given up. RFC 9293 3.9.1, RFC 5482.
//
// Counts from the last progress of SND.UNA, or from when something began to
// wait. A shut window is no progress, as on Linux. Before the handshake the SYN
// retries and the deadline of the dial decide. Of the hall; the timer itself is
// kUserTimeout.
#ifndef TCPIP_TRANSPORT_TCP_USER_TIMEOUT_H_
#define TCPIP_TRANSPORT_TCP_USER_TIMEOUT_H_

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/transport/tcp/timers.h"

namespace tcpip::tcp {

class UserTimeout {
 public:
  explicit UserTimeout(SeqNum snd_una) : snd_una_(snd_una) {}

  // When an event is over. `limit` zero: none; `waiting`: data or FIN is unsent
  // or unacknowledged.
  void Watch(Duration limit, bool waiting, SeqNum snd_una, Timers& timers,
             Instant now) {
    const bool progress = snd_una != snd_una_;
    snd_una_ = snd_una;
    if (limit == Duration::Zero() || !waiting) {
      timers.Cancel(TimerSlot::kUserTimeout);
    } else if (progress || !timers.IsArmed(TimerSlot::kUserTimeout)) {
      timers.Set(TimerSlot::kUserTimeout, now + limit);
    }
  }

 private:
  SeqNum snd_una_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_USER_TIMEOUT_H_
