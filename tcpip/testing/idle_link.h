// IdleLink: a link from which nothing comes, and that takes everything and
// keeps nothing. What fakes of links begin with: each overrides what it is
// about.
#ifndef TCPIP_TESTING_IDLE_LINK_H_
#define TCPIP_TESTING_IDLE_LINK_H_

#include <cstddef>
#include <span>

#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/link.h"

namespace tcpip::sim {

class IdleLink : public Link {
 public:
  LinkCapabilities capabilities() const override { return {}; }
  size_t ReadBatch(SlabPool&, PacketBatch&, size_t, Instant) override {
    return 0;
  }
  size_t WriteBatch(std::span<Packet> packets) override {
    return packets.size();
  }
  int poll_fd() const override { return -1; }
  LinkCounters counters() const override { return {}; }
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_IDLE_LINK_H_
