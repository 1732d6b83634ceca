#include "tcpip/link/channel.h"

namespace tcpip {

Channel::Channel(const LinkCapabilities& capabilities, size_t capacity_packets)
    : capabilities_(capabilities),
      in_(capacity_packets),
      out_(capacity_packets) {}

size_t Channel::Inject(std::span<Packet> packets) { return in_.Push(packets); }

size_t Channel::Take(PacketBatch& to, size_t max) {
  const size_t n = out_.Pop(to, max);
  for (const Packet& packet : std::span(to).last(n)) {
    ++counters_.packets_out;
    counters_.bytes_out += packet.size();
  }
  return n;
}

size_t Channel::ReadBatch(SlabPool&, PacketBatch& to, size_t max, Instant now) {
  const size_t n = in_.Pop(to, max);
  for (Packet& packet : std::span(to).last(n)) {
    packet.set_ingress(now);
    ++counters_.packets_in;
    counters_.bytes_in += packet.size();
  }
  return n;
}

size_t Channel::WriteBatch(std::span<Packet> packets) {
  return out_.Push(packets);
}

}  // namespace tcpip
