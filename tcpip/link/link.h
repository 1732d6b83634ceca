// Link: how packets enter and leave. The one seam below the stack: a TUN queue,
// a loopback, a tunnel, a test.
//
// Batches both ways; a link never blocks. What WriteBatch does not take stays
// with the caller (back-pressure), what it takes and cannot send is counted in
// counters(), never silent. One thread uses a Link.
#ifndef TCPIP_LINK_LINK_H_
#define TCPIP_LINK_LINK_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"

namespace tcpip {

struct LinkCapabilities {
  uint32_t mtu = 1500;
  // Largest payload of a super-segment; 0 = cannot cut. Needs checksum_offload.
  uint32_t max_gso_bytes_ipv4 = 0;
  uint32_t max_gso_bytes_ipv6 = 0;
  bool checksum_offload = false;  // completes ChecksumState::kPartial
};

struct LinkCounters {
  uint64_t packets_in = 0;
  uint64_t bytes_in = 0;
  uint64_t packets_out = 0;
  uint64_t bytes_out = 0;
  uint64_t read_errors = 0;
  uint64_t write_errors = 0;   // packets lost to an error of the device
  uint64_t bad_frames_in = 0;  // too short or nonsense offload header
};

class Link {
 public:
  virtual ~Link() = default;

  virtual LinkCapabilities capabilities() const = 0;

  // Reads up to `max` packets, stamps them with `now` and appends them to `to`,
  // where some may be merged; returns how many it read. 0 = nothing waits.
  virtual size_t ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                           Instant now) = 0;

  // Writes from the front; returns how many were taken. Fewer than given means
  // the link is full: try the others again, in order, when it is writable.
  virtual size_t WriteBatch(std::span<Packet> packets) = 0;

  // File descriptor that becomes readable with packets, or -1.
  virtual int poll_fd() const = 0;

  virtual LinkCounters counters() const = 0;
};

}  // namespace tcpip

#endif  // TCPIP_LINK_LINK_H_
