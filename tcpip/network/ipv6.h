// IPv6 in and out: which packets are taken, and the header of those sent.
// RFC 8200, RFC 6437.
//
// CheckIpv6 decides from the headers alone; whether the destination is ours is
// the stack's question, and what to do with a fragment that of reassembly. A
// whole packet in a fragment header is a packet. Called through ip.h.
#ifndef TCPIP_NETWORK_IPV6_H_
#define TCPIP_NETWORK_IPV6_H_

#include <cstddef>
#include <cstdint>

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

// Makes the headers of a first fragment those of the whole packet of `size`
// bytes: moves all before the fragment header, which is their last, to its
// place. The first 8 bytes mean nothing then. `named_by` as in FragmentFacts.
void MakeWholeIpv6(MutableByteSpan headers, uint32_t named_by, size_t size,
                   uint8_t traffic_class);

}  // namespace tcpip::ip

#endif  // TCPIP_NETWORK_IPV6_H_
