// What an operator may see of a connection: snapshots by value. Names follow
// Linux's tcp_info and ss(8) where they exist, RFC 4898 otherwise.
#ifndef TCPIP_TRANSPORT_TCP_OBSERVE_H_
#define TCPIP_TRANSPORT_TCP_OBSERVE_H_

#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/state.h"

namespace tcpip::tcp {

// Why a connection ended other than by FIN.
enum class TcpError : uint8_t {
  kNone,
  kRefused,   // RST in answer to our SYN
  kReset,     // RST from the peer
  kTimedOut,  // retries or user timeout used up
  // ICMP while connecting, or last heard before the retries were used up.
  kNetUnreachable,
  kUnreachable,  // the host, or something on the way will not let us through
  kProtocol,     // the peer or a router cannot make sense of our packets
  kAborted,      // by us
};

// Level-triggered facts about a socket.
struct Readiness {
  bool readable = false;     // bytes, EOF or an error to read
  bool writable = false;     // room in the send buffer, or an error
  bool connected = false;    // reached a synchronized state
  bool read_closed = false;  // the peer's FIN has been reached
  bool closed = false;       // nothing more will happen (CLOSED or TIME-WAIT)
  friend bool operator==(const Readiness&, const Readiness&) = default;
};

enum class RecoveryState : uint8_t { kOpen, kDisorder, kRecovery, kLoss };

struct TcpInfo {
  TcpState state = TcpState::kClosed;
  RecoveryState recovery = RecoveryState::kOpen;
  const char* congestion = "reno";

  // Bytes.
  uint32_t smss = 0;
  uint32_t rmss = 0;
  uint32_t cwnd = 0;
  uint32_t ssthresh = 0;
  uint32_t snd_wnd = 0;
  uint32_t rcv_wnd = 0;
  uint32_t pipe = 0;
  uint64_t unsent_bytes = 0;
  uint64_t unacked_bytes = 0;
  uint64_t readable_bytes = 0;
  uint64_t out_of_order_bytes = 0;
  uint64_t pinned_bytes = 0;

  uint8_t snd_scale = 0;
  uint8_t rcv_scale = 0;
  bool sack = false;
  bool timestamps = false;
  bool ecn = false;

  Duration rto;
  Duration srtt;
  Duration rttvar;
  Duration min_rtt;

  // Counters since the connection began. Segments are wire segments; what is
  // not counted in bytes wraps at 2^32, as in Linux's tcp_info.
  uint32_t segs_in = 0;
  uint32_t segs_out = 0;
  uint32_t data_segs_in = 0;
  uint32_t data_segs_out = 0;
  uint64_t octets_in = 0;     // payload accepted in order
  uint64_t octets_acked = 0;  // payload the peer acknowledged
  uint64_t octets_retrans = 0;
  uint32_t segs_retrans = 0;
  uint32_t timeouts = 0;  // RTO expiries
  uint32_t fast_recoveries = 0;
  uint32_t ecn_reductions = 0;  // of cwnd, because the peer echoed a mark
  uint32_t marked_in = 0;       // segments with data that a router had marked
  uint32_t dup_acks_in = 0;
  uint32_t dsacks_in = 0;
  uint32_t sack_blocks_in = 0;
  uint32_t rtt_samples_departure = 0;  // timed by our own send times
  uint32_t rtt_samples_echo = 0;       // timed by TSecr
  uint32_t zero_window_probes = 0;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_OBSERVE_H_
