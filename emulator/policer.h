// Policer: a token bucket that drops what exceeds a rate, where a shaper would
// make it wait. RFC 2697 2 with one bucket.
//
// A calculator: PathModel tells it what passes and when. No tokens are counted:
// the instant at which the bucket will be full again says the same. A packet
// costs up to a nanosecond too much, since times round up.
#ifndef EMULATOR_POLICER_H_
#define EMULATOR_POLICER_H_

#include <algorithm>
#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/base/units.h"

namespace emulator {

struct PolicerConfig {
  tcpip::Bandwidth rate = {};  // zero: everything passes
  uint32_t burst_bytes = 0;    // the bucket; it is full to begin with

  friend bool operator==(const PolicerConfig&, const PolicerConfig&) = default;
};

class Policer {
 public:
  explicit Policer(const PolicerConfig& config)
      : rate_(config.rate), burst_(rate_.TransmitTime(config.burst_bytes)) {}

  // Takes the packet's tokens; false, and none taken, when there are too few.
  bool Passes(uint32_t bytes, tcpip::Instant now) {
    if (rate_.IsZero()) return true;
    const tcpip::Instant full_at =
        std::max(full_at_, now) + rate_.TransmitTime(bytes);
    if (full_at - now > burst_) return false;
    full_at_ = full_at;
    return true;
  }

 private:
  tcpip::Bandwidth rate_;
  tcpip::Duration burst_;  // from empty to full
  tcpip::Instant full_at_;
};

}  // namespace emulator

#endif  // EMULATOR_POLICER_H_
