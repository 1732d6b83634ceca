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
  // Largest payload of a super-segment; 0 = cannot cut.
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

  LinkCounters& operator+=(const LinkCounters& other) {
    packets_in += other.packets_in;
    bytes_in += other.bytes_in;
    packets_out += other.packets_out;
    bytes_out += other.bytes_out;
    read_errors += other.read_errors;
    write_errors += other.write_errors;
    bad_frames_in += other.bad_frames_in;
    return *this;
  }
};

class Link {
 public:
  virtual ~Link() = default;

  virtual LinkCapabilities capabilities() const = 0;

  // Appends up to `max` packets to `to`, stamped with `now`; returns how many.
  // 0 = nothing waits.
  virtual size_t ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                           Instant now) = 0;

  // Writes from the front; returns how many were taken. Fewer than given means
  // the link is full: try again when it is writable.
  virtual size_t WriteBatch(std::span<Packet> packets) = 0;

  // File descriptor that becomes readable with packets, or -1.
  virtual int poll_fd() const = 0;

  virtual LinkCounters counters() const = 0;
};

}  // namespace tcpip

#endif  // TCPIP_LINK_LINK_H_
