// Poller: waits for packets, room on the link, mail or a deadline; epoll.
//
// It looks for a moment before it sleeps, see busy_poll.h. Level-triggered.
// Room on the link is watched only while output is blocked, since a link nearly
// always has room and would never let us sleep. One thread.
#ifndef TCPIP_SHARD_POLLER_H_
#define TCPIP_SHARD_POLLER_H_

#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/shard/busy_poll.h"

namespace tcpip {

class Poller {
 public:
  struct Ready {
    bool readable = false;   // the link has packets
    bool writable = false;   // the link has room; only while watched
    bool link_lost = false;  // the link's device is gone; told once each time
  };

  // What it waits for: descriptors, which are not owned; -1 is none.
  struct Sources {
    int link = -1;
    int commands = -1;  // these two interrupt Wait while they are readable
    int packets = -1;   // of other shards
    Duration busy_poll = Duration::Zero();  // see BusyPoll
  };

  explicit Poller(const Sources& sources);
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
  // What is ready within `timeout`; nullopt when nothing is.
  std::optional<Ready> Sleep(Duration timeout);

  int epoll_fd_;
  int link_fd_;
  bool watch_writable_ = false;
  BusyPoll busy_poll_;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_POLLER_H_
