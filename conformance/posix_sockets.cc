#include "conformance/posix_sockets.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "conformance/linux_constants.h"
#include "conformance/posix_poll.h"

namespace conformance {
namespace {

using tcpip::Duration;
using tcpip::Instant;

// -1 for a call that is about no descriptor, or about many.
int DescriptorOf(const Call& call) {
  return std::visit(
      [](const auto& c) {
        using C = std::decay_t<decltype(c)>;
        if constexpr (std::is_same_v<C, call::Socket> ||
                      std::is_same_v<C, call::Poll> ||
                      std::is_same_v<C, call::EpollCreate>) {
          return -1;
        } else if constexpr (std::is_same_v<C, call::EpollControl> ||
                             std::is_same_v<C, call::EpollWait>) {
          return c.epoll_fd;
        } else {
          return c.fd;
        }
      },
      call);
}

bool SaysDontWait(const Call& call) {
  const auto* receive = std::get_if<call::Receive>(&call);
  const auto* send = std::get_if<call::Send>(&call);
  const int flags = receive ? receive->flags : send ? send->flags : 0;
  return (flags & Linux("MSG_DONTWAIT")) != 0;
}

Instant DeadlineOf(const Call& call, Instant now) {
  const auto* poll = std::get_if<call::Poll>(&call);
  const auto* epoll = std::get_if<call::EpollWait>(&call);
  const int ms = poll ? poll->timeout_ms : epoll ? epoll->timeout_ms : -1;
  return ms < 0 ? Instant::Never() : now + Duration::Milliseconds(ms);
}

// What a call does that has waited long enough, or must not wait.
CallResult GiveUp(const Attempt& attempt, const Blocked& blocked) {
  if (attempt.done == 0) return Failed(blocked.error);
  return Value(static_cast<int64_t>(attempt.done));
}

}  // namespace

PosixSockets::PosixSockets(tcpip::Stack& stack, const PosixDefaults& defaults)
    : stack_(stack), defaults_(defaults), tcp_(stack, table_), udp_(stack) {}

// --- Who waits.

PosixSockets::CallId PosixSockets::Start(const Call& call, Instant now) {
  const CallId id = ++last_id_;
  Waiting waiting = {
      .call = call, .attempt = {.now = now}, .deadline = DeadlineOf(call, now)};
  if (!TryToFinish(id, waiting)) waiting_.emplace(id, std::move(waiting));
  NoteReadiness();
  return id;
}

void PosixSockets::OnProgress(Instant now) {
  // What blocks is tried anyway: there are few such calls.
  while (stack_.NextReady()) {
  }
  NoteReadiness();
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    it->second.attempt.now = now;
    it =
        TryToFinish(it->first, it->second) ? waiting_.erase(it) : std::next(it);
  }
  NoteReadiness();
}

bool PosixSockets::TryToFinish(CallId id, Waiting& waiting) {
  Attempt& attempt = waiting.attempt;
  Tried outcome = std::visit(
      [&](const auto& call) { return Run(call, waiting); }, waiting.call);
  if (const auto* blocked = std::get_if<Blocked>(&outcome)) {
    if (!attempt.is_first || MayWait(waiting.call)) {
      attempt.is_first = false;
      return false;
    }
    outcome = GiveUp(attempt, *blocked);
  }
  finished_.emplace(
      id, Finished{attempt.now, std::get<CallResult>(std::move(outcome))});
  return true;
}

bool PosixSockets::MayWait(const Call& call) {
  const Descriptor* const d = table_.Find(DescriptorOf(call));
  return !SaysDontWait(call) && (d == nullptr || !d->nonblocking);
}

Instant PosixSockets::NextDeadline() const {
  Instant next = Instant::Never();
  for (const auto& [id, waiting] : waiting_) {
    next = std::min(next, waiting.deadline);
  }
  return next;
}

std::optional<PosixSockets::Finished> PosixSockets::Take(CallId id) {
  const auto it = finished_.find(id);
  if (it == finished_.end()) return std::nullopt;
  Finished finished = std::move(it->second);
  finished_.erase(it);
  return finished;
}

bool PosixSockets::IsWaitedFor(int fd) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [fd](const auto& w) {
    return DescriptorOf(w.second.call) == fd;
  });
}

// --- Any descriptor.

Tried PosixSockets::Run(const call::Socket& call, Waiting&) {
  constexpr int kFlags = Linux("SOCK_NONBLOCK") | Linux("SOCK_CLOEXEC");
  if (call.domain != Linux("AF_INET") && call.domain != Linux("AF_INET6")) {
    return Failed(Linux("EAFNOSUPPORT"));
  }
  Descriptor d;
  d.nonblocking = (call.type & Linux("SOCK_NONBLOCK")) != 0;
  const int type = call.type & ~kFlags;
  int protocol = Linux("IPPROTO_TCP");
  if (type == Linux("SOCK_STREAM")) {
    d.kind = TcpDescriptor{.domain = call.domain, .options = defaults_};
  } else if (type == Linux("SOCK_DGRAM")) {
    d.kind = UdpDescriptor{.domain = call.domain, .options = defaults_};
    protocol = Linux("IPPROTO_UDP");
  } else {
    return Unsupported(absl::StrCat("socket type ", type));
  }
  if (call.protocol == Linux("IPPROTO_MPTCP")) {
    return Unsupported("protocol IPPROTO_MPTCP");
  }
  if (call.protocol != 0 && call.protocol != protocol) {
    return Failed(Linux("EPROTONOSUPPORT"));
  }
  return Value(table_.Add(std::move(d)));
}

