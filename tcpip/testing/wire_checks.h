// The rules that every packet of ours must keep, whatever happens on the path,
// checked from outside by someone who sees the wire only:
//
//   - headers parse, checksums are right, no packet exceeds the MTU;
//   - no segment is in fragments, and fragments have lengths that fit;
//   - every segment that is neither SYN nor RST has ACK;
//   - the right edge of an advertised window never moves left;
//   - no data beyond the right edge the sender has heard of, but a probe of one
//     byte.
//
// RFC 9293 3.8.6, RFC 7323 2.3. Each host's packets are reported when they
// leave it and when they reach the other, so that one judges a sender by what
// it can know.
#ifndef TCPIP_TESTING_WIRE_CHECKS_H_
#define TCPIP_TESTING_WIRE_CHECKS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tcpip/base/bytes.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/address.h"

namespace tcpip::sim {

class WireChecks {
 public:
  explicit WireChecks(uint32_t mtu) : mtu_(mtu) {}

  // A host hands the packet to its link. Returns what is wrong, or "".
  std::string OnSent(ByteSpan packet);
  // The packet reaches the other host.
  void OnDelivered(ByteSpan packet);

 private:
  // One direction of a flow, as its sender has it.
  struct Direction {
    std::optional<uint32_t> sent;         // end of what it sent; none: no SYN
    std::optional<uint8_t> window_scale;  // as offered in SYN
    std::optional<uint32_t> advertised;   // right edge, for the peer's data
    std::optional<uint32_t> usable;       // right edge, heard of by the sender
  };

  // What is wrong with a TCP segment, or nullptr.
  const char* CheckTcp(const FourTuple& flow, const ReadTcp& tcp);
  const char* CheckAdvertised(Direction& own, const Direction& other,
                              const ReadTcp& tcp);
  static uint32_t RightEdge(const Direction& from, const Direction& other,
                            const ReadTcp& tcp);

  uint32_t mtu_;
  std::map<FourTuple, Direction> directions_;
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_WIRE_CHECKS_H_
