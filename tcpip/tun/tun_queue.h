// TunQueue: a Link over one queue of a TUN device. One system call per packet
// each way, scatter and gather, no copy between.
//
//   read:   [ vnet header | small block behind its headroom | large block ]
//   write:  [ vnet header | packet head | body views ... ]
//
// A packet that fits the small block never touches the large one, which is
// then used for the next read; a short spill moves to a block of its size, so
// that few bytes never pin 64 KiB. Frames too short to be IP, or with a
// nonsense offload header, are counted and dropped [fault L10].
//
// What the kernel refuses to finish for us is not taken, and capabilities() say
// so until another packet is: whoever made it finishes it [fault L01]. A device
// that is down or gone is a full link: packets wait, and flows go on the moment
// it is back, while a loss would make each wait for a timeout that has grown
// [fault O06]. They are as few as a batch and the stack's queues. Any other
// error costs the packet, is counted and is never fatal [fault L12].
#ifndef TCPIP_TUN_TUN_QUEUE_H_
#define TCPIP_TUN_TUN_QUEUE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "absl/status/status.h"
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
  LinkOffloads refused() const override;
  size_t ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                   Instant now) override;
  size_t WriteBatch(std::span<Packet> packets) override;
  int poll_fd() const override { return device_.io->fd(); }
  LinkCounters counters() const override;
  void Refresh() override { RefreshTun(device_); }
  absl::Status Reopen() override { return ReopenTun(device_); }
  SwitchedOffloads offloads() const override {
    return {device_.rx, device_.tx};
  }
  // `rx` is the whole device's, `tx` this queue's own. INVALID_ARGUMENT for
  // segmentation without checksum, FAILED_PRECONDITION where the device was
  // opened without offload or the kernel knows none.
  absl::Status SetOffloads(const LinkOffloads& rx,
                           const LinkOffloads& tx) override;

 private:
  struct ReadBlocks;
  // What became of a packet.
  enum class Written { kTaken, kNotTaken };
  // Bytes read, or -errno; -EAGAIN when nothing waits.
  ssize_t ReadFrame(ReadBlocks& blocks);
  // False when the frame is not a packet.
  bool TakeFrame(SlabPool& pool, ReadBlocks& blocks, size_t frame_bytes,
                 Packet& packet);
  Written WriteOne(const Packet& packet);
  // After an error other than EINVAL of an offload: keep the packet?
  Written OnError(int error);
  void OnRefusal(GsoType type);
  // 0, or -errno.
  int WriteFrame(const Packet& packet);
  size_t header_bytes() const;

  TunDevice device_;
  LinkCounters counters_;
  // Of the packet refused last, until another one is taken.
  std::optional<GsoType> refusing_;
  // Refused packets by GsoType, since offloads were set.
  std::array<int, 3> refusals_ = {};
  // Views beyond the last iovec are gathered here by copy; made when needed.
  std::unique_ptr<uint8_t[]> gather_;
};

}  // namespace tcpip

#endif  // TCPIP_TUN_TUN_QUEUE_H_
