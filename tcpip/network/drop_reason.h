// Why a packet was dropped on purpose: the one closed list, and its names for
// metrics and captures. Whatever drops names a reason from here; the stack
// counts it, so that nothing is dropped silently.
#ifndef TCPIP_NETWORK_DROP_REASON_H_
#define TCPIP_NETWORK_DROP_REASON_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace tcpip {

enum class DropReason : uint8_t {
  kIpTruncated,
  kIpBadVersion,
  kIpBadHeader,
  kIpBadChecksum,
  kIpNotOurs,  // destination is not an address of ours
  kIpGroup,    // destination is a multicast or broadcast address
  kIpMartian,  // source cannot be answered, or cannot come from this link
  kIpSourceRoute,
  kIpFragmentBad,        // a length or an offset that no fragment can have
  kIpFragmentTiny,       // the first, without all headers of the packet
  kIpFragmentOverlap,    // overlaps others, or ends elsewhere: all are dropped
  kIpFragmentDuplicate,  // is there already
  kIpFragmentEcn,        // one CE, another not ECN-capable: all are dropped
  kIpFragmentTooMany,    // for one datagram: all are dropped
  kIpReassemblyTimeout,  // the others did not come in time
  kIpReassemblyFull,     // had to make room for newer ones
  kIpExtension,          // extension header chain refused
  kIpUnknownProtocol,
  kTcpTruncated,
  kTcpBadChecksum,
  kTcpNoSocket,
  kTcpNotForListen,  // only a SYN is welcome there
  kTcpAcceptQueueFull,
  kTcpTooManyHalfOpen,
  kTcpTooManySockets,  // the socket table has no room for what is accepted
  kUdpTruncated,
  kUdpBadChecksum,
  kUdpNoSocket,
  kUdpQueueFull,
  kIcmpTruncated,
  kIcmpBadChecksum,
  kIcmpIgnored,
  kAnswerRateLimited,  // RST or ICMP error not sent
  kControlQueueFull,
  kOwnerQueueFull,  // on the way to the shard that owns the flow
  kNoRoute,
  kMemorySpent,  // the shard's budget is, and nothing waits for just this
};
inline constexpr int kDropReasonCount =
    static_cast<int>(DropReason::kMemorySpent) + 1;

// Packets dropped, by reason.
using DropCounts = std::array<uint64_t, kDropReasonCount>;

// Metric-style name: "ip_bad_checksum".
std::string_view ToString(DropReason reason);

}  // namespace tcpip

#endif  // TCPIP_NETWORK_DROP_REASON_H_
