#include "conformance/posix_poll.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "conformance/call_try.h"
#include "conformance/linux_constants.h"

namespace conformance {
namespace {

using Interest = EpollDescriptor::Interest;

// Whether asked for or not. poll() and epoll have one set of numbers.
constexpr uint32_t kAlways = Linux("POLLERR") | Linux("POLLHUP");
constexpr auto kEdge = static_cast<uint32_t>(Linux("EPOLLET"));
constexpr uint32_t kOneShot = Linux("EPOLLONESHOT");

uint32_t EventsOf(const Interest& interest, const ReadyState& ready) {
  if (interest.disarmed) return 0;
  const uint32_t events = ready.events & (interest.event.events | kAlways);
  if (!(interest.event.events & kEdge)) return events;
  const bool is_new = (events & ~interest.reported.events) != 0;
  const bool has_more = (events & Linux("EPOLLIN")) != 0 &&
                        ready.arrivals > interest.reported.arrivals;
  return is_new || has_more ? events : 0;
}

}  // namespace

CallResult PollNow(const call::Poll& call, ReadyOf ready) {
  CallResult result;
  result.poll = call.entries;
  for (call::PollEntry& entry : result.poll) {
    entry.revents = 0;
    if (entry.fd < 0) continue;  // not asked about
    const std::optional<ReadyState> state = ready(entry.fd);
    entry.revents =
        state
            ? static_cast<int>(state->events &
                               (static_cast<uint32_t>(entry.events) | kAlways))
            : Linux("POLLNVAL");
    if (entry.revents != 0) ++result.value;
  }
  return result;
}

CallResult ControlEpoll(const call::EpollControl& call,
                        EpollDescriptor& epoll) {
  const auto it =
      std::find_if(epoll.interests.begin(), epoll.interests.end(),
                   [&](const Interest& i) { return i.fd == call.fd; });
  const bool known = it != epoll.interests.end();
  switch (call.operation) {
    case Linux("EPOLL_CTL_ADD"):
      if (known) return Failed(Linux("EEXIST"));
      epoll.interests.push_back({.fd = call.fd, .event = call.event});
      return Value(0);
    case Linux("EPOLL_CTL_MOD"):
      if (!known) return Failed(Linux("ENOENT"));
      // What is ready now is reported afresh.
      *it = {.fd = call.fd, .event = call.event};
      return Value(0);
    case Linux("EPOLL_CTL_DEL"):
      if (!known) return Failed(Linux("ENOENT"));
      epoll.interests.erase(it);
      return Value(0);
    default:
      return Failed(Linux("EINVAL"));
  }
}

CallResult TakeEpollEvents(EpollDescriptor& epoll, int max_events,
                           ReadyOf ready) {
  CallResult result;
  for (Interest& interest : epoll.interests) {
    if (result.value == max_events) break;
    const ReadyState state = ready(interest.fd).value_or(ReadyState{});
    const uint32_t events = EventsOf(interest, state);
    if (events == 0) continue;
    interest.reported = {events, state.arrivals};
    interest.disarmed = (interest.event.events & kOneShot) != 0;
    result.epoll.push_back({events, interest.event.data});
    ++result.value;
  }
  return result;
}

void NoteReadiness(EpollDescriptor& epoll, ReadyOf ready) {
  for (Interest& interest : epoll.interests) {
    interest.reported.events &=
        ready(interest.fd).value_or(ReadyState{}).events;
  }
}

void ForgetDescriptor(EpollDescriptor& epoll, int fd) {
  std::erase_if(epoll.interests,
                [fd](const Interest& i) { return i.fd == fd; });
}

}  // namespace conformance
