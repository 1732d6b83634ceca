// Wraps what transports send into packets: headers by Prepend, payload by
// reference, and the checksum in full or as the link wants to complete it.
// RFC 9293 3.1, RFC 768; virtio's meaning of a partial checksum.
#ifndef TCPIP_STACK_PACKET_OUTPUT_H_
#define TCPIP_STACK_PACKET_OUTPUT_H_

#include <cstdint>

#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/stack/interface.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/wire/address.h"

namespace tcpip {

// A payload larger than segment.gso_size makes a super-segment, which the
// interface must be able to cut.
Packet WrapTcp(SlabPool& pool, const Interface& interface,
               const FourTuple& tuple, tcp::OutSegment segment, uint8_t ttl);

// The payload is at most udp::MaxPayload().
Packet WrapUdp(SlabPool& pool, const Interface& interface,
               const FourTuple& tuple, ViewChain payload, uint8_t ttl);

}  // namespace tcpip

#endif  // TCPIP_STACK_PACKET_OUTPUT_H_
