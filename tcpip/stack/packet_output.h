// Wraps what transports send into packets: headers by Prepend, payload by
// reference where it is counted already, and the checksum in full or as the
// link wants to complete it. RFC 9293 3.1, RFC 768; virtio's meaning of a
// partial checksum.
#ifndef TCPIP_STACK_PACKET_OUTPUT_H_
#define TCPIP_STACK_PACKET_OUTPUT_H_

#include <cstdint>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/stack/interface.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/wire/address.h"

namespace tcpip {

// A payload larger than segment.gso_size makes a super-segment, which the
// interface must be able to cut.
Packet WrapTcp(SlabPool& pool, const Interface& interface,
               const FourTuple& tuple, tcp::OutSegment segment, uint8_t ttl);

// What a packet carries for the routers on its way.
struct IpMarks {
  uint8_t ttl = 64;  // IPv6: hop limit
  uint8_t tos = 0;   // IPv6: traffic class
};

// Copies the payload, which is at most udp::MaxPayload(); one that fits lies
// in one block with the headers.
Packet WrapUdp(SlabPool& pool, const Interface& interface,
               const FourTuple& tuple, ByteSpan payload, IpMarks marks);

}  // namespace tcpip

#endif  // TCPIP_STACK_PACKET_OUTPUT_H_
