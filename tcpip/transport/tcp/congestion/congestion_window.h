// What congestion control decides, and the events it decides on. RFC 5681 2,
// RFC 6928. Plain values between Controller and its algorithms; bytes, never
// segments.
#ifndef TCPIP_TRANSPORT_TCP_CONGESTION_CONGESTION_WINDOW_H_
#define TCPIP_TRANSPORT_TCP_CONGESTION_CONGESTION_WINDOW_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

struct CongestionWindow {
  static constexpr uint32_t kInfinite = std::numeric_limits<uint32_t>::max();

  uint32_t cwnd = 0;
  uint32_t ssthresh = kInfinite;

  bool InSlowStart() const { return cwnd < ssthresh; }
  friend bool operator==(const CongestionWindow&,
                         const CongestionWindow&) = default;
};

// The MSS of Ethernet, which RFC 6928's limit of 14600 bytes is ten times.
inline constexpr uint32_t kEthernetMss = 1460;

// [RFC 6928 2] IW for n segments, n being 10 there: n of them, but no more
// bytes than n of Ethernet's where they are larger, and at least two.
constexpr uint32_t InitialWindow(uint32_t smss, uint32_t segments) {
  return std::min(segments * smss, std::max(2 * smss, segments * kEthernetMss));
}

// New data was acknowledged outside of fast recovery.
struct AckEvent {
  uint32_t acked_bytes = 0;
  uint32_t smss = 0;
  // The most that slow start may add for one ACK.
  uint32_t slow_start_limit = CongestionWindow::kInfinite;
  bool cwnd_limited = false;  // cwnd, not the user, held the sender back
  std::optional<Duration> srtt;
  Instant now;
};

// Data was found lost, or marked by a router.
struct LossEvent {
  uint32_t flight_size = 0;  // before the removals of this ACK [req D-42]
  uint32_t smss = 0;
  // OnRto only: ssthresh has been set for these losses already.
  bool in_episode = false;
  SeqNum snd_max;
  Instant now;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_CONGESTION_CONGESTION_WINDOW_H_
