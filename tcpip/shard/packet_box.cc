#include "tcpip/shard/packet_box.h"

#include <utility>

#include "tcpip/buffer/view_chain.h"

namespace tcpip {

void PackedPackets::Append(const HandedOverPacket& handed_over) {
  const Packet& packet = handed_over.packet;
  entries_.push_back({handed_over.ingress, packet.offload(),
                      static_cast<uint32_t>(packet.size()), packet.ingress()});
  const auto append = [this](ByteSpan bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  };
  append(packet.head());
  for (size_t i = 0; i < packet.body().view_count(); ++i) {
    append(packet.body().view(i).span());
  }
}

bool PacketBox::TryPush(const HandedOverPacket& packet) {
  std::lock_guard lock(mutex_);
  if (packets_.size_bytes() + packet.packet.size() > capacity_bytes_) {
    return false;
  }
  const bool was_empty = packets_.empty();
  packets_.Append(packet);
  if (was_empty) wake_.Set();
  return true;
}

void PacketBox::PopAll(PackedPackets& to) {
  std::lock_guard lock(mutex_);
  if (packets_.empty()) return;
  wake_.Clear();
  std::swap(to, packets_);
}

}  // namespace tcpip
