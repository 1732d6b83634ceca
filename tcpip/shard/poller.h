// Poller: waits for packets, room on the link, mail or a deadline; epoll.
//
// Level-triggered. Room on the link is watched only while output is blocked,
// since a link nearly always has room and would never let us sleep. One thread.
#ifndef TCPIP_SHARD_POLLER_H_
#define TCPIP_SHARD_POLLER_H_

#include "tcpip/base/time.h"

namespace tcpip {

class Poller {
 public:
  struct Ready {
    bool readable = false;   // the link has packets
    bool writable = false;   // the link has room; only while watched
    bool link_lost = false;  // the link's device is gone; told once each time
  };

  // Neither descriptor is owned; link_fd may be -1. `wake_fd` interrupts Wait
  // while it is readable.
  Poller(int link_fd, int wake_fd);
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  void WatchWritable(bool on);
  // A link that was lost is back, maybe under another descriptor.
  void WatchLink(int link_fd);

  // Waits at most `timeout` (nanosecond resolution; zero does not wait).
  Ready Wait(Duration timeout);

 private:
  void ControlLink(int operation);

  int epoll_fd_;
  int link_fd_;
  bool watch_writable_ = false;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_POLLER_H_
