// Which data a SACK scoreboard proves lost: IsLost() of RFC 6675 4, in bytes.
//
// A calculator over the sent log, called by loss_recovery. It marks nothing.
// NextSeg()'s rule 1 is SentLog::NextLost(), rule 2 the sender's new data;
// rules 3 and 4 are left to the retransmission timer. A retransmission is
// never found lost here, only by that timer.
#ifndef TCPIP_TRANSPORT_TCP_RECOVERY_SACK_LOSS_H_
#define TCPIP_TRANSPORT_TCP_RECOVERY_SACK_LOSS_H_

#include <cstdint>

#include "tcpip/transport/tcp/recovery/sent_log.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

// Everything below this and not SACKed is lost, nothing above it is; SND.UNA
// if nothing is. Takes as many steps as there are records from the highest
// SACKed one down to the result.
SeqNum LossFrontier(const SentLog& log, uint32_t smss);

// `seq` is in flight and not SACKed.
inline bool IsLost(const SentLog& log, uint32_t smss, SeqNum seq) {
  return seq < LossFrontier(log, smss);
}

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECOVERY_SACK_LOSS_H_
