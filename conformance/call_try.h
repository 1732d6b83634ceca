// What a call comes to when it is tried: a result, or nothing yet. Short names
// for the results there are.
#ifndef CONFORMANCE_CALL_TRY_H_
#define CONFORMANCE_CALL_TRY_H_

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/call.h"
#include "conformance/linux_constants.h"
#include "tcpip/base/time.h"

namespace conformance {

// The call has to wait; it is tried again when something has happened.
struct Blocked {
  int error = Linux("EAGAIN");  // what it fails with when it must not wait
};

using Tried = std::variant<CallResult, Blocked>;

inline CallResult Value(int64_t value) { return {.value = value}; }
inline CallResult Failed(int error) { return {.value = -1, .error = error}; }
inline CallResult Unsupported(std::string what) {
  return {.value = -1, .unsupported = std::move(what)};
}

// Of the buffers of a call.
inline size_t TotalOf(const std::vector<uint32_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), size_t{0});
}

// A call under way, from one try to the next.
struct Attempt {
  tcpip::Instant now;
  bool is_first = true;
  size_t done = 0;  // bytes that went already
};

}  // namespace conformance

#endif  // CONFORMANCE_CALL_TRY_H_
