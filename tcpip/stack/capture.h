// Capture: a tap that makes a pcapng file of what a stack sees: every packet
// once, what was dropped with the reason as its comment. Whole packets, so that
// a super-segment is one record, and an owed checksum looks wrong, as it does
// in a capture on a device that offloads.
//
//   Capture capture({.interfaces = {"nst0", "lo"}});
//   stack.SetTap(&capture);
//   ...                               // the stack runs
//   file.write(capture.Take());       // now and then; has payload: mode 0600
//
// Bounded: what finds no room between two Take() is left out and counted. No
// file I/O here.
#ifndef TCPIP_STACK_CAPTURE_H_
#define TCPIP_STACK_CAPTURE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/network/interface_id.h"
#include "tcpip/stack/packet_tap.h"
#include "tcpip/stack/pcapng.h"

namespace tcpip {

struct CaptureConfig {
  std::vector<std::string> interfaces;  // names, by InterfaceId
  std::string program = "netstack";
  uint32_t snap_length = 262144;          // bytes kept of a packet
  size_t buffer_bytes = 4 << 20;          // between two Take()
  uint64_t unix_nanoseconds_at_zero = 0;  // what Instant zero was
};

class Capture final : public PacketTap {
 public:
  explicit Capture(const CaptureConfig& config);

  void OnPacketIn(InterfaceId interface, const Packet& packet,
                  Instant now) override;
  void OnPacketOut(InterfaceId interface, const Packet& packet,
                   Instant now) override;
  void OnDrop(InterfaceId interface, const Packet& packet, DropReason reason,
              Instant now) override;

  // What is new since the last call; all of them make the file.
  std::vector<uint8_t> Take();
  // Packets left out for want of room.
  uint64_t left_out() const { return left_out_; }

 private:
  void Append(const pcapng::Record& record, const Packet& packet);
  pcapng::Record RecordOf(InterfaceId interface, Instant now,
                          pcapng::Record::Direction direction) const;

  const CaptureConfig config_;
  std::vector<uint8_t> bytes_;
  uint64_t left_out_ = 0;
  // The packet that came in last: where it stands, until something follows,
  // and why it was dropped so far.
  std::optional<size_t> last_in_;
  std::string reasons_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_CAPTURE_H_
