// Bounded multi-producer, single-consumer queues of values with a wake-up: the
// only way into a shard (Mailbox<Command>) and out of it (ReplyQueue).
//
// A full queue is an answer (TryPush returns false), never a wait. One wake-up
// per batch: a producer writes the eventfd only when the queue was empty.
// std::mutex, because the distribution's Abseil is not built for the thread
// sanitizer.
#ifndef TCPIP_SHARD_MAILBOX_H_
#define TCPIP_SHARD_MAILBOX_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "tcpip/shard/command.h"

namespace tcpip {

// An eventfd: readable from Set() to Clear().
class WakeEvent {
 public:
  WakeEvent();
  ~WakeEvent();
  WakeEvent(const WakeEvent&) = delete;
  WakeEvent& operator=(const WakeEvent&) = delete;

  void Set();    // any thread
  void Clear();  // any thread
  int fd() const { return fd_; }

 private:
  int fd_;
};

template <typename T>
class Mailbox {
 public:
  explicit Mailbox(size_t capacity) : capacity_(capacity) {}

  // False when full or closed; `value` is untouched then. Any thread.
  bool TryPush(T&& value) { return PushBelow(capacity_, std::move(value)); }

  // False only when closed: for values whose number is bounded elsewhere and
  // whose loss would not be made good. Any thread.
  bool Push(T&& value) { return PushBelow(SIZE_MAX, std::move(value)); }

  // Moves everything queued to the end of `to`; false once closed. Clears the
  // wake-up. Consumer only.
  bool PopAll(std::vector<T>& to) {
    std::lock_guard lock(mutex_);
    if (queue_.empty()) return !closed_;
    wake_.Clear();
    if (to.empty()) {
      std::swap(to, queue_);  // both keep their storage
    } else {
      to.insert(to.end(), std::make_move_iterator(queue_.begin()),
                std::make_move_iterator(queue_.end()));
      queue_.clear();
    }
    return !closed_;
  }

  int wake_fd() const { return wake_.fd(); }  // readable while mail waits

  // Later pushes fail; what is queued can still be popped. Wakes the consumer.
  void Close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    wake_.Set();
  }
  bool closed() const {
    std::lock_guard lock(mutex_);
    return closed_;
  }

 private:
  bool PushBelow(size_t limit, T&& value) {
    std::lock_guard lock(mutex_);
    if (closed_ || queue_.size() >= limit) return false;
    queue_.push_back(std::move(value));
    if (queue_.size() == 1) wake_.Set();
    return true;
  }

  const size_t capacity_;
  WakeEvent wake_;
  mutable std::mutex mutex_;
  std::vector<T> queue_;  // guarded by mutex_
  bool closed_ = false;   // guarded by mutex_
};

// Replies of one client of the shard. Never full: a poster that has N commands
// outstanding has at most N replies coming.
class ReplyQueue final : public ReplySink {
 public:
  // False after Close. Shard thread.
  bool Push(Reply&& reply) override;
  // Waits for at least one reply; false after Close with nothing left. Client
  // thread.
  bool WaitPopAll(std::vector<Reply>& to);
  // What is there, without waiting. Client thread.
  void PopAll(std::vector<Reply>& to);
  void Close();  // any thread

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Reply> queue_;  // guarded by mutex_
  bool closed_ = false;       // guarded by mutex_
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_MAILBOX_H_
