// CallGate: counts the calls that live long (streams, listeners, datagram
// sockets), refuses what passes the limit or comes while draining, and lets the
// drain wait for the rest.
#ifndef SERVICE_CALL_GATE_H_
#define SERVICE_CALL_GATE_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "absl/status/status.h"

namespace netstack::service {

class CallGate {
 public:
  explicit CallGate(uint32_t limit) : limit_(limit) {}

  // OK: the call is counted until Leave(). Otherwise RESOURCE_EXHAUSTED, or
  // UNAVAILABLE while draining.
  absl::Status Enter();
  void Leave();

  // Nobody enters any more.
  void Close();
  // True when the last call left before the time was up.
  bool WaitEmpty(std::chrono::nanoseconds at_most);

  uint32_t inside() const;
  uint64_t refused() const;

 private:
  const uint32_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  uint32_t inside_ = 0;   // guarded by mutex_
  uint64_t refused_ = 0;  // guarded by mutex_
  bool closed_ = false;   // guarded by mutex_
};

}  // namespace netstack::service

#endif  // SERVICE_CALL_GATE_H_
