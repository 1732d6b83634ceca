// A packet that came in at one shard of a group and belongs to another, on its
// way out of the stack that took it for its own. See steering.h.
#ifndef TCPIP_STACK_FOREIGN_PACKET_H_
#define TCPIP_STACK_FOREIGN_PACKET_H_

#include <cstdint>

#include "tcpip/buffer/packet.h"
#include "tcpip/network/routes.h"

namespace tcpip {

struct ForeignPacket {
  uint32_t owner = 0;       // index of the shard
  InterfaceId ingress = 0;  // the same in all shards
  Packet packet;            // from its IP header on
};

}  // namespace tcpip

#endif  // TCPIP_STACK_FOREIGN_PACKET_H_
