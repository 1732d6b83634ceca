// LinkWatch: when to look after a shard's link: asks its device for news once a
// second while the shard is awake anyway, and tries to get a lost device back,
// less and less often. A value that is told the time; the loop acts on it.
//
// It wakes nobody but for a lost device: what a device has become does not
// matter before there are packets again.
#ifndef TCPIP_SHARD_LINK_WATCH_H_
#define TCPIP_SHARD_LINK_WATCH_H_

#include <optional>

#include "absl/status/status.h"
#include "tcpip/base/time.h"
#include "tcpip/link/link.h"

namespace tcpip {

class LinkWatch {
 public:
  // `link` outlives this.
  LinkWatch(Link& link, Instant now);

  // The device is gone.
  void OnLost(Instant now);
  bool lost() const { return lost_; }

  // Does what is due. OK when a lost device has come back; else why the one of
  // its name that is there cannot be had, as often as that was tried but once.
  std::optional<absl::Status> Tend(Instant now);

  // When Tend must run at the latest: Never, unless the device is lost.
  Instant NextDeadline() const;

 private:
  Link& link_;
  bool lost_ = false;
  absl::Status reopened_;  // how the last attempt ended
  Duration pause_;
  Instant next_;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_LINK_WATCH_H_
