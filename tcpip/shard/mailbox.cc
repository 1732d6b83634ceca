#include "tcpip/shard/mailbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace tcpip {
namespace {

template <typename T>
void MoveAll(std::vector<T>& from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()),
            std::make_move_iterator(from.end()));
  from.clear();
}

}  // namespace

WakeEvent::WakeEvent() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (fd_ >= 0) return;
  std::perror("eventfd");  // no descriptors left at start
  std::abort();
}

WakeEvent::~WakeEvent() { close(fd_); }

void WakeEvent::Set() { eventfd_write(fd_, 1); }

void WakeEvent::Clear() {
  eventfd_t count;
  eventfd_read(fd_, &count);
}

bool ReplyQueue::Push(Reply&& reply) {
  std::lock_guard lock(mutex_);
  if (closed_) return false;
  queue_.push_back(std::move(reply));
  if (queue_.size() == 1) arrived_.notify_one();
  return true;
}

bool ReplyQueue::WaitPopAll(std::vector<Reply>& to) {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return closed_ || !queue_.empty(); });
  if (queue_.empty()) return false;
  MoveAll(queue_, to);
  return true;
}

void ReplyQueue::PopAll(std::vector<Reply>& to) {
  std::lock_guard lock(mutex_);
  MoveAll(queue_, to);
}

void ReplyQueue::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  arrived_.notify_all();
}

}  // namespace tcpip
