// SoftwareOffload: a link that cuts super-segments, completes checksums and
// merges what comes in, around one that cannot: the layers above then do per
// super-segment what they would else do per packet. What the inner link can do
// itself is left to it, and it may change its mind with any call.
//
// Owned by shard_loop. Holds no packet back: a super-segment of which the inner
// link took a part counts as not taken, and only the rest of its pieces is
// written when it is offered again.
#ifndef TCPIP_LINK_SOFTWARE_OFFLOAD_H_
#define TCPIP_LINK_SOFTWARE_OFFLOAD_H_

#include <cstddef>
#include <span>

#include "absl/status/status.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/gro.h"
#include "tcpip/link/link.h"

namespace tcpip {

class SoftwareOffload final : public Link {
 public:
  // `inner` outlives this.
  explicit SoftwareOffload(Link& inner) : inner_(inner) {}

  LinkCapabilities capabilities() const override;
  size_t ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                   Instant now) override;
  // Packets not taken must be the first of the next call.
  size_t WriteBatch(std::span<Packet> packets) override;
  int poll_fd() const override { return inner_.poll_fd(); }
  LinkOffloads refused() const override { return inner_.refused(); }
  // The inner link's: packets as they are on the wire.
  LinkCounters counters() const override { return inner_.counters(); }
  void Refresh() override { inner_.Refresh(); }
  absl::Status Reopen() override { return inner_.Reopen(); }
  SwitchedOffloads offloads() const override { return inner_.offloads(); }
  absl::Status SetOffloads(const LinkOffloads& rx,
                           const LinkOffloads& tx) override {
    return inner_.SetOffloads(rx, tx);
  }

 private:
  // False when some are still to be written.
  bool WritePieces(const Packet& packet);

  Link& inner_;
  Gro gro_;
  // Of the first packet of the next WriteBatch, when it was begun.
  PacketBatch pieces_;
  size_t pieces_written_ = 0;
};

}  // namespace tcpip

#endif  // TCPIP_LINK_SOFTWARE_OFFLOAD_H_
