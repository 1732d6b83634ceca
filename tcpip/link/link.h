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

#include "absl/status/status.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"

namespace tcpip {

// What one side may leave to the other in a packet that crosses, one way.
// Segmentation implies the checksum: a cut needs it.
struct LinkOffloads {
  bool checksum = false;
  bool tso4 = false;  // TCP super-segments over IPv4
  bool tso6 = false;

  friend bool operator==(const LinkOffloads&, const LinkOffloads&) = default;
};

inline constexpr LinkOffloads kAllOffloads = {
    .checksum = true, .tso4 = true, .tso6 = true};

// What is switched on: `rx` the link may leave to us, `tx` we may leave to it.
struct SwitchedOffloads {
  LinkOffloads rx;
  LinkOffloads tx;

  friend bool operator==(const SwitchedOffloads&,
                         const SwitchedOffloads&) = default;
};

// Does a side with these offloads finish what the packet leaves undone?
constexpr bool Finishes(const LinkOffloads& offloads, const Offload& packet) {
  switch (packet.gso_type) {
    case GsoType::kNone:
      return offloads.checksum || packet.checksum != ChecksumState::kPartial;
    case GsoType::kTcp4:
      return offloads.tso4;
    case GsoType::kTcp6:
      return offloads.tso6;
  }
  return false;
}

struct LinkCapabilities {
  uint32_t mtu = 1500;                      // IP packet bytes on the wire
  LinkOffloads tx = {};                     // what we may leave to the link
  uint32_t max_gso_bytes = kMaxGsoPayload;  // of the super-segments among that

  friend bool operator==(const LinkCapabilities&,
                         const LinkCapabilities&) = default;
};

struct LinkCounters {
  uint64_t packets_in = 0;
  uint64_t bytes_in = 0;
  uint64_t packets_out = 0;
  uint64_t bytes_out = 0;
  uint64_t read_errors = 0;
  uint64_t write_errors = 0;   // packets lost to an error of the device
  uint64_t bad_frames_in = 0;  // too short or nonsense offload header
  uint64_t drops_in = 0;       // dropped before us: we read too slowly
  uint64_t down = 0;           // writes put off, the device being down or gone
  // Packets the device did not finish and we did; offloads given up for that.
  uint64_t refused_offloads = 0;
  uint64_t disabled_offloads = 0;

  LinkCounters& operator+=(const LinkCounters& other) {
    packets_in += other.packets_in;
    bytes_in += other.bytes_in;
    packets_out += other.packets_out;
    bytes_out += other.bytes_out;
    read_errors += other.read_errors;
    write_errors += other.write_errors;
    bad_frames_in += other.bad_frames_in;
    drops_in += other.drops_in;
    down += other.down;
    refused_offloads += other.refused_offloads;
    disabled_offloads += other.disabled_offloads;
    return *this;
  }
};

class Link {
 public:
  virtual ~Link() = default;

  // May change with any call. A packet that owes more is not taken:
  // software_offload, in front of the link, finishes it.
  virtual LinkCapabilities capabilities() const = 0;
  // Offloads the device claimed, then refused; not used any more.
  virtual LinkOffloads refused() const { return {}; }

  // Reads up to `max` packets, stamps them with `now` and appends them to `to`,
  // where some may be merged; returns how many it read. 0 = nothing waits.
  virtual size_t ReadBatch(SlabPool& pool, PacketBatch& to, size_t max,
                           Instant now) = 0;

  // Writes from the front; returns how many were taken. Fewer than given means
  // the link is full: try the others again, in order, when it is writable. Or
  // the next one owes what capabilities() do not have, maybe since just now.
  virtual size_t WriteBatch(std::span<Packet> packets) = 0;

  // File descriptor that becomes readable with packets, or -1.
  virtual int poll_fd() const = 0;

  virtual LinkCounters counters() const = 0;

  // Rereads the device's state (MTU, ...) by system calls, so that
  // capabilities() is current.
  virtual void Refresh() {}

  // Takes up again a device that was lost (its descriptor hung up): OK when it
  // is back, and poll_fd() is to be watched anew then; NOT_FOUND while there is
  // none; else why the one that is there cannot be had.
  virtual absl::Status Reopen() { return absl::NotFoundError("no device"); }

  // As they are now: what the device refused is off. None where there is
  // nothing to switch.
  virtual SwitchedOffloads offloads() const { return {}; }

  // Switches offloads, see SwitchedOffloads.
  virtual absl::Status SetOffloads(const LinkOffloads& /*rx*/,
                                   const LinkOffloads& /*tx*/) {
    return absl::FailedPreconditionError("the link has no offloads to switch");
  }
};

}  // namespace tcpip

#endif  // TCPIP_LINK_LINK_H_