Tried PosixSockets::Run(const call::Close& call, Waiting& waiting) {
  Descriptor* const d = table_.Find(call.fd);
  if (d == nullptr) return Failed(Linux("EBADF"));
  // In Linux it would be closed when that call returns.
  if (IsWaitedFor(call.fd)) {
    return Unsupported("closing a descriptor that a call waits for");
  }
  if (auto* tcp = std::get_if<TcpDescriptor>(&d->kind)) {
    tcp_.Close(*tcp, waiting.attempt.now);
  } else if (auto* udp = std::get_if<UdpDescriptor>(&d->kind)) {
    udp_.Close(*udp, waiting.attempt.now);
  }
  table_.Remove(call.fd);
  for (auto& [fd, other] : table_.all()) {
    auto* const epoll = std::get_if<EpollDescriptor>(&other.kind);
    if (epoll != nullptr) ForgetDescriptor(*epoll, call.fd);
  }
  return Value(0);
}

Tried PosixSockets::Run(const call::Fcntl& call, Waiting&) {
  Descriptor* const d = table_.Find(call.fd);
  if (d == nullptr) return Failed(Linux("EBADF"));
  constexpr int kNonblock = Linux("O_NONBLOCK");
  switch (call.command) {
    case Linux("F_GETFL"):
      return Value(Linux("O_RDWR") | (d->nonblocking ? kNonblock : 0));
    case Linux("F_SETFL"):
      d->nonblocking = (call.argument & kNonblock) != 0;
      return Value(0);
    default:
      return Unsupported(absl::StrCat("fcntl ", call.command));
  }
}

template <typename SocketCall>
Tried PosixSockets::Run(const SocketCall& call, Waiting& waiting) {
  Descriptor* const d = table_.Find(call.fd);
  if (d == nullptr) return Failed(Linux("EBADF"));
  if (auto* tcp = std::get_if<TcpDescriptor>(&d->kind)) {
    return tcp_.On(*tcp, call, waiting.attempt);
  }
  if (auto* udp = std::get_if<UdpDescriptor>(&d->kind)) {
    return udp_.On(*udp, call, waiting.attempt);
  }
  return Failed(Linux("ENOTSOCK"));
}

// --- poll and epoll.

// To find nothing is no error when the time is up.
Tried PosixSockets::UnlessNothing(CallResult found, const Waiting& waiting) {
  if (found.value == 0 && waiting.attempt.now < waiting.deadline) {
    return Blocked();
  }
  return found;
}

std::optional<ReadyState> PosixSockets::Ready(int fd) {
  const Descriptor* const d = table_.Find(fd);
  if (d == nullptr) return std::nullopt;
  if (auto* tcp = std::get_if<TcpDescriptor>(&d->kind)) {
    return tcp_.Ready(*tcp);
  }
  if (auto* udp = std::get_if<UdpDescriptor>(&d->kind)) {
    return udp_.Ready(*udp);
  }
  return ReadyState{};  // who waits for epoll itself calls epoll_wait()
}

EpollDescriptor* PosixSockets::FindEpoll(int fd) {
  Descriptor* const d = table_.Find(fd);
  return d == nullptr ? nullptr : std::get_if<EpollDescriptor>(&d->kind);
}

void PosixSockets::NoteReadiness() {
  for (auto& [fd, d] : table_.all()) {
    if (auto* const epoll = std::get_if<EpollDescriptor>(&d.kind)) {
      conformance::NoteReadiness(*epoll, [this](int f) { return Ready(f); });
    }
  }
}

Tried PosixSockets::Run(const call::Poll& call, Waiting& waiting) {
  for (const call::PollEntry& entry : call.entries) {
    if (FindEpoll(entry.fd) != nullptr) {
      return Unsupported("poll of an epoll descriptor");
    }
  }
  return UnlessNothing(PollNow(call, [this](int fd) { return Ready(fd); }),
                       waiting);
}

Tried PosixSockets::Run(const call::EpollCreate& call, Waiting&) {
  if (call.flags & ~Linux("EPOLL_CLOEXEC")) return Failed(Linux("EINVAL"));
  return Value(table_.Add({.kind = EpollDescriptor{}}));
}

Tried PosixSockets::Run(const call::EpollControl& call, Waiting&) {
  if (!table_.Find(call.epoll_fd) || !table_.Find(call.fd)) {
    return Failed(Linux("EBADF"));
  }
  EpollDescriptor* const epoll = FindEpoll(call.epoll_fd);
  if (epoll == nullptr || call.fd == call.epoll_fd) {
    return Failed(Linux("EINVAL"));
  }
  if (FindEpoll(call.fd)) return Unsupported("epoll within epoll");
  return ControlEpoll(call, *epoll);
}

Tried PosixSockets::Run(const call::EpollWait& call, Waiting& waiting) {
  if (!table_.Find(call.epoll_fd)) return Failed(Linux("EBADF"));
  EpollDescriptor* const epoll = FindEpoll(call.epoll_fd);
  if (epoll == nullptr || call.max_events <= 0) {
    return Failed(Linux("EINVAL"));
  }
  return UnlessNothing(TakeEpollEvents(*epoll, call.max_events,
                                       [this](int fd) { return Ready(fd); }),
                       waiting);
}

}  // namespace conformance
