// What SYNs offer, and what two offers agree on: MSS, window scale, SACK,
// timestamps, ECN. RFC 9293 3.7.1, RFC 7323 2.2 and 3.2, RFC 2018 2, RFC 3168
// 6.1.1.
//
// Pure. Called by handshake, listen and Tcb.
#ifndef TCPIP_TRANSPORT_TCP_OFFER_H_
#define TCPIP_TRANSPORT_TCP_OFFER_H_

#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/isn.h"
#include "tcpip/transport/tcp/negotiated.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

// What the way to the peer offers, from the route's interface and what is
// known of the path behind it.
struct PathFacts {
  uint16_t mss = 1460;  // largest payload our link takes: MTU - headers
  // Largest payload the whole path takes towards the peer. The other direction
  // may be another path: what we tell the peer is `mss`. [RFC 1191 3.1]
  uint16_t path_mss = 0xffff;
  uint32_t max_gso_bytes = 0;  // payload the link will cut for us; 0 = none
  // Taken for the peer's MSS when its SYN names none; depends on the family.
  uint16_t default_mss = kDefaultMssIpv4;
};

// Why the path's MSS is another one now.
enum class PathMtuCause : uint8_t {
  kLinkChanged,  // what is in flight has passed it already
  // Larger segments are dropped on the way, those in flight too. Never raises
  // the SMSS.
  kPacketTooBig,
};

// What our SYN or SYN-ACK says about us; fixed once the first has left.
struct Offer {
  InitialNumbers numbers;
  PathFacts path;
  uint16_t window = 0;  // bytes: a SYN's window is never scaled [fault W14]
  WindowScale scale;

  // What the path takes now; what the SYN has said of our link stays.
  void TakePath(const PathFacts& now) {
    path.path_mss = now.path_mss;
    path.max_gso_bytes = now.max_gso_bytes;
  }
};

// What a SYN says of ECN. [RFC 3168 6.1.1]
enum class EcnSyn : uint8_t {
  kNothing,
  kAsks,    // ECE and CWR, in a SYN
  kAgrees,  // ECE alone, in a SYN-ACK
};

// The peer's SYN, as far as it matters once it has gone.
struct PeerSyn {
  SeqNum irs;
  WireWindow wnd;
  TcpOptions options;
  EcnSyn ecn = EcnSyn::kNothing;
};

Offer MakeOffer(const SocketSettings& settings, const PathFacts& path,
                const InitialNumbers& numbers);
PeerSyn PeerSynOf(const Segment& seg);

Negotiated Agree(const TcpConfig& config, const Offer& ours,
                 const PeerSyn& theirs);
// SMSS on a path that takes payloads of `path_mss`, options included.
uint32_t SmssFor(uint16_t path_mss, const Negotiated& negotiated);

// <SEQ=ISS><CTL=SYN>
OutSegment MakeSyn(const TcpConfig& config, const Offer& ours, Instant now);
// <SEQ=ISS><ACK=IRS+1><CTL=SYN,ACK>, with what the peer's SYN offered, too.
OutSegment MakeSynAck(const TcpConfig& config, const Offer& ours,
                      const PeerSyn& theirs, Instant now);
// <SEQ=ISS+1><ACK=IRS+1><CTL=ACK>, before there is a control block.
OutSegment MakeHandshakeAck(const TcpConfig& config, const Offer& ours,
                            const PeerSyn& theirs, Instant now);

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_OFFER_H_
