#include "conformance/tcp_info_fields.h"

#include <cstdint>

#include "conformance/linux_constants.h"
#include "tcpip/transport/tcp/congestion/congestion_window.h"

namespace conformance {
namespace {

using tcpip::tcp::RecoveryState;
using tcpip::tcp::TcpInfo;
using tcpip::tcp::TcpState;

int LinuxRecovery(RecoveryState recovery) {
  switch (recovery) {
    case RecoveryState::kOpen:
      return Linux("TCP_CA_Open");
    case RecoveryState::kDisorder:
      return Linux("TCP_CA_Disorder");
    case RecoveryState::kRecovery:
      return Linux("TCP_CA_Recovery");
    case RecoveryState::kLoss:
      return Linux("TCP_CA_Loss");
  }
  return -1;
}

int OptionBits(const TcpInfo& info) {
  const bool scaled = info.snd_scale != 0 || info.rcv_scale != 0;
  return (info.timestamps ? Linux("TCPI_OPT_TIMESTAMPS") : 0) |
         (info.sack ? Linux("TCPI_OPT_SACK") : 0) |
         (scaled ? Linux("TCPI_OPT_WSCALE") : 0) |
         (info.ecn ? Linux("TCPI_OPT_ECN") : 0);
}

// Linux counts these in segments, whatever was in them.
void AddSegmentCounts(const TcpInfo& info, InfoFields& fields) {
  if (info.smss == 0) return;  // not settled yet
  constexpr int64_t kLinuxInfinite = 0x7fffffff;
  fields["tcpi_snd_mss"] = info.smss;
  fields["tcpi_snd_cwnd"] = info.cwnd / info.smss;
  fields["tcpi_snd_ssthresh"] =
      info.ssthresh == tcpip::tcp::CongestionWindow::kInfinite
          ? kLinuxInfinite
          : int64_t{info.ssthresh / info.smss};
  fields["tcpi_unacked"] =
      static_cast<int64_t>((info.unacked_bytes + info.smss - 1) / info.smss);
}

}  // namespace

int LinuxState(TcpState state) {
  switch (state) {
    case TcpState::kClosed:
    case TcpState::kTimeWait:
      return Linux("TCP_CLOSE");
    case TcpState::kListen:
      return Linux("TCP_LISTEN");
    case TcpState::kSynSent:
      return Linux("TCP_SYN_SENT");
    case TcpState::kSynReceived:
      return Linux("TCP_SYN_RECV");
    case TcpState::kEstablished:
      return Linux("TCP_ESTABLISHED");
    case TcpState::kFinWait1:
      return Linux("TCP_FIN_WAIT1");
    case TcpState::kFinWait2:
      return Linux("TCP_FIN_WAIT2");
    case TcpState::kCloseWait:
      return Linux("TCP_CLOSE_WAIT");
    case TcpState::kClosing:
      return Linux("TCP_CLOSING");
    case TcpState::kLastAck:
      return Linux("TCP_LAST_ACK");
  }
  return -1;
}

InfoFields InfoFieldsOf(const TcpInfo& info) {
  const auto bytes = [](uint64_t n) { return static_cast<int64_t>(n); };
  InfoFields fields = {
      {"tcpi_state", LinuxState(info.state)},
      {"tcpi_ca_state", LinuxRecovery(info.recovery)},
      {"tcpi_options", OptionBits(info)},
      {"tcpi_snd_wscale", info.snd_scale},
      {"tcpi_rcv_wscale", info.rcv_scale},
      {"tcpi_advmss", info.rmss},
      {"tcpi_rto", info.rto.microseconds()},
      {"tcpi_rtt", info.srtt.microseconds()},
      {"tcpi_rttvar", info.rttvar.microseconds()},
      {"tcpi_min_rtt", info.min_rtt.microseconds()},
      {"tcpi_total_retrans", info.segs_retrans},
      {"tcpi_bytes_acked", bytes(info.octets_acked)},
      {"tcpi_bytes_received", bytes(info.octets_in)},
      {"tcpi_bytes_retrans", bytes(info.octets_retrans)},
      {"tcpi_notsent_bytes", bytes(info.unsent_bytes)},
      {"tcpi_segs_out", info.segs_out},
      {"tcpi_segs_in", info.segs_in},
      {"tcpi_data_segs_in", info.data_segs_in},
      {"tcpi_data_segs_out", info.data_segs_out},
      {"tcpi_dsack_dups", info.dsacks_in},
      {"tcpi_snd_wnd", info.snd_wnd},
      {"tcpi_rcv_wnd", info.rcv_wnd},
  };
  AddSegmentCounts(info, fields);
  return fields;
}

}  // namespace conformance
