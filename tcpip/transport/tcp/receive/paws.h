// TS.Recent and protection against wrapped sequence numbers. RFC 7323 4.3, 5.
//
// Owned by Receiver. The caller exempts RST and decides what is acceptable by
// sequence number. A segment without the option is tolerated, as Linux does:
// some middleboxes strip it [fault C02].
#ifndef TCPIP_TRANSPORT_TCP_RECEIVE_PAWS_H_
#define TCPIP_TRANSPORT_TCP_RECEIVE_PAWS_H_

#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

class Paws {
 public:
  // Off unless timestamps were negotiated.
  explicit Paws(bool enabled) : enabled_(enabled) {}

  // [RFC 7323 5.3 R1] the segment is older than what was already seen.
  bool Fails(const Segment& seg, Instant now) const;

  // [RFC 7323 4.3] takes the timestamp of an acceptable segment if it reaches
  // back to the last acknowledgment we sent.
  void Update(const Segment& seg, SeqNum last_ack_sent, Instant now);

  // What to echo; 0 before the first timestamp.
  uint32_t ts_recent() const { return ts_recent_; }

 private:
  bool IsOlder(uint32_t tsval, Instant now) const;

  Instant updated_ = Instant::LongAgo();  // when ts_recent was set
  uint32_t ts_recent_ = 0;
  bool enabled_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECEIVE_PAWS_H_
