// The send side of explicit congestion notification: which ACKs with ECE tell
// of new congestion, and when CWR is to be said. RFC 3168 6.1.2, RFC 8311 4.
//
// Called by Controller; changes no window. The classic echo, one per round
// trip: no AccECN and no L4S. The other side is receive/ecn_echo.
#ifndef TCPIP_TRANSPORT_TCP_CONGESTION_ECN_SIGNAL_H_
#define TCPIP_TRANSPORT_TCP_CONGESTION_ECN_SIGNAL_H_

#include <cstdint>

#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

class EcnSignal {
 public:
  // `agreed`: by both ends, in the handshake; else nothing is heard or said.
  explicit EcnSignal(bool agreed) : cwr_(agreed ? Cwr::kSaid : Cwr::kNever) {}

  // For every acceptable ACK. True when its ECE tells of congestion that the
  // window was not reduced for yet. [RFC 3168 6.1.2] once per window of data
  bool OnAck(SeqNum ack, bool ece) {
    if (reduced_ && ack > reduced_at_) reduced_ = false;
    return ece && !reduced_ && cwr_ != Cwr::kNever;
  }
  // The window was reduced, whatever for, with everything before `snd_max`
  // sent.
  void OnReduced(SeqNum snd_max) {
    reduced_ = true;
    reduced_at_ = snd_max;
    if (cwr_ != Cwr::kNever) cwr_ = Cwr::kDue;
  }
  // [RFC 3168 6.1.2] whether this segment, the first with new data since then,
  // has CWR
  bool TakeCwr() {
    if (cwr_ != Cwr::kDue) return false;
    cwr_ = Cwr::kSaid;
    return true;
  }

 private:
  enum class Cwr : uint8_t { kNever, kSaid, kDue };

  SeqNum reduced_at_;
  bool reduced_ = false;  // and no ACK has passed reduced_at_ since
  Cwr cwr_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_CONGESTION_ECN_SIGNAL_H_
