// UDP header: parse, emit. RFC 768, RFC 8200 8.1.
//
// The checksum (its pseudo header is tcp.h's) and the rule that IPv6 needs one
// are transport/udp's. Jumbograms, with length 0, are not known.
#ifndef TCPIP_WIRE_UDP_H_
#define TCPIP_WIRE_UDP_H_

#include <cstdint>
#include <optional>

#include "tcpip/base/bytes.h"

namespace tcpip::wire {

inline constexpr uint32_t kUdpHeaderSize = 8;
inline constexpr uint32_t kUdpChecksumOffset = 6;

struct UdpHeader {
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint16_t length = 0;    // header and payload
  uint16_t checksum = 0;  // 0 = none (IPv4 only)
};

// nullopt when the header is cut off or its length is below 8 or above
// `datagram_size` (all bytes after the IP header).
std::optional<UdpHeader> ParseUdp(ByteSpan front, size_t datagram_size);

// Writes kUdpHeaderSize bytes, the checksum field as given.
void EmitUdp(const UdpHeader& header, MutableByteSpan to);

}  // namespace tcpip::wire

#endif  // TCPIP_WIRE_UDP_H_
