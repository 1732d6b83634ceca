#include "tcpip/link/loopback.h"

#include <algorithm>
#include <utility>

namespace tcpip {

Loopback::Loopback(size_t capacity_packets) : ring_(capacity_packets) {}

LinkCapabilities Loopback::capabilities() const {
  constexpr uint32_t kMaxIpPacket = 65535;
  constexpr uint32_t kMaxHeaders = 40 + 60;  // IPv6, and TCP with all options
  return {.mtu = kMaxIpPacket,
          .max_gso_bytes_ipv4 = kMaxIpPacket - kMaxHeaders,
          .max_gso_bytes_ipv6 = kMaxIpPacket - kMaxHeaders,
          .checksum_offload = true};
}

size_t Loopback::WriteBatch(std::span<Packet> packets) {
  const size_t n = std::min(packets.size(), ring_.size() - count_);
  for (Packet& packet : packets.first(n)) {
    ++counters_.packets_out;
    counters_.bytes_out += packet.size();
    ring_[(head_ + count_++) % ring_.size()] = std::move(packet);
  }
  return n;
}

size_t Loopback::ReadBatch(SlabPool&, PacketBatch& to, size_t max,
                           Instant now) {
  const size_t n = std::min(max, count_);
  for (size_t i = 0; i < n; ++i) {
    Packet& packet = ring_[head_];
    packet.set_ingress(now);
    ++counters_.packets_in;
    counters_.bytes_in += packet.size();
    to.push_back(std::move(packet));
    head_ = (head_ + 1) % ring_.size();
  }
  count_ -= n;
  return n;
}

}  // namespace tcpip
