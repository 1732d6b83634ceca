// The way out of a synchronized connection: what leaves next, and with which
// fields. RFC 9293 3.8, 3.10.7.4.
//
// The Sender decides about data and the Receiver about acknowledgments; here
// they are joined into one segment where that is possible. Everything but RST
// leaves through here, so every segment has ACK and the newest RCV.NXT
// [fault C05], and new sequence numbers never go backwards [fault C04].
#ifndef TCPIP_TRANSPORT_TCP_SEGMENT_DEPARTS_H_
#define TCPIP_TRANSPORT_TCP_SEGMENT_DEPARTS_H_

#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/tcb.h"

namespace tcpip::tcp {

// The next segment, or nullopt. Call until nullopt.
std::optional<OutSegment> SegmentDeparts(Tcb& tcb, Instant now);

// A segment with nothing but an acknowledgment, wanted or not.
OutSegment AckDeparts(Tcb& tcb, Instant now);

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEGMENT_DEPARTS_H_
