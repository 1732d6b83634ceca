// The sockets of one process in virtual time, as Linux has them, on top of a
// Stack: descriptors, calls that block, poll and epoll. For scripts that say
// read() where our API says TcpRecv; no part of the product's API.
//
// A call is started and finishes when it can, at once or in OnProgress(). What
// calls mean is in posix_tcp, posix_udp and posix_poll; here is who waits.
//
//   const auto id = sockets.Start(call::Accept{.fd = 3}, now);
//   ... step the stack, then sockets.OnProgress(now) ...
//   if (auto finished = sockets.Take(id)) ...
#ifndef CONFORMANCE_POSIX_SOCKETS_H_
#define CONFORMANCE_POSIX_SOCKETS_H_

#include <cstdint>
#include <map>
#include <optional>

#include "conformance/call.h"
#include "conformance/call_try.h"
#include "conformance/descriptor.h"
#include "conformance/posix_options.h"
#include "conformance/posix_tcp.h"
#include "conformance/posix_udp.h"
#include "tcpip/base/time.h"
#include "tcpip/stack/stack.h"

namespace conformance {

using PosixDefaults = SocketOptions;  // of new sockets

class PosixSockets {
 public:
  using CallId = uint64_t;
  struct Finished {
    tcpip::Instant at;
    CallResult result;
  };

  // The stack outlives it.
  PosixSockets(tcpip::Stack& stack, const PosixDefaults& defaults);
  PosixSockets(const PosixSockets&) = delete;
  PosixSockets& operator=(const PosixSockets&) = delete;

  CallId Start(const Call& call, tcpip::Instant now);
  // Goes on with what blocks: after every step of the stack, and at
  // NextDeadline(). Takes the stack's events.
  void OnProgress(tcpip::Instant now);
  // When a poll() or epoll_wait() gives up.
  tcpip::Instant NextDeadline() const;
  // The call's result, once it has finished, and once.
  std::optional<Finished> Take(CallId id);

 private:
  struct Waiting {
    Call call;
    Attempt attempt;
    tcpip::Instant deadline = tcpip::Instant::Never();
  };

  // True when the call has finished.
  bool TryToFinish(CallId id, Waiting& waiting);

  // One try of each call.
  Tried Run(const call::Socket& call, Waiting& waiting);
  Tried Run(const call::Close& call, Waiting& waiting);
  Tried Run(const call::Fcntl& call, Waiting& waiting);
  Tried Run(const call::Poll& call, Waiting& waiting);
  Tried Run(const call::EpollCreate& call, Waiting& waiting);
  Tried Run(const call::EpollControl& call, Waiting& waiting);
  Tried Run(const call::EpollWait& call, Waiting& waiting);
  // Those that are a socket's alone.
  template <typename SocketCall>
  Tried Run(const SocketCall& call, Waiting& waiting);

  static Tried UnlessNothing(CallResult found, const Waiting& waiting);
  std::optional<ReadyState> Ready(int fd);
  EpollDescriptor* FindEpoll(int fd);
  bool IsWaitedFor(int fd) const;
  bool MayWait(const Call& call);
  void NoteReadiness();

  tcpip::Stack& stack_;
  PosixDefaults defaults_;
  DescriptorTable table_;
  PosixTcp tcp_;
  PosixUdp udp_;
  CallId last_id_ = 0;
  std::map<CallId, Waiting> waiting_;
  std::map<CallId, Finished> finished_;
};

}  // namespace conformance

#endif  // CONFORMANCE_POSIX_SOCKETS_H_
