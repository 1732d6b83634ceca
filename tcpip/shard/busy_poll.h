// BusyPoll: how long a shard goes on looking for work before it sleeps.
//
// Falling asleep and being woken costs more than a short look, and the waker
// pays too. So it looks first, gives up once a look finds nothing, and looks
// again after a sleep that lasted no more than two windows (about one of which
// is the waking).
#ifndef TCPIP_SHARD_BUSY_POLL_H_
#define TCPIP_SHARD_BUSY_POLL_H_

#include "tcpip/base/time.h"

namespace tcpip {

class BusyPoll {
 public:
  // Zero: never.
  explicit BusyPoll(Duration longest) : longest_(longest) {}

  // How long to look this time.
  Duration window() const { return pays_ ? longest_ : Duration::Zero(); }
  // After `waited`, looking and asleep, there was work, or a deadline passed.
  void OnWaited(Duration waited) { pays_ = waited <= 2 * longest_; }

 private:
  const Duration longest_;
  bool pays_ = false;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_BUSY_POLL_H_
