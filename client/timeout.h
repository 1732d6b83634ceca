// How long a blocking call of the client library may wait.
#ifndef CLIENT_TIMEOUT_H_
#define CLIENT_TIMEOUT_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "tcpip/base/time.h"

namespace netstack {

// nullopt: for ever.
using Timeout = std::optional<tcpip::Duration>;

// False when `ready` was still false as the time was up.
template <typename Predicate>
bool WaitFor(std::condition_variable& changed,
             std::unique_lock<std::mutex>& lock, Timeout timeout,
             Predicate ready) {
  if (timeout.has_value()) {
    return changed.wait_for(
        lock, std::chrono::nanoseconds(timeout->nanoseconds()), ready);
  }
  changed.wait(lock, ready);
  return true;
}

}  // namespace netstack

#endif  // CLIENT_TIMEOUT_H_
