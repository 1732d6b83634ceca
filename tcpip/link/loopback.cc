#include "tcpip/link/loopback.h"

#include <algorithm>

#include "tcpip/wire/ipv4.h"

namespace tcpip {

Loopback::Loopback(size_t capacity_packets) : ring_(capacity_packets) {}

LinkCapabilities Loopback::capabilities() const {
  return {.mtu = wire::kMaxIpv4Packet, .tx = kAllOffloads};
}

size_t Loopback::WriteBatch(std::span<Packet> packets) {
  packets = packets.first(std::min(packets.size(), ring_.room()));
  for (const Packet& packet : packets) {
    ++counters_.packets_out;
    counters_.bytes_out += packet.size();
  }
  return ring_.Push(packets);
}

size_t Loopback::ReadBatch(SlabPool&, PacketBatch& to, size_t max,
                           Instant now) {
  const size_t n = ring_.Pop(to, max);
  for (Packet& packet : std::span(to).last(n)) {
    packet.set_ingress(now);
    ++counters_.packets_in;
    counters_.bytes_in += packet.size();
  }
  return n;
}

}  // namespace tcpip
