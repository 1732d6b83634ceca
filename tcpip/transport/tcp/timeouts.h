// The timers of a synchronized connection, when they expire. RFC 9293 3.10.8.
//
// Each slot is the business of its owner; here is who that is, in the order of
// the enum. What the connection must become is the verdict, as in
// segment_arrives.
#ifndef TCPIP_TRANSPORT_TCP_TIMEOUTS_H_
#define TCPIP_TRANSPORT_TCP_TIMEOUTS_H_

#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/tcb.h"

namespace tcpip::tcp {

enum class TimeoutVerdict : uint8_t {
  kContinue,
  kTimedOut,       // the peer does not answer data
  kPeerIsDead,     // the peer does not answer keepalive probes: RST
  kOrphanExpired,  // nobody waits any more
};

// Runs every expired slot until one ends the connection.
TimeoutVerdict TimersExpire(Tcb& tcb, const SocketSettings& settings,
                            Instant now);

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_TIMEOUTS_H_
