#include "tcpip/network/drop_reason.h"

#include <iterator>

namespace tcpip {
namespace {

// In the order of the enum.
constexpr std::string_view kNames[] = {
    "ip_truncated",         "ip_bad_version",        "ip_bad_header",
    "ip_bad_checksum",      "ip_not_ours",           "ip_group",
    "ip_martian",           "ip_source_route",       "ip_fragment_bad",
    "ip_fragment_tiny",     "ip_fragment_overlap",   "ip_fragment_duplicate",
    "ip_fragment_ecn",      "ip_fragment_too_many",  "ip_reassembly_timeout",
    "ip_reassembly_full",   "ip_extension",          "ip_unknown_protocol",
    "tcp_truncated",        "tcp_bad_checksum",      "tcp_no_socket",
    "tcp_not_for_listen",   "tcp_accept_queue_full", "tcp_too_many_half_open",
    "tcp_too_many_sockets", "udp_truncated",         "udp_bad_checksum",
    "udp_no_socket",        "udp_queue_full",        "icmp_truncated",
    "icmp_bad_checksum",    "icmp_ignored",          "answer_rate_limited",
    "control_queue_full",   "owner_queue_full",      "no_route",
    "memory_spent",
};
static_assert(std::size(kNames) == kDropReasonCount);

}  // namespace

std::string_view ToString(DropReason reason) {
  return kNames[static_cast<int>(reason)];
}

}  // namespace tcpip
