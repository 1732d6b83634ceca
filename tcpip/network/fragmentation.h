// Fragmentation: a packet larger than a link's MTU becomes several that are
// not. RFC 791 3.2, RFC 8200 4.5, RFC 6864.
//
// Data is shared, not copied; only headers are made, each with its sum. Called
// by the stack for packets of its own, which never are TCP's: a segment has
// the size its path takes. [fault I12]
#ifndef TCPIP_NETWORK_FRAGMENTATION_H_
#define TCPIP_NETWORK_FRAGMENTATION_H_

#include <cstdint>

#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"

namespace tcpip::ip {

// Appends the fragments of `packet`, which PrependIp has finished and which
// exceeds `mtu`, to `to`. `id` should be random [fault X09]; IPv4 has room for
// 16 bits of it. A checksum left to the link is completed, since no link can
// do that across fragments. An MTU below what the family promises everywhere
// (68, 1280) counts as that.
void FragmentPacket(SlabPool& pool, Packet packet, uint32_t mtu, uint32_t id,
                    PacketBatch& to);

}  // namespace tcpip::ip

#endif  // TCPIP_NETWORK_FRAGMENTATION_H_
