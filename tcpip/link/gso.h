// Software GSO: what a NIC does with the packets a stack leaves unfinished, for
// links that cannot. Cuts TCP super-segments (RFC 9293 3.1, IPv4 IDs by RFC
// 6864) and completes owed checksums (RFC 1071).
//
// Called by software_offload, and by links that lose the ability at run time.
// Payload is not copied: the pieces refer to the blocks of the whole, and the
// one pass over it is the checksum's. Does not judge headers: they are our own
// stack's or gro's. Cuts TCP only.
#ifndef TCPIP_LINK_GSO_H_
#define TCPIP_LINK_GSO_H_

#include "tcpip/buffer/packet.h"

namespace tcpip {

// Appends the packets that `packet`, a TCP packet with all headers in its head,
// makes on the wire: each with at most gso_size bytes of payload and complete.
// Their heads come from the pool of its head. Allocates nothing once that pool
// is warm and `to` has the capacity.
void SplitGso(const Packet& packet, PacketBatch& to);

// Completes the checksum of a packet with ChecksumState::kPartial whose head it
// owns alone, of any protocol and not a super-segment; others are left alone.
void CompleteChecksum(Packet& packet);

}  // namespace tcpip

#endif  // TCPIP_LINK_GSO_H_
