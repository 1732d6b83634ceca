// IPv6 in and out: which packets are taken, and the header of those sent.
// RFC 8200, RFC 6437.
//
// CheckIpv6 decides from the headers alone; whether the destination is ours is
// the stack's question. Fragments are refused here for now (a whole packet in
// a fragment header is taken): this is where reassembly is put in front.
// Called through ip.h.
#ifndef TCPIP_NETWORK_IPV6_H_
#define TCPIP_NETWORK_IPV6_H_

#include <cstddef>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/network/ip_facts.h"

namespace tcpip::ip {

// `front` is the contiguous start of a packet of `packet_size` bytes. An
// extension header that asks for an answer sets `problem` and a drop.
InputVerdict CheckIpv6(ByteSpan front, size_t packet_size, Ingress ingress);

// Puts the header before the packet's bytes; packet.size() <= 65535. The flow
// label is 0. [RFC 6437 3] a label is optional for a source
void PrependIpv6(Packet& packet, const OutboundIp& ip);

}  // namespace tcpip::ip

#endif  // TCPIP_NETWORK_IPV6_H_
