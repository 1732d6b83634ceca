// Segment (in) and OutSegment (out): what TCP sees of a packet. RFC 9293 3.4.
//
// Either may be a super-segment: one header, payload of many segments of
// gso_size bytes. Whoever counts segments asks mss_count(), never assumes one.
// A Segment is parsed and checksum-clean; it knows no addresses, those are the
// connection's.
#ifndef TCPIP_TRANSPORT_TCP_SEGMENT_H_
#define TCPIP_TRANSPORT_TCP_SEGMENT_H_

#include <cstddef>
#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip::tcp {

using wire::TcpFlags;
using wire::TcpOptions;

// Wire segments that a payload in pieces of gso_size bytes (0: in one) makes;
// no payload is one segment, too.
constexpr uint32_t MssCount(size_t payload, uint32_t gso_size) {
  const auto n = static_cast<uint32_t>(payload);
  return gso_size == 0 || n <= gso_size ? 1 : (n + gso_size - 1) / gso_size;
}

struct Segment {
  SeqNum seq;
  SeqNum ack;
  TcpFlags flags;
  WireWindow wnd;
  uint16_t urgent_pointer = 0;
  TcpOptions options;
  ViewChain payload;
  uint32_t gso_size = 0;  // payload per wire segment; 0 = just one
  bool congestion_experienced = false;  // IP header carried CE
  Instant ingress;                      // when the link received it

  // SEG.LEN: payload plus SYN and FIN.
  uint32_t len() const {
    return static_cast<uint32_t>(payload.size()) + flags.syn() + flags.fin();
  }
  SeqNum end() const { return seq + len(); }

  // Wire segments this stands for, at least 1.
  uint32_t mss_count() const { return MssCount(payload.size(), gso_size); }

  // Cuts n sequence numbers off the front (SYN first) or the back (FIN first).
  void TrimFront(uint32_t n);
  void TrimBack(uint32_t n);
};

struct OutSegment {
  SeqNum seq;
  SeqNum ack;
  TcpFlags flags;
  WireWindow wnd;
  TcpOptions options;
  ViewChain payload;
  uint32_t gso_size = 0;  // payload per wire segment when payload exceeds it
  bool retransmission = false;  // as RFC 4022's tcpRetransSegs counts
  bool ect = false;             // routers may mark it instead of dropping it

  // Wire segments this stands for, at least 1.
  uint32_t mss_count() const { return MssCount(payload.size(), gso_size); }
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEGMENT_H_
