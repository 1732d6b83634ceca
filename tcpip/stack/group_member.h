// GroupMember: what a stack has to do with the other shards of its group. It
// knows whose a packet is (see steering.h), and keeps what came in here and is
// another's until the shard takes it there.
#ifndef TCPIP_STACK_GROUP_MEMBER_H_
#define TCPIP_STACK_GROUP_MEMBER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tcpip/buffer/packet.h"
#include "tcpip/network/interface_id.h"
#include "tcpip/stack/stats.h"
#include "tcpip/stack/steering.h"

namespace tcpip {

// A packet that belongs to another shard, from its IP header on.
struct HandedOverPacket {
  uint32_t owner = 0;       // index of the shard
  InterfaceId ingress = 0;  // the same in all shards
  Packet packet;
};

class GroupMember {
 public:
  // `stats` outlive this.
  GroupMember(const Steering& steering, StackStats& stats)
      : steering_(steering), stats_(stats) {}

  const Steering& steering() const { return steering_; }

  // For packet input. Keeps the packet for `owner`, if that is another shard;
  // `packet` starts `trimmed` bytes after its IP header. Nothing is handed over
  // twice, since all agree on the owner.
  bool HandOver(uint32_t owner, InterfaceId ingress, Packet& packet,
                uint32_t trimmed) {
    if (owner == steering_.index()) return false;
    Keep(owner, ingress, packet, trimmed);
    return true;
  }

  // How many are kept for their owners.
  size_t waiting() const { return handed_over_.size(); }

  // For the shard. Appends what is kept to `to`; the owner's OnPackets takes
  // it, for the same interface, and counts it as received.
  void TakeHandedOver(std::vector<HandedOverPacket>& to);
  // Its owner has it, or had no room for it, and it is counted here.
  void OnHandedOver() { ++stats_.packets_handed_over; }
  void OnOwnerFull(const HandedOverPacket& packet);

 private:
  void Keep(uint32_t owner, InterfaceId ingress, Packet& packet,
            uint32_t trimmed);

  const Steering steering_;
  StackStats& stats_;
  std::vector<HandedOverPacket> handed_over_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_GROUP_MEMBER_H_
