// Round-trip time estimation and the retransmission timeout. RFC 6298, RFC 7323
// appendix G.
//
// Owned by Sender. Knows no segments and no clock; feed it samples. Which
// acknowledgment may give one (Karn's rule) is the caller's to decide.
#ifndef TCPIP_TRANSPORT_TCP_RECOVERY_RTT_ESTIMATOR_H_
#define TCPIP_TRANSPORT_TCP_RECOVERY_RTT_ESTIMATOR_H_

#include <cstdint>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/observe.h"

namespace tcpip::tcp {

class RttEstimator {
 public:
  // `config` must outlive the estimator.
  explicit RttEstimator(const TcpConfig& config) : config_(&config) {}

  // Takes one sample. Samples may come with every ACK: each is weighted by
  // the share of FlightSize that its ACK newly delivered, so that SRTT
  // converges in round trips and not in ACKs. Ends a back-off.
  void OnSample(Duration rtt, uint32_t newly_acked, uint32_t flight_size);

  // [RFC 6298 5.5] the timer expired: doubles the RTO until the next sample.
  void OnTimeout();

  // [RFC 6298 5.7] the SYN timed out: until the first sample RTO is 3 s.
  void OnSynTimedOut();

  // SRTT + max(G, 4 RTTVAR, min_rto), backed off, at most max_rto.
  Duration rto() const;
  // None before the first sample.
  std::optional<Duration> srtt() const;
  Duration rttvar() const { return rttvar_; }
  // The smallest sample of the connection's life, none before the first.
  std::optional<Duration> min_rtt() const;
  void Fill(TcpInfo& info) const {
    info.rto = rto();
    info.srtt = srtt().value_or(Duration::Zero());
    info.rttvar = rttvar();
    info.min_rtt = min_rtt().value_or(Duration::Zero());
  }

 private:
  Duration InitialRto() const;
  bool sampled() const { return min_rtt_ > Duration::Zero(); }

  const TcpConfig* config_;
  Duration srtt_;
  Duration rttvar_;
  Duration min_rtt_;     // zero before the first sample
  uint8_t backoff_ = 0;  // doublings since the last sample
  bool syn_timed_out_ = false;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECOVERY_RTT_ESTIMATOR_H_
