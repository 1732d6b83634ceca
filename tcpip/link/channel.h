// Channel: a link that ends in the embedder's own code: a VPN tunnel, a test, a
// packet source of any kind. Batches both ways, with offload facts, and
// back-pressure both ways: each direction holds so many packets, and what finds
// no room stays with whoever has it.
//
//   Channel tunnel({.mtu = 1420}, /*capacity_packets=*/256);
//   SoftwareOffload link(tunnel);       // the tunnel can neither cut nor merge
//   ...
//   tunnel.Inject(decrypted);           // in: from the peer
//   link.ReadBatch(pool, batch, 64, now);
//   stack.OnPackets(interface, batch, now);
//   stack.DrainOutput(interface, out, 64, now);
//   link.WriteBatch(out);               // out: the untaken goes next time
//   tunnel.Take(to_encrypt, 64);
//
// One thread, with the stack's: nothing here wakes anybody (poll_fd is -1).
#ifndef TCPIP_LINK_CHANNEL_H_
#define TCPIP_LINK_CHANNEL_H_

#include <cstddef>
#include <span>

#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/link.h"
#include "tcpip/link/packet_ring.h"

namespace tcpip {

class Channel final : public Link {
 public:
  // `capabilities` are what the embedder promises to do with what it takes.
  Channel(const LinkCapabilities& capabilities, size_t capacity_packets);

  // --- The embedder's side.
  // Takes packets from the front for the stack to read; returns how many. Their
  // blocks are from the stack's pool, and what is no IP packet the stack drops.
  size_t Inject(std::span<Packet> packets);
  // Appends up to `max` packets the stack has sent to `to`; returns how many.
  size_t Take(PacketBatch& to, size_t max);

  // --- The stack's side.
  LinkCapabilities capabilities() const override { return capabilities_; }
  size_t ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                   Instant now) override;
  size_t WriteBatch(std::span<Packet> packets) override;
  int poll_fd() const override { return -1; }
  // What the stack has read and what the embedder has taken.
  LinkCounters counters() const override { return counters_; }

 private:
  const LinkCapabilities capabilities_;
  PacketRing in_;
  PacketRing out_;
  LinkCounters counters_;
};

}  // namespace tcpip

#endif  // TCPIP_LINK_CHANNEL_H_
