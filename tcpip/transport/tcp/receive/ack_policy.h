// When to acknowledge: at once, with the next segment we send anyway, or when
// the delayed-ACK timer fires. RFC 9293 3.8.6.3, RFC 5681 4.2. [req A-38]
//
// Owned by Receiver. Counts segments as they were on the wire, so that a
// super-segment weighs as much as what it was merged from. Knows no sequence
// numbers. Whatever its size, every second segment is acknowledged: what the
// peer holds for a full segment may be less than the MSS we told it.
#ifndef TCPIP_TRANSPORT_TCP_RECEIVE_ACK_POLICY_H_
#define TCPIP_TRANSPORT_TCP_RECEIVE_ACK_POLICY_H_

#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/timers.h"

namespace tcpip::tcp {

class AckPolicy {
 public:
  explicit AckPolicy(const TcpConfig& config)
      : config_(&config), quick_acks_(config.quick_ack_segments) {}

  // `segments` wire segments arrived in order and filled no hole.
  void OnInOrderData(uint32_t segments, Timers& timers, Instant now);
  // The delayed-ACK timer fired.
  void OnTimer();
  void AckNow() { pending_ = Pending::kNow; }
  // A segment with an acknowledgment left.
  void OnAckSent(Timers& timers);

  bool WantsAckNow() const { return pending_ == Pending::kNow; }

 private:
  enum class Pending : uint8_t { kNone, kDelayed, kNow };

  const TcpConfig* config_;
  uint32_t unacked_segments_ = 0;
  uint16_t quick_acks_;  // segments still acknowledged at once
  Pending pending_ = Pending::kNone;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECEIVE_ACK_POLICY_H_
