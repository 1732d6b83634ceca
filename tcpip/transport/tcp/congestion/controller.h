// The congestion controller of one connection: events in, cwnd and ssthresh
// out. RFC 5681, RFC 6928, RFC 3168; the algorithm is one of a closed set.
//
// Called by Sender with numbers only. Which event happened, and once per
// episode at that, is loss_recovery's to know; an algorithm keeps no pointer
// to anything. It does not send, pace or detect losses.
#ifndef TCPIP_TRANSPORT_TCP_CONGESTION_CONTROLLER_H_
#define TCPIP_TRANSPORT_TCP_CONGESTION_CONTROLLER_H_

#include <algorithm>
#include <cstdint>
#include <variant>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/congestion/congestion_window.h"
#include "tcpip/transport/tcp/congestion/ecn_signal.h"
#include "tcpip/transport/tcp/congestion/reno.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

// Four events. An algorithm changes the window and its own state, no more.
template <typename T>
concept CongestionControl = requires(T a, CongestionWindow& w,
                                     const AckEvent& ack, const LossEvent& loss,
                                     Instant now) {
  a.OnAck(w, ack);          // new data acknowledged, not in fast recovery
  a.OnCongestion(w, loss);  // once per fast recovery, or window with ECE
  a.OnRto(w, loss);         // the retransmission timer expired
  a.OnIdleRestart(w, now);  // cwnd has been cut after an idle time
};
static_assert(CongestionControl<Reno>);

class Controller {
 public:
  // Starts with IW, of `initial_segments`. `ecn`: was it agreed on?
  Controller(CongestionAlgorithm, uint32_t smss, uint32_t initial_segments,
             bool ecn)
      : window_{.cwnd = InitialWindow(smss, initial_segments)},
        initial_segments_(initial_segments),
        ecn_(ecn) {}

  uint32_t cwnd() const { return window_.cwnd; }
  uint32_t ssthresh() const { return window_.ssthresh; }
  const char* name() const {
    return std::visit([](const auto& a) { return a.kName; }, algorithm_);
  }
  void Fill(TcpInfo& info) const {
    info.congestion = name();
    info.cwnd = cwnd();
    info.ssthresh = ssthresh();
  }

  void OnAck(const AckEvent& ack) {
    std::visit([&](auto& a) { a.OnAck(window_, ack); }, algorithm_);
  }
  void OnCongestion(const LossEvent& loss) {
    std::visit([&](auto& a) { a.OnCongestion(window_, loss); }, algorithm_);
    ecn_.OnReduced(loss.snd_max);
  }
  void OnRto(const LossEvent& loss) {
    std::visit([&](auto& a) { a.OnRto(window_, loss); }, algorithm_);
    ecn_.OnReduced(loss.snd_max);
  }
  // For every acceptable ACK, as EcnSignal.
  bool IsCongested(SeqNum ack, bool ece) { return ecn_.OnAck(ack, ece); }
  bool TakeCwr() { return ecn_.TakeCwr(); }
  // [RFC 5681 4.1] nothing was sent for an RTO: cwnd is at most RW = IW, of the
  // segments that are sent now
  void OnIdleRestart(uint32_t smss, Instant now) {
    window_.cwnd =
        std::min(window_.cwnd, InitialWindow(smss, initial_segments_));
    std::visit([&](auto& a) { a.OnIdleRestart(window_, now); }, algorithm_);
  }
  // [RFC 5681 3.1] the SYN was lost: LW at the start
  void OnSynTimedOut(uint32_t smss) { window_.cwnd = smss; }
  // One segment always fits the window.
  void OnSmss(uint32_t smss) { window_.cwnd = std::max(window_.cwnd, smss); }

 private:
  CongestionWindow window_;
  uint32_t initial_segments_;
  std::variant<Reno> algorithm_;
  EcnSignal ecn_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_CONGESTION_CONTROLLER_H_
