// Loopback: a link that is a mirror. What is written can be read back, in
// order, as it was: payload views are passed on, super-segments stay whole and
// owed checksums stay owed (nothing could have damaged them).
//
// Bounded: a full mirror takes no more, and the writer keeps its packets.
#ifndef TCPIP_LINK_LOOPBACK_H_
#define TCPIP_LINK_LOOPBACK_H_

#include <cstddef>
#include <span>

#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/link.h"
#include "tcpip/link/packet_ring.h"

namespace tcpip {

class Loopback final : public Link {
 public:
  explicit Loopback(size_t capacity_packets = 256);

  LinkCapabilities capabilities() const override;
  size_t ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                   Instant now) override;
  size_t WriteBatch(std::span<Packet> packets) override;
  int poll_fd() const override { return -1; }
  LinkCounters counters() const override { return counters_; }

 private:
  PacketRing ring_;
  LinkCounters counters_;
};

}  // namespace tcpip

#endif  // TCPIP_LINK_LOOPBACK_H_
