#include "tcpip/stack/context.h"

#include "tcpip/network/fragmentation.h"

namespace tcpip {

bool StackContext::SendFragments(PacketQueue& queue, Packet packet,
                                 uint32_t mtu) {
  if (queue.full()) {
    ++stats.ip_frag_fails;
    return false;
  }
  // [fault X09] nobody can tell the next ID from this one
  const auto id = static_cast<uint32_t>(rng.Next() >> 32);
  ip::FragmentPacket(pool, std::move(packet), mtu, id, fragments_);
  ++stats.ip_frag_oks;
  stats.ip_frag_creates += fragments_.size();
  queue.PushAll(fragments_);
  return true;
}

}  // namespace tcpip
