// PacketWatch: shows a tap what passes and what is dropped. Keeps the packet
// that is being processed whole, since whoever drops it may have taken its
// headers off already. One branch per packet when there is no tap.
// Owned by StackContext, whose Drop() tells it of drops; counts nothing itself.
#ifndef TCPIP_STACK_PACKET_WATCH_H_
#define TCPIP_STACK_PACKET_WATCH_H_

#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/network/interface_id.h"
#include "tcpip/stack/packet_tap.h"

namespace tcpip {

class PacketWatch {
 public:
  void set_tap(PacketTap* tap) { tap_ = tap; }

  void OnPacketOut(InterfaceId interface, const Packet& packet, Instant now) {
    if (tap_ != nullptr) [[unlikely]] {
      tap_->OnPacketOut(interface, packet, now);
    }
  }
  // Drops between Begin and End are those of `packet`.
  void Begin(InterfaceId interface, const Packet& packet, Instant now) {
    if (tap_ != nullptr) [[unlikely]] {
      Watch(interface, packet, now);
    }
  }
  void End() {
    if (tap_ != nullptr) [[unlikely]] {
      current_.reset();
    }
  }
  // What is dropped at other times never came in, and is only counted.
  void OnDrop(DropReason reason) {
    if (tap_ != nullptr) [[unlikely]] {
      Tell(reason);
    }
  }

 private:
  struct Current {
    InterfaceId interface;
    Packet packet;
    Instant now;
  };
  void Watch(InterfaceId interface, const Packet& packet, Instant now);
  void Tell(DropReason reason);

  PacketTap* tap_ = nullptr;
  std::optional<Current> current_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_PACKET_WATCH_H_
