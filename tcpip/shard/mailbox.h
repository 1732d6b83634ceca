// Bounded multi-producer, single-consumer queues of values with a wake-up: the
// only way into a shard (Mailbox<Command>) and out of it (ReplyQueue).
//
// A full queue is an answer (TryPush returns false), never a wait. One wake-up
// per batch: a producer writes the eventfd only when the queue was empty.
// std::mutex, because the distribution's Abseil is not built for the thread
// sanitizer.
#ifndef TCPIP_SHARD_MAILBOX_H_
#define TCPIP_SHARD_MAILBOX_H_

#include <cstddef>
#include <vector>

#include "tcpip/shard/command.h"

namespace tcpip {

template <typename T>
class Mailbox {
 public:
  explicit Mailbox(size_t capacity);
  ~Mailbox();

  bool TryPush(T&& value);          // any thread
  // Moves everything queued to the end of `to`; consumer only. Clears the
  // wake-up.
  void PopAll(std::vector<T>& to);
  int wake_fd() const;              // readable while something is queued
  void Close();                     // later pushes fail
  bool closed() const;

 private:
  struct State;
};

// Replies of one client of the shard. Never full: a poster that has N commands
// outstanding has at most N replies coming.
class ReplyQueue {
 public:
  void Push(Reply&& reply);                 // shard thread
  // Waits for at least one reply; false after Close with nothing left.
  bool WaitPopAll(std::vector<Reply>& to);  // client thread
  void Close();
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_MAILBOX_H_
