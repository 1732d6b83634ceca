// PacketBox: the way of a packet from the shard it came in at to the shard that
// owns it. Slabs stay with their thread, so the bytes are copied; what the link
// knew of the packet, its arrival time included, goes along.
//
// Bounded: a full box takes nothing, and the sender drops and counts. Bytes of
// all packets stand in one buffer that is swapped with the reader's, so that
// nothing is allocated per packet after warm-up.
#ifndef TCPIP_SHARD_PACKET_BOX_H_
#define TCPIP_SHARD_PACKET_BOX_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "tcpip/base/bytes.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/network/interface_id.h"
#include "tcpip/shard/mailbox.h"
#include "tcpip/stack/group_member.h"

namespace tcpip {

// Packets without slabs, in order.
class PackedPackets {
 public:
  void Append(const HandedOverPacket& packet);
  bool empty() const { return entries_.empty(); }
  // What the packets occupy.
  size_t size_bytes() const {
    return bytes_.size() + entries_.size() * sizeof(Entry);
  }

  // Hands each packet to `take`(interface it came in by, packet) and is empty
  // afterwards.
  template <typename Take>
  void UnpackAll(SlabPool& pool, const Take& take) {
    ByteSpan left = bytes_;
    for (const Entry& entry : entries_) {
      Packet packet = Packet::Copy(pool, left.first(entry.size));
      packet.offload() = entry.offload;
      packet.set_ingress(entry.arrival);
      left = left.subspan(entry.size);
      take(entry.interface, std::move(packet));
    }
    entries_.clear();
    bytes_.clear();
  }

 private:
  struct Entry {
    InterfaceId interface;
    Offload offload;
    uint32_t size;
    Instant arrival;
  };

  std::vector<Entry> entries_;
  std::vector<uint8_t> bytes_;
};

class PacketBox {
 public:
  explicit PacketBox(size_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  // False when full. Any thread.
  bool TryPush(const HandedOverPacket& packet);

  // Exchanges `to`, which is empty, for what waits. Owner only.
  void PopAll(PackedPackets& to);

  int wake_fd() const { return wake_.fd(); }  // readable while packets wait

 private:
  const size_t capacity_bytes_;
  WakeEvent wake_;
  std::mutex mutex_;
  PackedPackets packets_;  // guarded by mutex_
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_PACKET_BOX_H_
