// The control block of a connection in a synchronized state: Sender, Receiver,
// Negotiated and Timers, each the owner of its variables, and the few that
// belong to the hall. RFC 9293 3.3.1.
//
// A plain struct for segment_arrives, closing and Connection. Everything here
// exists from ESTABLISHED until CLOSED or TIME-WAIT, then it is gone.
#ifndef TCPIP_TRANSPORT_TCP_TCB_H_
#define TCPIP_TRANSPORT_TCP_TCB_H_

#include <cassert>
#include <cstdint>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/transport/tcp/acceptability.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/handshake.h"
#include "tcpip/transport/tcp/isn.h"
#include "tcpip/transport/tcp/keepalive.h"
#include "tcpip/transport/tcp/negotiated.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/offer.h"
#include "tcpip/transport/tcp/receive/receiver.h"
#include "tcpip/transport/tcp/replies.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/send/sender.h"
#include "tcpip/transport/tcp/state.h"
#include "tcpip/transport/tcp/timers.h"
#include "tcpip/transport/tcp/user_timeout.h"

namespace tcpip::tcp {

// What connections of one stack share. Outlives them.
struct TcpContext {
  const TcpConfig* config;
  SlabPool* pool;
};

// What neither Sender nor Receiver can count: whole segments.
struct SegmentCounts {
  uint64_t octets_in = 0;
  uint32_t segs_in = 0;
  uint32_t segs_out = 0;
  uint32_t data_segs_in = 0;
  uint32_t marked_in = 0;
};

struct Tcb {
  Tcb(const TcpConfig& config, const SocketSettings& settings,
      const Handshake& handshake, Instant now);

  // The only way the state changes; the table must have the transition.
  void Advance(TcpEvent event) {
    const std::optional<TcpState> next = NextState(state, event);
    assert(next.has_value());
    state = next.value_or(TcpState::kClosed);
  }

  Bounds bounds() const {
    return {.rcv_nxt = receiver.rcv_nxt(),
            .rcv_wnd = receiver.rcv_wnd(),
            .snd_una = sender.snd_una(),
            .snd_max = sender.snd_max(),
            .max_snd_wnd = sender.max_snd_wnd()};
  }

  // The timestamps of a segment that leaves now; none if not negotiated.
  std::optional<wire::TcpTimestamps> TimestampsAt(Instant now) const {
    if (!negotiated.timestamps) return std::nullopt;
    return wire::TcpTimestamps{TsvalAt(now, tsval_offset),
                               receiver.ts_recent()};
  }

  // [RFC 9293 3.9.2.2 SHLD-25] why nobody answers, if the network has said so
  TcpError timeout_error() const {
    return soft_error == TcpError::kNone ? TcpError::kTimedOut : soft_error;
  }

  Negotiated negotiated;
  UserTimeout user_timeout;
  Timers timers;
  Sender sender;
  Receiver receiver;

  TcpState state = TcpState::kEstablished;
  bool orphaned = false;  // the user has closed: nobody will read
  // What ICMP said of the path since the peer was last heard.
  TcpError soft_error = TcpError::kNone;
  uint32_t tsval_offset;
  Instant opened;  // no echo is older
  AckLimiter ack_limiter;
  Keepalive keepalive;
  SegmentCounts counts;
};

// Aborts with a message when a rule of the hall, the Sender or the Receiver is
// broken.
void CheckInvariants(const Tcb& tcb);

// As Connection::OnPath.
void TakePath(Tcb& tcb, const PathFacts& path, PathMtuCause cause);

Readiness ReadinessOf(const Tcb& tcb);
// A snapshot for operators.
TcpInfo InfoOf(const Tcb& tcb);

// The RST that aborts it: <SEQ=SND.NXT><CTL=RST>. [RFC 9293 3.10.5]
OutSegment ResetOf(const Tcb& tcb);

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_TCB_H_
