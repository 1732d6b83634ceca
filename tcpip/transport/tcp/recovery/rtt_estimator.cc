#include "tcpip/transport/tcp/recovery/rtt_estimator.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "tcpip/base/time.h"

namespace tcpip::tcp {
namespace {

// Moves `value` towards `target` by weight / divisor of the way.
Duration Approach(Duration value, Duration target, uint32_t weight,
                  uint64_t divisor) {
  const __int128 step = static_cast<__int128>((target - value).nanoseconds()) *
                        weight / static_cast<__int128>(divisor);
  return value + Duration::Nanoseconds(static_cast<int64_t>(step));
}

}  // namespace

void RttEstimator::OnSample(Duration rtt, uint32_t newly_acked,
                            uint32_t flight_size) {
  // A coarse clock may read zero; the estimate then rests on its granularity.
  rtt = std::clamp(rtt, Duration::Nanoseconds(1), config_->max_rto);
  backoff_ = 0;
  if (!sampled()) {
    // [RFC 6298 2.2] SRTT = R, RTTVAR = R/2
    srtt_ = rtt;
    rttvar_ = rtt / 2;
    min_rtt_ = rtt;
    return;
  }
  min_rtt_ = std::min(min_rtt_, rtt);
  // [RFC 7323 G] [req E-14] alpha and beta shrink with the number of samples
  // that one flight gives; an ACK with nothing in flight counts fully.
  const uint32_t weight = std::max<uint32_t>(newly_acked, 1);
  const uint64_t whole = std::max(weight, flight_size);
  // [RFC 6298 2.3] RTTVAR first, with the old SRTT: beta 1/4, alpha 1/8
  const Duration error = std::max(srtt_ - rtt, rtt - srtt_);
  rttvar_ = Approach(rttvar_, error, weight, 4 * whole);
  srtt_ = Approach(srtt_, rtt, weight, 8 * whole);
}

void RttEstimator::OnTimeout() {
  if (rto() < config_->max_rto) ++backoff_;
}

void RttEstimator::OnSynTimedOut() { syn_timed_out_ = true; }

Duration RttEstimator::InitialRto() const {
  return syn_timed_out_ ? std::max(config_->initial_rto, Duration::Seconds(3))
                        : config_->initial_rto;
}

Duration RttEstimator::rto() const {
  // Linux's form of the floor: a margin above SRTT, since a floor on the whole
  // RTO gives no margin at all when the path is longer than the floor.
  const Duration base = sampled()
                            ? srtt_ + std::max({config_->clock_granularity,
                                                4 * rttvar_, config_->min_rto})
                            : InitialRto();
  return std::min(base * (int64_t{1} << backoff_), config_->max_rto);
}

std::optional<Duration> RttEstimator::srtt() const {
  return sampled() ? std::optional(srtt_) : std::nullopt;
}

std::optional<Duration> RttEstimator::min_rtt() const {
  return sampled() ? std::optional(min_rtt_) : std::nullopt;
}

}  // namespace tcpip::tcp
