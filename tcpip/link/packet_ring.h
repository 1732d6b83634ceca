// PacketRing: a bounded queue of packets whose storage is allocated once; what
// the links that keep packets are made of. A full ring takes no more and says
// so.
#ifndef TCPIP_LINK_PACKET_RING_H_
#define TCPIP_LINK_PACKET_RING_H_

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tcpip/buffer/packet.h"

namespace tcpip {

class PacketRing {
 public:
  explicit PacketRing(size_t capacity) : ring_(capacity) {}

  size_t room() const { return ring_.size() - count_; }

  // Takes from the front what there is room for; returns how many.
  size_t Push(std::span<Packet> packets) {
    const size_t n = std::min(packets.size(), room());
    for (Packet& packet : packets.first(n)) {
      ring_[(head_ + count_++) % ring_.size()] = std::move(packet);
    }
    return n;
  }

  // Appends up to `max` of the oldest to `to`; returns how many.
  size_t Pop(PacketBatch& to, size_t max) {
    const size_t n = std::min(max, count_);
    for (size_t i = 0; i < n; ++i) {
      to.push_back(std::move(ring_[head_]));
      head_ = (head_ + 1) % ring_.size();
    }
    count_ -= n;
    return n;
  }

 private:
  std::vector<Packet> ring_;
  size_t head_ = 0;
  size_t count_ = 0;
};

}  // namespace tcpip

#endif  // TCPIP_LINK_PACKET_RING_H_
