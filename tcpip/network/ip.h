// The two families behind one door: a packet's first four bits choose on the
// way in, its addresses on the way out.
#ifndef TCPIP_NETWORK_IP_H_
#define TCPIP_NETWORK_IP_H_

#include "tcpip/buffer/packet.h"
#include "tcpip/network/ip_facts.h"

namespace tcpip::ip {

// Of a packet that has passed the checks, or is ours.
inline IpFamily FamilyOf(const Packet& packet) {
  return packet.head()[0] >> 4 == 4 ? IpFamily::kIpv4 : IpFamily::kIpv6;
}

InputVerdict CheckIp(const Packet& packet, Ingress ingress);
void PrependIp(Packet& packet, const OutboundIp& ip);

// Bytes of the header PrependIp writes.
uint32_t HeaderSize(IpFamily family);

}  // namespace tcpip::ip

#endif  // TCPIP_NETWORK_IP_H_
