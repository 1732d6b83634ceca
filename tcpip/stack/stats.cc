#include "tcpip/stack/stats.h"

namespace tcpip {

StackStats& StackStats::operator+=(const StackStats& other) {
  ip_in += other.ip_in;
  ip_in_bytes += other.ip_in_bytes;
  packets_handed_over += other.packets_handed_over;
  ip_out += other.ip_out;
  ip_out_bytes += other.ip_out_bytes;
  ip_reasm_reqds += other.ip_reasm_reqds;
  ip_reasm_oks += other.ip_reasm_oks;
  ip_reasm_fails += other.ip_reasm_fails;
  ip_frag_oks += other.ip_frag_oks;
  ip_frag_fails += other.ip_frag_fails;
  ip_frag_creates += other.ip_frag_creates;
  tcp_in_segs += other.tcp_in_segs;
  tcp_out_segs += other.tcp_out_segs;
  tcp_retrans_segs += other.tcp_retrans_segs;
  tcp_active_opens += other.tcp_active_opens;
  tcp_passive_opens += other.tcp_passive_opens;
  tcp_attempt_fails += other.tcp_attempt_fails;
  tcp_estab_resets += other.tcp_estab_resets;
  tcp_out_rsts += other.tcp_out_rsts;
  tcp_curr_estab += other.tcp_curr_estab;
  tcp_time_wait += other.tcp_time_wait;
  tcp_time_wait_overflows += other.tcp_time_wait_overflows;
  tcp_half_open += other.tcp_half_open;
  tcp_listen_overflows += other.tcp_listen_overflows;
  udp_in_datagrams += other.udp_in_datagrams;
  udp_out_datagrams += other.udp_out_datagrams;
  icmp_in_msgs += other.icmp_in_msgs;
  icmp_out_msgs += other.icmp_out_msgs;
  icmp_soft_errors += other.icmp_soft_errors;
  icmp_path_mtu_reports += other.icmp_path_mtu_reports;
  sockets += other.sockets;
  pinned_bytes += other.pinned_bytes;
  memory_budget_bytes += other.memory_budget_bytes;
  for (int i = 0; i < kDropReasonCount; ++i) dropped[i] += other.dropped[i];
  return *this;
}

}  // namespace tcpip
