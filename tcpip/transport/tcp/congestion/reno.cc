#include "tcpip/transport/tcp/congestion/reno.h"

#include <algorithm>
#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/congestion/congestion_window.h"

namespace tcpip::tcp {
namespace {

// [RFC 5681 3.1] equation 4
uint32_t HalfFlight(const LossEvent& loss) {
  return std::max(loss.flight_size / 2, 2 * loss.smss);
}

}  // namespace

void Reno::OnAck(CongestionWindow& window, const AckEvent& ack) {
  // A window that the user does not fill proves nothing about the path.
  if (!ack.cwnd_limited) return;
  uint32_t acked = ack.acked_bytes;
  if (window.InSlowStart()) {
    const uint32_t room = window.ssthresh - window.cwnd;
    const uint32_t growth = std::min({acked, ack.slow_start_limit, room});
    window.cwnd = std::min(window.cwnd + growth, kMaxWindow);
    if (growth < room) return;
    acked -= growth;  // the rest counts for avoidance
  }
  // [RFC 3465 2.1] one SMSS for each cwnd of bytes acknowledged
  bytes_acked_ += acked;
  if (bytes_acked_ < window.cwnd) return;
  bytes_acked_ = std::min(bytes_acked_ - window.cwnd, window.cwnd);
  window.cwnd = std::min(window.cwnd + ack.smss, kMaxWindow);
}

void Reno::OnCongestion(CongestionWindow& window, const LossEvent& loss) {
  window.ssthresh = HalfFlight(loss);
  window.cwnd = window.ssthresh;
  bytes_acked_ = 0;
}

void Reno::OnRto(CongestionWindow& window, const LossEvent& loss) {
  // [RFC 5681 3.1] ssthresh stays while the same data is lost again
  if (!loss.in_episode) window.ssthresh = HalfFlight(loss);
  window.cwnd = loss.smss;  // LW
  bytes_acked_ = 0;
}

void Reno::OnIdleRestart(CongestionWindow&, Instant) { bytes_acked_ = 0; }

}  // namespace tcpip::tcp
