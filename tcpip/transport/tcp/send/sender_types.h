// What goes into a Sender and what comes out of it: plain values between the
// send side and the hall, which makes segments of them and them of segments.
// They know no packet and no state of the connection.
#ifndef TCPIP_TRANSPORT_TCP_SEND_SENDER_TYPES_H_
#define TCPIP_TRANSPORT_TCP_SEND_SENDER_TYPES_H_

#include <cstdint>
#include <optional>
#include <span>

#include "tcpip/base/time.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip::tcp {

// How the send side starts, from the handshake.
struct SenderStart {
  SeqNum iss;
  WindowSize snd_wnd;  // from the handshake's last segment
  SeqNum snd_wl1;
  SeqNum snd_wl2;
  std::optional<Duration> handshake_rtt;  // none after a retransmitted SYN
  // [RFC 6298 5.7] the SYN timed out: RTO starts at 3 s
  bool syn_retransmitted = false;
  uint32_t send_buffer_bytes = 0;
  bool no_delay = false;
  // Largest payload of a super-segment; 0 = the link cannot cut, one SMSS.
  uint32_t max_gso_bytes = 0;
};

// The acknowledgment side of a segment.
struct AckInput {
  SeqNum ack;
  SeqNum seg_seq;
  uint32_t seg_len = 0;  // data and FIN it carries: not a duplicate then
  WindowSize wnd;        // scaled
  std::span<const wire::SackBlock> sack;
  std::optional<wire::TcpTimestamps> timestamps;
  // TSecr as an age, if timestamps are on and the echo is valid and non-zero:
  // how long ago we sent it, in ms resolution.
  std::optional<Duration> echo_age;
  bool ece = false;
  Instant ingress;  // RTT samples use this
};

struct AckOutcome {
  uint32_t acked_bytes = 0;  // data newly acknowledged cumulatively
  bool fin_acked = false;    // our FIN was acknowledged by this ACK
};

// One piece of new or repeated sequence space for the wire. Without payload and
// FIN it is a probe of a shut window, at SND.UNA - 1.
struct OutData {
  SeqNum seq;
  ViewChain payload;
  bool fin = false;
  bool psh = false;
  bool cwr = false;  // [RFC 3168 6.1.2] cwnd has been reduced
  bool retransmission = false;
  uint32_t gso_size = 0;  // SMSS when payload exceeds it
};

enum class RetransmitVerdict : uint8_t { kRetry, kGiveUp };

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEND_SENDER_TYPES_H_
