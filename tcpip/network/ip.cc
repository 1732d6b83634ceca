#include "tcpip/network/ip.h"

#include "tcpip/network/ipv4.h"
#include "tcpip/network/ipv6.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"

namespace tcpip::ip {

InputVerdict CheckIp(const Packet& packet, Ingress ingress) {
  const ByteSpan front = packet.head();
  if (front.empty()) return {.drop = DropReason::kIpTruncated};
  switch (front[0] >> 4) {
    case 4:
      return CheckIpv4(front, packet.size(), ingress);
    case 6:
      return CheckIpv6(front, packet.size(), ingress);
    default:
      return {.drop = DropReason::kIpBadVersion};
  }
}

void PrependIp(Packet& packet, const OutboundIp& ip) {
  if (ip.destination.IsIpv4()) {
    PrependIpv4(packet, ip);
  } else {
    PrependIpv6(packet, ip);
  }
}

uint32_t HeaderSize(IpFamily family) {
  return family == IpFamily::kIpv4 ? wire::kIpv4HeaderSize
                                   : wire::kIpv6HeaderSize;
}

}  // namespace tcpip::ip
