#include "tcpip/network/ip.h"

#include "tcpip/buffer/view_chain.h"
#include "tcpip/network/ipv4.h"
#include "tcpip/network/ipv6.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"

namespace tcpip::ip {
namespace {

PartialSum SumChain(const ViewChain& chain) {
  PartialSum sum;
  uint32_t offset = 0;
  for (size_t i = 0; i < chain.view_count(); ++i) {
    sum.Combine(SumBytes(chain.view(i).span()), offset);
    offset += chain.view(i).size();
  }
  return sum;
}

}  // namespace

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

PartialSum SumPacket(const Packet& packet) {
  return SumBytes(packet.head())
      .Combine(SumChain(packet.body()),
               static_cast<uint32_t>(packet.head().size()));
}

}  // namespace tcpip::ip
