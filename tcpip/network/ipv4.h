// IPv4 in and out: which packets are taken, and the header of those sent.
// RFC 791, RFC 1122 3.2, RFC 6864.
//
// CheckIpv4 decides from the header alone; whether the destination is ours is
// the stack's question, and what to do with a fragment that of reassembly.
// Called through ip.h.
#ifndef TCPIP_NETWORK_IPV4_H_
#define TCPIP_NETWORK_IPV4_H_

#include <cstddef>
#include <cstdint>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/network/ip_facts.h"

namespace tcpip::ip {

// `front` is the contiguous start of a packet of `packet_size` bytes.
InputVerdict CheckIpv4(ByteSpan front, size_t packet_size, Ingress ingress);

// Puts the header before the packet's bytes. A super-segment's total length is
// that of all its segments together, as virtio wants it; packet.size() plus
// the header is at most 65535.
void PrependIpv4(Packet& packet, const OutboundIp& ip);

// Makes the header of a first fragment, options included, that of the whole
// packet of `size` bytes.
void MakeWholeIpv4(MutableByteSpan header, size_t size, uint8_t tos);

}  // namespace tcpip::ip

#endif  // TCPIP_NETWORK_IPV4_H_
