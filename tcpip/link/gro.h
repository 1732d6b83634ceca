// Software GRO: merges the segments of a flow that follow each other in a batch
// into super-segments, for links that deliver single packets; what it makes,
// SplitGso takes apart into the same bytes [fault L07]. Hence the rules: only
// neighbours in sequence that differ in nothing a cut could not restore are
// merged. RFC 9293 3.1, RFC 791 3.1, RFC 6864, RFC 8200 3.
//
// Called by software_offload after each read. Holds nothing over the end of a
// batch, so that it never delays a packet [fault C11], and never lets packets
// of one flow overtake each other. Payload is copied, once, in the pass that
// verifies its checksum: a super-segment then is two views, where references
// would be up to 45, and pins no more than it holds.
//
// Does not touch UDP, fragments, or packets with IP options or extension
// headers.
#ifndef TCPIP_LINK_GRO_H_
#define TCPIP_LINK_GRO_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/link/tcp_frame.h"

namespace tcpip {

class Gro {
 public:
  Gro();

  // Merges within batch[first, end), where the packets that are left move up. A
  // super-segment owes its checksum (kPartial), as one from the kernel does;
  // other segments with payload are kVerified afterwards; a packet with a wrong
  // checksum is passed on untouched. O(packets), allocates nothing once warm.
  void Merge(PacketBatch& batch, size_t first);

 private:
  // A packet in the batch that its flow may continue.
  struct Run {
    size_t at;       // in the batch
    TcpFrame frame;  // of the first segment, in its own head
    uint32_t next_seq;
    uint32_t gso_size;  // payload of the first segment
    uint32_t size;      // as an IP packet, with all that was merged
    uint16_t segments = 1;
    SlabRef rest = {};  // payload of all but the first segment
    uint32_t rest_bytes = 0;
  };

  // True when `packet` has become part of its flow's run, which else is closed.
  bool Continue(PacketBatch& batch, const Packet& packet, const TcpFrame& frame,
                bool mergeable);
  bool Append(Run& run, const Packet& packet, const TcpFrame& frame);
  void Open(PacketBatch& batch, size_t at, const TcpFrame& frame);
  void Close(PacketBatch& batch, size_t run);
  void CloseAll(PacketBatch& batch);

  std::vector<Run> runs_;  // oldest first
};

}  // namespace tcpip

#endif  // TCPIP_LINK_GRO_H_
