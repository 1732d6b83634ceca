// May this segment be believed? The tests of RFC 9293 3.10.7.4 (sequence, RST,
// SYN, ACK) with RFC 5961's stricter rules, as pure functions.
//
// Called by segment_arrives, handshake and time_wait. Changes nothing, sends
// nothing; PAWS is the receiver's.
#ifndef TCPIP_TRANSPORT_TCP_ACCEPTABILITY_H_
#define TCPIP_TRANSPORT_TCP_ACCEPTABILITY_H_

#include <cstdint>

#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

// What one step of the walk through 3.10.7 decided.
enum class Verdict : uint8_t {
  kContinue,   // go on with the next step
  kDrop,       // done with the segment, silently
  kAck,        // drop it, and say where we are
  kChallenge,  // drop it, and let the peer prove that it meant it
  kReset,      // the peer's RST is genuine: the connection is over
  kSendReset,  // answer with RST: the connection is over
};

// The variables the tests compare with.
struct Bounds {
  SeqNum rcv_nxt;
  WindowSize rcv_wnd;
  SeqNum snd_una;
  SeqNum snd_max;
  WindowSize max_snd_wnd;  // MAX.SND.WND of RFC 5961 5
};

// First step. RST segments pass: CheckReset judges them by SEG.SEQ alone.
Verdict CheckSequence(const Bounds& bounds, const Segment& seg);
// Second step. [RFC 5961 3.2]
Verdict CheckReset(const Bounds& bounds, const Segment& seg);
// Fourth step. [RFC 5961 4.2]
Verdict CheckSyn(const Segment& seg);
// Fifth step's range test. [RFC 5961 5.2]
Verdict CheckAck(const Bounds& bounds, const Segment& seg);

// All of them in the RFC's order.
Verdict CheckAcceptability(const Bounds& bounds, const Segment& seg);

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_ACCEPTABILITY_H_
