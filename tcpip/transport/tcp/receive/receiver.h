// RCV.* of one connection: orders what arrives, holds it for the reader,
// decides what to acknowledge and when, and what window to offer.
// RFC 9293 3.8.6, RFC 5681 4.2, RFC 2018, RFC 7323, RFC 3168.
//
// Called by the hall (segment_arrives) with segments that passed the
// acceptability test. Sends nothing itself: the connection asks ack_pending()
// and takes the fields of its next segment from here. Every byte inside an
// advertised window can be stored [req A-14]; the advertised right edge never
// moves left [fault W08]; first byte received wins.
#ifndef TCPIP_TRANSPORT_TCP_RECEIVE_RECEIVER_H_
#define TCPIP_TRANSPORT_TCP_RECEIVE_RECEIVER_H_

#include <cstddef>
#include <cstdint>

#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/negotiated.h"
#include "tcpip/transport/tcp/receive/ack_policy.h"
#include "tcpip/transport/tcp/receive/ecn_echo.h"
#include "tcpip/transport/tcp/receive/paws.h"
#include "tcpip/transport/tcp/receive/reassembly.h"
#include "tcpip/transport/tcp/receive/sack_blocks.h"
#include "tcpip/transport/tcp/receive/window.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/transport/tcp/timers.h"

namespace tcpip::tcp {

// What accepting a segment changed, for the hall and the reader.
struct ReceiveOutcome {
  uint32_t delivered_bytes = 0;  // new in-order bytes readable now
  bool fin_reached = false;      // the FIN is now in order (once)
  bool out_of_order = false;     // something was stored behind a hole
  bool duplicate = false;        // nothing new in it
};

class Receiver {
 public:
  // `rcv_nxt` is IRS + 1. `initial_window` is what the SYN or SYN-ACK offered
  // (unscaled). Buffer memory is taken only when data arrives.
  Receiver(const TcpConfig& config, const Negotiated& negotiated,
           SeqNum rcv_nxt, uint32_t initial_window, uint32_t buffer_bytes);

  // RFC 9293 3.10.7.4, seventh and eighth step. Trims `seg` to the window,
  // takes its payload and FIN, and arms TimerSlot::kDelayedAck. SYN must have
  // been stripped. Work is in proportion to the payload.
  ReceiveOutcome OnSegment(Segment& seg, SlabPool& pool, Timers& timers,
                           Instant now);

  // A segment that failed the acceptability test and carries no RST: forces an
  // ACK, which reports data that came twice. [RFC 2883 4]
  void OnUnacceptable(const Segment& seg);

  // [RFC 7323 5.3] true: drop the segment and acknowledge.
  bool FailsPaws(const Segment& seg, Instant now) const {
    return paws_.Fails(seg, now);
  }
  // [RFC 7323 4.3] call for every acceptable segment before OnSegment.
  void UpdateTimestamp(const Segment& seg, Instant now) {
    paws_.Update(seg, last_ack_sent_, now);
  }

  // The delayed-ACK timer fired.
  void OnDelayedAckTimer();

  // Forces an ACK with the next PollSend (unacceptable segment, probe, ...).
  void AckNow() { ack_policy_.AckNow(); }
  bool WantsAckNow() const { return ack_policy_.WantsAckNow(); }

  // Removes up to max_bytes for the reader. When this opens the window enough
  // (at least to the double, and by a segment or half the buffer),
  // WantsAckNow() becomes true. [req A-15]
  ViewChain Read(size_t max_bytes);
  size_t readable_bytes() const { return in_order_.size(); }
  // The FIN has been reached; EOF once readable_bytes() is 0.
  bool fin_received() const { return fin_received_; }

  SeqNum rcv_nxt() const { return rcv_nxt_; }
  // Window for the acceptability test: the right edge already offered.
  WindowSize rcv_wnd() const;
  SeqNum last_ack_sent() const { return last_ack_sent_; }
  uint32_t ts_recent() const { return paws_.ts_recent(); }

  // The ack, window and options of a segment that leaves now. Advances the
  // advertised right edge and settles the pending ACK; call exactly once per
  // segment put on the wire.
  struct AckFields {
    SeqNum ack;
    WireWindow wnd;
    bool ece = false;
  };
  AckFields TakeAckFields(TcpOptions& options, Timers& timers);
  // TakeAckFields would add SACK blocks. They need room beside the payload:
  // where that is short, a segment of its own must carry them.
  bool has_sack_blocks() const { return !sack_blocks_.empty(); }

  size_t out_of_order_bytes() const { return reassembly_.held_bytes(); }
  size_t pinned_bytes() const;
  uint32_t buffer_bytes() const { return window_.buffer_bytes(); }
  void SetBufferBytes(uint32_t bytes) { window_.SetBufferBytes(bytes); }
  // Of memory, at present: set it before what may offer a window, which are
  // Read and TakeAckFields.
  void SetShare(uint32_t bytes) { window_.SetShare(bytes); }

 private:
  // Whoever reads, now or once a hole is filled, may be waiting for just this.
  bool IsNeeded(const Segment& seg) const;
  // Cuts what is old, beyond the window or behind the FIN; true if any was.
  bool TrimToWindow(Segment& seg);
  // The two cases of a segment that lies within the window.
  ReceiveOutcome OnInOrder(Segment& seg, uint32_t segments, SlabPool& pool,
                           Timers& timers, Instant now);
  ReceiveOutcome OnOutOfOrder(const Segment& seg, SlabPool& pool);
  void ReportOld(const Segment& seg);

  SeqNum rcv_nxt_;
  SeqNum last_ack_sent_;
  ViewChain in_order_;  // for the reader; ends at rcv_nxt_ or its FIN
  Reassembly reassembly_;
  AckPolicy ack_policy_;
  ReceiveWindow window_;
  bool fin_received_ = false;
  EcnEcho ecn_echo_;
  Paws paws_;
  SackBlocks sack_blocks_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECEIVE_RECEIVER_H_
