// TCP header: flags, parse, emit. RFC 9293 3.1.
//
// ParseTcp yields a value with the options as a span into the packet; nobody
// looks at the data offset again. The checksum is computed over headers and
// payload by the caller, who knows whether a link offloads it; here is only
// the pseudo header it starts from.
#ifndef TCPIP_WIRE_TCP_H_
#define TCPIP_WIRE_TCP_H_

#include <cstdint>
#include <optional>
#include <string>

#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/wire/address.h"

namespace tcpip::wire {

inline constexpr uint32_t kTcpHeaderSize = 20;
inline constexpr uint32_t kTcpMaxHeaderSize = 60;

// Where the fields are. [RFC 9293 3.1] The ports come first, options last.
inline constexpr uint32_t kTcpPortsEnd = 4;
inline constexpr uint32_t kTcpSeqOffset = 4;
inline constexpr uint32_t kTcpAckOffset = 8;
inline constexpr uint32_t kTcpDataOffset = 12;  // in its upper half, in words
inline constexpr uint32_t kTcpFlagsOffset = 13;
inline constexpr uint32_t kTcpWindowOffset = 14;
inline constexpr uint32_t kTcpChecksumOffset = 16;
inline constexpr uint32_t kTcpUrgentOffset = 18;

class TcpFlags {
 public:
  enum Bit : uint8_t {
    kFin = 0x01,
    kSyn = 0x02,
    kRst = 0x04,
    kPsh = 0x08,
    kAck = 0x10,
    kUrg = 0x20,
    kEce = 0x40,
    kCwr = 0x80,
  };
  constexpr TcpFlags() = default;
  constexpr TcpFlags(int bits) : bits_(static_cast<uint8_t>(bits)) {}

  constexpr bool fin() const { return bits_ & kFin; }
  constexpr bool syn() const { return bits_ & kSyn; }
  constexpr bool rst() const { return bits_ & kRst; }
  constexpr bool psh() const { return bits_ & kPsh; }
  constexpr bool ack() const { return bits_ & kAck; }
  constexpr bool urg() const { return bits_ & kUrg; }
  constexpr bool ece() const { return bits_ & kEce; }
  constexpr bool cwr() const { return bits_ & kCwr; }
  constexpr uint8_t bits() const { return bits_; }
  constexpr TcpFlags With(int bits) const { return TcpFlags(bits_ | bits); }
  constexpr TcpFlags Without(int bits) const { return TcpFlags(bits_ & ~bits); }
  // Packet-script letters, FSRPUEW and then a dot for ACK: "S.", "P."; "-" for
  // none.
  std::string ToString() const;

  friend constexpr bool operator==(TcpFlags, TcpFlags) = default;

 private:
  uint8_t bits_ = 0;
};

struct TcpHeader {
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint32_t seq = 0;
  uint32_t ack = 0;
  TcpFlags flags;
  uint16_t window = 0;  // as on the wire, unscaled
  uint16_t checksum = 0;
  uint16_t urgent_pointer = 0;
  ByteSpan options;  // into the packet on parse; to be copied on emit

  // On emit options.size() must be a multiple of 4 and at most 40.
  uint32_t size() const {
    return kTcpHeaderSize + static_cast<uint32_t>(options.size());
  }
};

// nullopt when fewer than 20 bytes, or a data offset below 5 or past the end.
std::optional<TcpHeader> ParseTcp(ByteSpan packet);

// Writes header.size() bytes to `to` (at least that long), the checksum field
// as given.
void EmitTcp(const TcpHeader& header, MutableByteSpan to);

// The pseudo-header sum for either family, both addresses being of one;
// `protocol` is 6 or 17 or 58.
PartialSum PseudoHeaderSum(const IpAddress& source,
                           const IpAddress& destination, uint8_t protocol,
                           uint32_t length);
// The same from the addresses as they stand in an IP header, side by side.
PartialSum PseudoHeaderSum(ByteSpan addresses, uint8_t protocol,
                           uint32_t length);

}  // namespace tcpip::wire

#endif  // TCPIP_WIRE_TCP_H_
