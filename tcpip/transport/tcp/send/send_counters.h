// What a connection's send side counts since it began, for TcpInfo. RFC 4898
// names. Plain numbers: Sender adds, FillInfo copies; nothing decides on them.
#ifndef TCPIP_TRANSPORT_TCP_SEND_SEND_COUNTERS_H_
#define TCPIP_TRANSPORT_TCP_SEND_SEND_COUNTERS_H_

#include <cstdint>

#include "tcpip/transport/tcp/observe.h"

namespace tcpip::tcp {

struct SendCounters {
  uint64_t octets_acked = 0;
  uint64_t octets_retrans = 0;
  uint32_t data_segs_out = 0;
  uint32_t segs_retrans = 0;
  uint32_t timeouts = 0;
  uint32_t fast_recoveries = 0;
  uint32_t ecn_reductions = 0;
  uint32_t dup_acks_in = 0;
  uint32_t dsacks_in = 0;
  uint32_t sack_blocks_in = 0;
  uint32_t rtt_samples_departure = 0;
  uint32_t rtt_samples_echo = 0;
  uint32_t zero_window_probes = 0;

  void Fill(TcpInfo& info) const {
    info.data_segs_out = data_segs_out;
    info.octets_acked = octets_acked;
    info.octets_retrans = octets_retrans;
    info.segs_retrans = segs_retrans;
    info.timeouts = timeouts;
    info.fast_recoveries = fast_recoveries;
    info.ecn_reductions = ecn_reductions;
    info.dup_acks_in = dup_acks_in;
    info.dsacks_in = dsacks_in;
    info.sack_blocks_in = sack_blocks_in;
    info.rtt_samples_departure = rtt_samples_departure;
    info.rtt_samples_echo = rtt_samples_echo;
    info.zero_window_probes = zero_window_probes;
  }
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEND_SEND_COUNTERS_H_
