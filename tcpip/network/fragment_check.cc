#include "tcpip/network/fragment_check.h"

#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/udp.h"

namespace tcpip::ip {
namespace {

// What the first fragment has to hold of its transport: all that decides where
// the packet goes, and with TCP the flags. [RFC 7112 5]
size_t LeastTransportBytes(uint8_t protocol) {
  switch (protocol) {
    case wire::kTcp:
      return wire::kTcpHeaderSize;
    case wire::kUdp:
      return wire::kUdpHeaderSize;
    case wire::kIcmp:
    case wire::kIcmpv6:
      return wire::kIcmpHeaderSize;
    default:
      return 8;  // the least there is in a fragment with others after it
  }
}

}  // namespace

FragmentFlaw FlawOf(const FragmentFacts& fragment, const InboundIp& ip,
                    size_t other_bytes, size_t transport_bytes) {
  const size_t data = ip.size - fragment.header_size;
  if (data == 0) return FragmentFlaw::kEmpty;
  if (fragment.more && data % 8 != 0) return FragmentFlaw::kUneven;
  // [fault X19] the "ping of death"
  if (other_bytes + fragment.offset + data > wire::kMaxIpv4Packet) {
    return FragmentFlaw::kTooLong;
  }
  // [fault I05] and nothing else is too small
  if (fragment.offset == 0 &&
      transport_bytes < LeastTransportBytes(ip.protocol)) {
    return FragmentFlaw::kTinyFirst;
  }
  return FragmentFlaw::kNone;
}

}  // namespace tcpip::ip
