// SND.* of one connection in a synchronized state: the send queue, what is in
// flight, when to send and how much. RFC 9293 3.8, RFC 5681, RFC 6298, RFC 6675.
//
// Called by the hall with acknowledgments that passed the acceptability test.
// Asks recovery, congestion and send_policy in turn; emits nothing itself: the
// connection calls PollSend until it returns nullopt and wraps each OutData
// into a segment. FIN is sequence space: it is queued, sent, retransmitted and
// acknowledged like a byte. Some timer is armed whenever data (or FIN) is
// unacknowledged or waits behind a closed window.
#ifndef TCPIP_TRANSPORT_TCP_SEND_SENDER_H_
#define TCPIP_TRANSPORT_TCP_SEND_SENDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/negotiated.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/transport/tcp/timers.h"
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
  uint32_t seg_len = 0;        // data and FIN it carries: not a duplicate then
  WindowSize wnd;              // scaled
  std::span<const wire::SackBlock> sack;
  std::optional<wire::TcpTimestamps> timestamps;
  // TSecr as an age, if timestamps are on and the echo is valid and non-zero:
  // how long ago we sent it, in ms resolution.
  std::optional<Duration> echo_age;
  bool ece = false;
  Instant ingress;             // RTT samples use this
};

struct AckOutcome {
  uint32_t acked_bytes = 0;  // data newly acknowledged cumulatively
  bool fin_acked = false;    // our FIN was acknowledged by this ACK
  bool became_writable = false;
};

// One piece of new or repeated sequence space for the wire.
struct OutData {
  SeqNum seq;
  ViewChain payload;
  bool fin = false;
  bool psh = false;
  bool retransmission = false;
  uint32_t gso_size = 0;  // SMSS when payload exceeds it
};

enum class RetransmitVerdict : uint8_t { kRetry, kGiveUp };

class Sender {
 public:
  Sender(const TcpConfig& config, const Negotiated& negotiated,
         const SenderStart& start);
  ~Sender();

  // Takes from the front of `data` what fits the send buffer; the rest stays.
  // Nothing is taken after CloseWrite.
  size_t Write(ViewChain& data, SlabPool& pool);
  size_t WriteCopy(ByteSpan data, SlabPool& pool);
  size_t writable_bytes() const;
  // Queues the FIN behind everything written.
  void CloseWrite();
  bool write_closed() const;

  // [RFC 9293 3.10.7.4] fifth step for an acceptable ACK: queue trim, RTT,
  // scoreboard, congestion window, window update, timers.
  AckOutcome OnAck(const AckInput& in, Timers& timers, Instant now);

  // The next thing to put on the wire, or nullopt. Arms kRetransmit, kPersist,
  // kHold as needed.
  std::optional<OutData> PollSend(Timers& timers, Instant now);

  RetransmitVerdict OnRetransmitTimer(Timers& timers, Instant now);
  void OnPersistTimer(Timers& timers, Instant now);
  void OnHoldTimer();

  // Path MTU lowered (or raised) the segment size.
  void SetSmss(uint32_t smss);
  void SetNoDelay(bool on);
  void SetSendBufferBytes(uint32_t bytes);

  SeqNum snd_una() const;
  SeqNum snd_nxt() const;
  SeqNum snd_max() const;
  WindowSize snd_wnd() const;
  WindowSize max_snd_wnd() const;  // MAX.SND.WND of RFC 5961 5
  bool fin_acked() const;
  bool HasUnackedOrUnsent() const;
  size_t unsent_bytes() const;
  size_t unacked_bytes() const;
  size_t pinned_bytes() const;

  // Fills the sender's fields of a snapshot.
  void FillInfo(TcpInfo& info) const;
  // INV of the send side; aborts with a message when broken. For tests and
  // debug builds.
  void CheckInvariants(const Timers& timers) const;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEND_SENDER_H_
