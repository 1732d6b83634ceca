#include "tcpip/stack/packet_watch.h"

namespace tcpip {

void PacketWatch::Watch(InterfaceId interface, const Packet& packet,
                        Instant now) {
  tap_->OnPacketIn(interface, packet, now);
  current_ = Current{interface, packet.Share(), now};
}

void PacketWatch::Tell(DropReason reason) {
  if (!current_) return;
  tap_->OnDrop(current_->interface, current_->packet, reason, current_->now);
}

}  // namespace tcpip
