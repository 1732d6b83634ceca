// poll() and epoll over descriptors whose readiness somebody else knows: level,
// edge (EPOLLET) and one shot, with Linux's rules for what is always reported.
// Pure; who waits, and until when, is posix_sockets'.
#ifndef CONFORMANCE_POSIX_POLL_H_
#define CONFORMANCE_POSIX_POLL_H_

#include <optional>

#include "absl/functional/function_ref.h"
#include "conformance/call.h"
#include "conformance/descriptor.h"

namespace conformance {

// What a descriptor is ready for; nullopt when it is not open.
using ReadyOf = absl::FunctionRef<std::optional<ReadyState>(int fd)>;

// Its value is how many entries have events.
CallResult PollNow(const call::Poll& call, ReadyOf ready);

// `fd` of the call is an open socket.
CallResult ControlEpoll(const call::EpollControl& call, EpollDescriptor& epoll);

// What epoll_wait() reports now, at most `max_events`; each counts as reported.
CallResult TakeEpollEvents(EpollDescriptor& epoll, int max_events,
                           ReadyOf ready);

// To be called whenever readiness may have changed: what has ceased is news
// when it comes again.
void NoteReadiness(EpollDescriptor& epoll, ReadyOf ready);

// The descriptor is closed: nobody is interested any more.
void ForgetDescriptor(EpollDescriptor& epoll, int fd);

}  // namespace conformance

#endif  // CONFORMANCE_POSIX_POLL_H_
