// SND.* of one connection in a synchronized state: the send queue, what is in
// flight, when to send and how much. RFC 9293 3.8, RFC 5681, RFC 6298, RFC
// 6675.
//
// Called by the hall with acknowledgments that passed the acceptability test.
// Asks recovery, congestion and send_policy in turn; emits nothing itself: the
// connection calls PollSend until it returns nullopt and wraps each OutData
// into a segment. FIN is sequence space: it is queued, sent, retransmitted and
// acknowledged like a byte. Some timer is armed whenever data (or FIN) is
// unacknowledged or waits behind a closed window. Nothing goes back behind
// SND.MAX: what is sent again is what the sent log holds for lost, so SND.NXT
// and SND.MAX are the same.
#ifndef TCPIP_TRANSPORT_TCP_SEND_SENDER_H_
#define TCPIP_TRANSPORT_TCP_SEND_SENDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/congestion/controller.h"
#include "tcpip/transport/tcp/negotiated.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/recovery/loss_recovery.h"
#include "tcpip/transport/tcp/recovery/rtt_estimator.h"
#include "tcpip/transport/tcp/recovery/sent_log.h"
#include "tcpip/transport/tcp/send/persist.h"
#include "tcpip/transport/tcp/send/segmenter.h"
#include "tcpip/transport/tcp/send/send_counters.h"
#include "tcpip/transport/tcp/send/send_policy.h"
#include "tcpip/transport/tcp/send/send_queue.h"
#include "tcpip/transport/tcp/send/send_window.h"
#include "tcpip/transport/tcp/send/sender_types.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/transport/tcp/timers.h"

namespace tcpip::tcp {

class Sender {
 public:
  // `config` must outlive the sender.
  Sender(const TcpConfig& config, const Negotiated& negotiated,
         const SenderStart& start);

  // Takes from the front of `data` what fits; nothing after CloseWrite.
  size_t Write(ViewChain& data, SlabPool& pool);
  size_t WriteCopy(ByteSpan data, SlabPool& pool);
  // What was accepted before there was a connection: all of it, at once.
  void TakeOver(ViewChain data, SlabPool& pool) {
    queue_.Append(std::move(data), pool);
    policy_.Push(stream_end());
  }
  size_t writable_bytes() const { return write_closed() ? 0 : queue_.room(); }
  bool writable() const { return writable_bytes() > 0 && queue_.writable(); }
  // Queues the FIN behind everything written.
  void CloseWrite();
  bool write_closed() const { return fin_ != Fin::kNone; }

  // [RFC 9293 3.10.7.4] fifth step for an acceptable ACK: queue trim, RTT,
  // scoreboard, congestion window, window update, timers.
  AckOutcome OnAck(const AckInput& in, Timers& timers, Instant now);

  // The next thing to put on the wire, or nullopt: what is lost first, then
  // new data. Arms kRetransmit, kPersist, kHold as needed. One run of calls up
  // to nullopt is an event: it repeats at most max_burst_segments; new data is
  // bounded by cwnd alone, which ACKs opened.
  std::optional<OutData> PollSend(Timers& timers, Instant now);

  // [RFC 6298 5.4, 5.5, 5.6] Gives up when it expires after data_retries
  // retransmissions of its own without progress.
  RetransmitVerdict OnRetransmitTimer(Timers& timers, Instant now);
  // [RFC 9293 3.8.6.1] Gives up after as many probes that nothing answered.
  RetransmitVerdict OnPersistTimer(Timers& timers, Instant now);
  void OnHoldTimer() { policy_.Push(stream_end()); }

  // The segment size of what is sent from now on.
  void SetSmss(uint32_t smss) {
    segmenter_.set_smss(smss);
    congestion_.OnSmss(smss);
  }
  void SetMaxGsoBytes(uint32_t bytes) { segmenter_.set_max_gso_bytes(bytes); }
  // As SetSmss, and what is in flight in larger segments has been dropped.
  void OnPacketTooBig(uint32_t smss) {
    recovery_.OnPacketTooBig(smss, log_);
    SetSmss(smss);
  }
  void SetNoDelay(bool on) { policy_.set_no_delay(on); }
  void SetSendBufferBytes(uint32_t bytes) { queue_.set_capacity(bytes); }
  SeqNum snd_una() const { return log_.snd_una(); }
  SeqNum snd_nxt() const { return log_.snd_max(); }
  SeqNum snd_max() const { return log_.snd_max(); }
  WindowSize snd_wnd() const { return window_.snd_wnd(); }
  // MAX.SND.WND of RFC 5961 5
  WindowSize max_snd_wnd() const { return window_.max_snd_wnd(); }
  bool fin_acked() const { return fin_ == Fin::kAcked; }
  bool HasUnackedOrUnsent() const { return !log_.empty() || HasUnsent(); }
  size_t unsent_bytes() const { return queue_.unsent_bytes(); }
  size_t unacked_bytes() const { return log_.flight_size(); }  // FIN included
  size_t pinned_bytes() const { return queue_.pinned_bytes(); }

  // Fills the sender's fields of a snapshot.
  void FillInfo(TcpInfo& info) const;
  // INV of the send side; aborts with a message when broken. For tests.
  void CheckInvariants(const Timers& timers) const;

 private:
  enum class Fin : uint8_t { kNone, kQueued, kSent, kAcked };

  uint32_t smss() const { return segmenter_.smss(); }
  SeqNum stream_end() const {
    return snd_una() + static_cast<uint32_t>(queue_.size());
  }
  bool HasUnsent() const {
    return queue_.unsent_bytes() > 0 || fin_ == Fin::kQueued;
  }
  uint32_t CwndRoom() const;
  NewData NextNewData() const;

  // The steps of OnAck.
  void SampleRtt(const AckInput& in, const Delivery& delivery,
                 uint32_t flight_size);
  void TakeAcked(uint32_t acked_bytes, AckOutcome& outcome);
  void AdaptCwnd(const AckInput& in, const Delivery& delivery, bool duplicate,
                 const LossEvent& loss);
  void TakeWindow(const AckInput& in, Timers& timers, Instant now);

  std::optional<OutData> PollRetransmission(Timers& timers, Instant now);
  std::optional<OutData> PollNewData(Timers& timers, Instant now);
  OutData Probe();
  // kRetransmit while anything is in flight, else kPersist while a window
  // keeps something back.
  void ArmTimers(Timers& timers, Instant now);

  const TcpConfig* config_;
  SendQueue queue_;
  SentLog log_;
  RttEstimator rtt_;
  LossRecovery recovery_;
  Controller congestion_;
  SendWindow window_;
  Segmenter segmenter_;
  SendPolicy policy_;
  Persist persist_;
  Fin fin_ = Fin::kNone;
  bool cwnd_limited_ = false;  // cwnd stopped the last run of PollSend
  uint32_t burst_bytes_ = 0;   // sent again in this run of PollSend
  // Last sent, or waited for a window; idle times count from here.
  Instant last_active_ = Instant::Never();
  SendCounters counters_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEND_SENDER_H_
