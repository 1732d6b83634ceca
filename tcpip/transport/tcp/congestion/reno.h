// Slow start and congestion avoidance of RFC 5681, counted in bytes as RFC 3465
// has it.
//
// One of Controller's algorithms; the window itself is Controller's. Growth is
// by bytes newly acknowledged and never by the number of ACKs, since one ACK
// of a receiver that coalesces covers tens of segments.
#ifndef TCPIP_TRANSPORT_TCP_CONGESTION_RENO_H_
#define TCPIP_TRANSPORT_TCP_CONGESTION_RENO_H_

#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/congestion/congestion_window.h"

namespace tcpip::tcp {

class Reno {
 public:
  static constexpr const char* kName = "reno";

  void OnAck(CongestionWindow& window, const AckEvent& ack);
  void OnCongestion(CongestionWindow& window, const LossEvent& loss);
  void OnRto(CongestionWindow& window, const LossEvent& loss);
  void OnIdleRestart(CongestionWindow& window, Instant now);

 private:
  uint32_t bytes_acked_ = 0;  // since avoidance last added a segment
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_CONGESTION_RENO_H_
