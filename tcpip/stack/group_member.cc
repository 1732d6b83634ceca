#include "tcpip/stack/group_member.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tcpip/network/drop_reason.h"

namespace tcpip {

void GroupMember::Keep(uint32_t owner, InterfaceId ingress, Packet& packet,
                       uint32_t trimmed) {
  packet.UntrimFront(trimmed);
  handed_over_.push_back({owner, ingress, std::move(packet)});
}

void GroupMember::TakeHandedOver(std::vector<HandedOverPacket>& to) {
  std::move(handed_over_.begin(), handed_over_.end(), std::back_inserter(to));
  handed_over_.clear();
}

void GroupMember::OnOwnerFull(const HandedOverPacket& packet) {
  ++stats_.ip_in;
  stats_.ip_in_bytes += packet.packet.size();
  // Not through the context: it is long past the tap.
  ++stats_.dropped[static_cast<size_t>(DropReason::kOwnerQueueFull)];
}

}  // namespace tcpip
