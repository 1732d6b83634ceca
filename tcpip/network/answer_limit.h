// A token bucket for answers to packets nobody owns (RST, ICMP errors), so
// that no stranger makes us send more than a set rate. RFC 1812 4.3.2.8,
// RFC 4443 2.4(f). Kept as one instant: the time at which the bucket is full.
#ifndef TCPIP_NETWORK_ANSWER_LIMIT_H_
#define TCPIP_NETWORK_ANSWER_LIMIT_H_

#include <algorithm>
#include <cstdint>

#include "tcpip/base/time.h"

namespace tcpip {

class AnswerLimit {
 public:
  // Starts full. A rate or burst of 0 allows nothing.
  AnswerLimit(uint32_t per_second, uint32_t burst, Instant now)
      : full_at_(now),
        per_answer_(Duration::Seconds(1) / std::max(per_second, 1u)),
        bucket_(per_answer_ * (per_second == 0 ? 0 : burst)) {}

  // True when one more answer may leave now.
  bool Take(Instant now) {
    const Instant full_at = std::max(full_at_, now) + per_answer_;
    if (full_at - now > bucket_) return false;
    full_at_ = full_at;
    return true;
  }

 private:
  Instant full_at_;
  Duration per_answer_;
  Duration bucket_;  // time from empty to full
};

}  // namespace tcpip

#endif  // TCPIP_NETWORK_ANSWER_LIMIT_H_
