// Token buckets for answers to packets nobody owns (RST, ICMP errors), so that
// no stranger makes us send more than a set rate. RFC 1812 4.3.2.8, RFC 4443
// 2.4(f). A bucket is kept as one instant: the time at which it is full.
#ifndef TCPIP_NETWORK_ANSWER_LIMIT_H_
#define TCPIP_NETWORK_ANSWER_LIMIT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tcpip/base/time.h"
#include "tcpip/wire/address.h"

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

// One bucket for all answers, and half of it for each group of receivers: one
// receiver can use up only its group's half, and the other is left to the rest.
// The hash needs no key: who can invent sources that share a victim's group can
// invent the victim's address as well.
class AnswerLimits {
 public:
  AnswerLimits(uint32_t per_second, uint32_t burst, Instant now)
      : all_(per_second, burst, now),
        shares_(kGroups, AnswerLimit(per_second - per_second / 2,
                                     burst - burst / 2, now)) {}

  // True when one more answer may leave for `receiver` now.
  bool Take(const IpAddress& receiver, Instant now) {
    return shares_[GroupOf(receiver)].Take(now) && all_.Take(now);
  }

 private:
  static constexpr size_t kGroups = 256;

  static size_t GroupOf(const IpAddress& receiver) {
    return SpreadOf(receiver) >> 24;
  }

  AnswerLimit all_;
  std::vector<AnswerLimit> shares_;
};

}  // namespace tcpip

#endif  // TCPIP_NETWORK_ANSWER_LIMIT_H_
