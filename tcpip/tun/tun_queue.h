// TunQueue: a Link over one queue of a TUN device. One system call per packet
// each way, scatter and gather, no copy between.
//
//   read:   [ vnet header | small block behind its headroom | large block ]
//   write:  [ vnet header | packet head | body views ... ]
//
// A packet that fits the small block never touches the large one, which is
// then used for the next read; a short spill moves to a block of its size, so
// that few bytes never pin 64 KiB. Frames too short to be IP, or with a
// nonsense offload header, are counted and dropped [fault L10]. Errors of the
// device cost the packet and are counted, never fatal [fault L12].
#ifndef TCPIP_TUN_TUN_QUEUE_H_
#define TCPIP_TUN_TUN_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/link.h"
#include "tcpip/tun/tun_device.h"

namespace tcpip {

class TunQueue final : public Link {
 public:
  explicit TunQueue(TunDevice device);

  LinkCapabilities capabilities() const override;
  size_t ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                   Instant now) override;
  size_t WriteBatch(std::span<Packet> packets) override;
  int poll_fd() const override { return device_.io->fd(); }
  LinkCounters counters() const override { return counters_; }

 private:
  struct ReadBlocks;
  // Bytes read, or -errno; -EAGAIN when nothing waits.
  ssize_t ReadFrame(ReadBlocks& blocks);
  // False when the frame is not a packet.
  bool TakeFrame(SlabPool& pool, ReadBlocks& blocks, size_t frame_bytes,
                 Packet& packet);
  // 0, or -errno.
  int WriteOne(const Packet& packet);
  size_t header_bytes() const;

  TunDevice device_;
  LinkCounters counters_;
  // Views beyond the last iovec are gathered here by copy; made when needed.
  std::unique_ptr<uint8_t[]> gather_;
};

}  // namespace tcpip

#endif  // TCPIP_TUN_TUN_QUEUE_H_
