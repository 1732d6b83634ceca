#include "tcpip/shard/poller.h"

#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "tcpip/shard/host.h"

namespace tcpip {
namespace {

// Failing here means that this process has no descriptors left at start.
int OrDie(int result, const char* what) {
  if (result >= 0) return result;
  std::perror(what);
  std::abort();
}

using Events = std::array<epoll_event, 3>;  // one for each descriptor

int WaitFor(int epoll_fd, Events& events, Duration timeout) {
  constexpr int64_t kNanosecond = 1'000'000'000;
  const timespec spec = {timeout.nanoseconds() / kNanosecond,
                         timeout.nanoseconds() % kNanosecond};
  const int n =
      epoll_pwait2(epoll_fd, events.data(), events.size(), &spec, nullptr);
  if (n >= 0 || (errno != ENOSYS && errno != EPERM)) return n;
  // Kernels before 5.11, and sandboxes that do not know the call: whole
  // milliseconds, rounded up so that a wait never becomes a busy loop.
  constexpr int64_t kLongestMs = 1'000'000;
  const int64_t ms = std::min(
      (timeout + Duration::Nanoseconds(999'999)).milliseconds(), kLongestMs);
  return epoll_wait(epoll_fd, events.data(), events.size(),
                    static_cast<int>(ms));
}

}  // namespace

Poller::Poller(const Sources& sources)
    : epoll_fd_(OrDie(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      link_fd_(sources.link),
      busy_poll_(sources.busy_poll) {
  for (int fd : {sources.link, sources.commands, sources.packets}) {
    if (fd < 0) continue;
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.fd = fd;
    OrDie(epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  }
}

Poller::~Poller() { close(epoll_fd_); }

void Poller::WatchWritable(bool on) {
  if (on == watch_writable_) return;
  watch_writable_ = on;
  if (link_fd_ >= 0) ControlLink(EPOLL_CTL_MOD);
}

void Poller::WatchLink(int link_fd) {
  link_fd_ = link_fd;
  if (link_fd_ >= 0) ControlLink(EPOLL_CTL_ADD);
}

void Poller::ControlLink(int operation) {
  epoll_event event = {};
  event.events = watch_writable_ ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.fd = link_fd_;
  OrDie(epoll_ctl(epoll_fd_, operation, link_fd_, &event), "epoll_ctl");
}

Poller::Ready Poller::Wait(Duration timeout) {
  timeout = std::max(timeout, Duration::Zero());
  const Instant start = HostNow();
  const Duration busy = std::min(busy_poll_.window(), timeout);
  std::optional<Ready> ready;
  while (!ready && HostNow() - start < busy) ready = Sleep(Duration::Zero());
  if (!ready) ready = Sleep(timeout - busy);
  busy_poll_.OnWaited(HostNow() - start);
  return ready.value_or(Ready());
}

std::optional<Poller::Ready> Poller::Sleep(Duration timeout) {
  Ready ready;
  Events events;
  const int n = WaitFor(epoll_fd_, events, timeout);
  if (n <= 0) return std::nullopt;
  for (int i = 0; i < n; ++i) {
    if (events[i].data.fd != link_fd_) continue;
    ready.readable = (events[i].events & EPOLLIN) != 0;
    ready.writable = (events[i].events & EPOLLOUT) != 0;
    if ((events[i].events & (EPOLLERR | EPOLLHUP)) != 0) {
      // A TUN device reports this when it was deleted, and for ever.
      epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, link_fd_, nullptr);
      link_fd_ = -1;
      ready.link_lost = true;
    }
  }
  return ready;
}

}  // namespace tcpip
