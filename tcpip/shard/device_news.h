// DeviceNews: what shards see of their queues, made into what is to be told of
// the device whose queues they are. Shared by the shards of a group.
//
// A device is lost with its first queue and back with its last. What one queue
// is refused is told of the device, until somebody switches offloads again.
#ifndef TCPIP_SHARD_DEVICE_NEWS_H_
#define TCPIP_SHARD_DEVICE_NEWS_H_

#include <cstddef>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "tcpip/link/link.h"

namespace tcpip {

// Who wants to know what becomes of a device. Called on the thread of whichever
// shard saw it, one call at a time; must not wait for a shard, nor stop one.
class DeviceObserver {
 public:
  virtual ~DeviceObserver() = default;

  // It is gone (deleted), and there is one of its name again. In between the
  // shards go on with their loopback, and what is to be sent waits.
  virtual void OnLinkLost() {}
  virtual void OnLinkBack() {}
  // There is one of its name that cannot be had; said once for each reason.
  virtual void OnLinkUnusable(const absl::Status& /*why*/) {}
  // It keeps refusing what it had said it would do: from now on we do it
  // ourselves. `refused` is all it has refused since somebody last switched
  // offloads. [fault L01]
  virtual void OnOffloadsRefused(const LinkOffloads& /*refused*/) {}
};

class DeviceNews {
 public:
  // `observer` may be null and outlives this.
  DeviceNews(size_t queues, DeviceObserver* observer)
      : observer_(observer), refused_(queues) {}

  // All from any thread.

  void OnQueueLost();
  void OnQueueBack();
  void OnQueueUnusable(const absl::Status& why);
  // What the queue has been refused since its offloads were switched; none:
  // they just were. Said whenever that changes.
  void OnRefused(size_t queue, const LinkOffloads& refused);

 private:
  DeviceObserver* const observer_;
  std::mutex mutex_;                   // held while the observer is told
  size_t lost_ = 0;                    // queues; guarded by mutex_
  absl::Status unusable_;              // guarded by mutex_
  std::vector<LinkOffloads> refused_;  // by queue; guarded by mutex_
  LinkOffloads told_;                  // guarded by mutex_
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_DEVICE_NEWS_H_
