// Counters of one stack, by RFC 4022 / 4293 / 4113 names where those exist.
// Plain data: a snapshot is a copy; shards are summed with +=.
//
// What is dropped on purpose has one reason from DropReason, counted here and
// nowhere silent.
#ifndef TCPIP_STACK_STATS_H_
#define TCPIP_STACK_STATS_H_

#include <cstdint>

#include "tcpip/network/drop_reason.h"

namespace tcpip {

struct StackStats {
  uint64_t ip_in = 0;
  uint64_t ip_in_bytes = 0;
  uint64_t packets_handed_over = 0;  // to the shard that owns their flow
  uint64_t ip_out = 0;
  uint64_t ip_out_bytes = 0;
  uint64_t ip_reasm_reqds = 0;   // fragments in
  uint64_t ip_reasm_oks = 0;     // packets made of them
  uint64_t ip_reasm_fails = 0;   // packets given up
  uint64_t ip_frag_oks = 0;      // packets that left in fragments
  uint64_t ip_frag_fails = 0;    // packets for whose fragments was no room
  uint64_t ip_frag_creates = 0;  // fragments out

  uint64_t tcp_in_segs = 0;  // wire segments
  uint64_t tcp_out_segs = 0;
  uint64_t tcp_retrans_segs = 0;
  uint64_t tcp_active_opens = 0;
  uint64_t tcp_passive_opens = 0;
  uint64_t tcp_attempt_fails = 0;
  uint64_t tcp_estab_resets = 0;
  uint64_t tcp_out_rsts = 0;
  uint64_t tcp_curr_estab = 0;
  uint64_t tcp_time_wait = 0;
  uint64_t tcp_time_wait_overflows = 0;  // the oldest had to go
  uint64_t tcp_half_open = 0;
  uint64_t tcp_listen_overflows = 0;

  uint64_t udp_in_datagrams = 0;
  uint64_t udp_out_datagrams = 0;
  uint64_t icmp_in_msgs = 0;
  uint64_t icmp_out_msgs = 0;
  // ICMP errors believed: about a connection or socket that goes on, and those
  // that made a path's MTU known.
  uint64_t icmp_soft_errors = 0;
  uint64_t icmp_path_mtu_reports = 0;

  uint64_t sockets = 0;
  uint64_t pinned_bytes = 0;         // slab memory alive
  uint64_t memory_budget_bytes = 0;  // for it; 0: there is none

  DropCounts dropped = {};

  uint64_t Dropped(DropReason reason) const {
    return dropped[static_cast<int>(reason)];
  }
  StackStats& operator+=(const StackStats& other);
};

}  // namespace tcpip

#endif  // TCPIP_STACK_STATS_H_
