// PacketRing: a bounded queue of packets whose storage is kept; what the links
// that keep packets are made of. A full ring takes no more and says so.
#ifndef TCPIP_LINK_PACKET_RING_H_
#define TCPIP_LINK_PACKET_RING_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "tcpip/base/ring.h"
#include "tcpip/buffer/packet.h"

namespace tcpip {

class PacketRing {
 public:
  explicit PacketRing(size_t capacity) : capacity_(capacity) {}

  size_t room() const { return capacity_ - packets_.size(); }

  // Takes from the front what there is room for; returns how many.
  size_t Push(std::span<Packet> packets) {
    const size_t n = std::min(packets.size(), room());
    for (Packet& packet : packets.first(n)) {
      packets_.PushBack(std::move(packet));
    }
    return n;
  }

  // Appends up to `max` of the oldest to `to`; returns how many.
  size_t Pop(PacketBatch& to, size_t max) {
    const size_t n = std::min(max, packets_.size());
    for (size_t i = 0; i < n; ++i) to.push_back(packets_.PopFront());
    return n;
  }

 private:
  const size_t capacity_;
  Ring<Packet> packets_;
};

}  // namespace tcpip

#endif  // TCPIP_LINK_PACKET_RING_H_
