// SEGMENT ARRIVES for synchronized states. RFC 9293 3.10.7.4, with PAWS
// (RFC 7323 5.3) before its first step and RFC 5961 in its tests.
//
// The steps run in the RFC's order until one decides. Changes the Tcb, its
// state included; what the connection must answer or become is the verdict,
// and Connection acts on it in one place. TIME-WAIT is not here, it is
// time_wait's.
#ifndef TCPIP_TRANSPORT_TCP_SEGMENT_ARRIVES_H_
#define TCPIP_TRANSPORT_TCP_SEGMENT_ARRIVES_H_

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/acceptability.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/tcb.h"

namespace tcpip::tcp {

// `seg` keeps its header and options; its payload and FIN are consumed. The
// caller looks at tcb.state afterwards: kTimeWait and kClosed are final.
Verdict SegmentArrives(Tcb& tcb, const TcpContext& context, Segment& seg,
                       Instant now);

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEGMENT_ARRIVES_H_
