// Ending a connection: FIN both ways, half-close, orphans, and what is left
// when it is over. RFC 9293 3.6, 3.10.4, 3.10.5 and the FIN parts of 3.10.7.4,
// RFC 2525 2.17.
//
// FIN is sequence space: the Sender queues, sends, repeats and reports it as
// acknowledged; here is only what that means for the state. The state moves
// when the user closes, not when the FIN leaves [fault C12].
#ifndef TCPIP_TRANSPORT_TCP_CLOSING_H_
#define TCPIP_TRANSPORT_TCP_CLOSING_H_

#include <cstdint>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/state.h"
#include "tcpip/transport/tcp/tcb.h"
#include "tcpip/transport/tcp/time_wait.h"

namespace tcpip::tcp {

// What is left of a connection in CLOSED or TIME-WAIT: no queues, no timers.
struct Closed {
  TcpState state = TcpState::kClosed;
  bool was_synchronized = false;
  bool fin_received = false;
  ViewChain unread;
  std::optional<OutSegment> last_segment;  // a RST, or the ACK of the FIN
  TimeWaitFacts time_wait;                 // in TIME-WAIT
  TcpInfo info;                            // as it was at the end
};

// The user has written everything: FIN goes behind it. Nothing happens the
// second time.
void OnCloseWrite(Tcb& tcb);

// The user is gone. False: data it never read must be answered with a RST.
bool OnUserClose(Tcb& tcb, const TcpConfig& config, Instant now);

// Our FIN has been acknowledged.
void OnFinAcked(Tcb& tcb, const TcpConfig& config, Instant now);

// The peer's FIN is in order.
void OnFinReceived(Tcb& tcb);

// `seg` brings new data after the user is gone.
bool HasDataNobodyWillRead(const Tcb& tcb, const Segment& seg);

// Takes what outlives `tcb`, which is in CLOSED or TIME-WAIT.
Closed Conclude(Tcb& tcb, Instant now);

// `failed`: there is an error to read and to write into.
Readiness ReadinessOf(const Closed& closed, bool failed);

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_CLOSING_H_
