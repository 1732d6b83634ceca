// Segments that answer a segment: RST, ACK, challenge ACK; and the limit that
// keeps two hosts from answering each other for ever. RFC 9293 3.10.7,
// RFC 5961, Linux's limit on ACKs for invalid segments.
//
// Pure formation from what the caller knows; nothing is sent here. A limiter
// belongs to one connection, so that no other flow can observe or spend its
// budget [fault X06].
#ifndef TCPIP_TRANSPORT_TCP_REPLIES_H_
#define TCPIP_TRANSPORT_TCP_REPLIES_H_

#include <cstdint>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

// The RST for a segment nobody wants; nullopt when it is a RST itself.
std::optional<OutSegment> ResetFor(const Segment& seg);

// The RST that ends a synchronized connection of ours. It carries an ACK, as
// Linux's does; the peer judges it by sequence number alone.
OutSegment MakeReset(SeqNum snd_nxt, SeqNum rcv_nxt);

struct AckNumbers {
  SeqNum snd_nxt;
  SeqNum rcv_nxt;
  WireWindow wnd;
  std::optional<wire::TcpTimestamps> timestamps;
};

// <SEQ=SND.NXT><ACK=RCV.NXT><CTL=ACK>
OutSegment MakeAck(const AckNumbers& numbers);

// One answer per interval to segments that may be an attack or a loop.
class AckLimiter {
 public:
  static constexpr Duration kInterval = Duration::Milliseconds(500);

  // May a challenge ACK leave now? Counts it when true.
  bool AllowChallenge(Instant now);

  // May the unacceptable `seg` be acknowledged now? One that carries data or
  // FIN always: it is a retransmission, cannot be one side of an ACK loop, and
  // its sender waits. [fault C20, X07]
  bool AllowAck(const Segment& seg, Instant now);

 private:
  Instant next_ = Instant::LongAgo();
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_REPLIES_H_
