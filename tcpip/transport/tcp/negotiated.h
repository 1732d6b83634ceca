// What the handshake settled; constant for the life of a connection except for
// smss, which path MTU may lower. RFC 9293 3.7.1, RFC 7323, RFC 2018.
#ifndef TCPIP_TRANSPORT_TCP_NEGOTIATED_H_
#define TCPIP_TRANSPORT_TCP_NEGOTIATED_H_

#include <cstdint>

#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

struct Negotiated {
  // Payload bytes of a full segment to the peer, constant options deducted.
  // [RFC 9293 3.7.1 MUST-16]
  uint32_t smss = 536;
  // What SMSS may grow to: both ends' limit, whatever the path does.
  uint32_t smss_limit = 536;
  // The MSS we told the peer: no segment of theirs carries more.
  uint32_t rmss = 536;
  WindowScale snd_scale;  // shift of windows the peer sends
  WindowScale rcv_scale;  // shift of windows we send
  bool sack = false;
  bool timestamps = false;
  bool ecn = false;

  friend bool operator==(const Negotiated&, const Negotiated&) = default;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_NEGOTIATED_H_
