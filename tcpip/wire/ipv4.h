// IPv4 header: parse, emit. RFC 791.
//
// ParseIpv4 validates version, header length, total length and header checksum
// in one step; options are returned as a span. Called by network/ipv4, whose
// business is policy: martians, fragments, source routes.
#ifndef TCPIP_WIRE_IPV4_H_
#define TCPIP_WIRE_IPV4_H_

#include <cstdint>

#include "tcpip/base/bytes.h"
#include "tcpip/wire/address.h"

namespace tcpip::wire {

inline constexpr uint32_t kIpv4HeaderSize = 20;
inline constexpr uint32_t kIpv4MaxHeaderSize = 60;
inline constexpr uint32_t kIpv4MinMtu = 68;  // [RFC 791 3.2]
inline constexpr uint32_t kMaxIpv4Packet = 65535;

// Where the fields are. [RFC 791 3.1] The addresses end the fixed header.
inline constexpr uint32_t kIpv4TosOffset = 1;
inline constexpr uint32_t kIpv4LengthOffset = 2;
inline constexpr uint32_t kIpv4IdOffset = 4;
inline constexpr uint32_t kIpv4FragmentOffset = 6;  // with the flags
inline constexpr uint32_t kIpv4TtlOffset = 8;
inline constexpr uint32_t kIpv4ProtocolOffset = 9;
inline constexpr uint32_t kIpv4ChecksumOffset = 10;
inline constexpr uint32_t kIpv4SourceOffset = 12;
inline constexpr uint32_t kIpv4DestinationOffset = 16;

// The word at kIpv4FragmentOffset.
inline constexpr uint16_t kIpv4DontFragment = 0x4000;
inline constexpr uint16_t kIpv4MoreFragments = 0x2000;
inline constexpr uint16_t kIpv4FragmentMask = 0x1fff;  // in units of 8 bytes

// The ECN field of the TOS octet or traffic class. [RFC 3168 5]
inline constexpr uint8_t kEcnMask = 3;
inline constexpr uint8_t kNotEct = 0;
inline constexpr uint8_t kEct0 = 2;
inline constexpr uint8_t kCongestionExperienced = 3;

// IP protocol numbers this stack knows.
enum IpProtocol : uint8_t {
  kIcmp = 1,
  kTcp = 6,
  kUdp = 17,
  kIcmpv6 = 58,
};

struct Ipv4Header {
  uint8_t tos = 0;  // DSCP << 2 | ECN
  uint16_t total_length = 0;
  uint16_t identification = 0;
  bool dont_fragment = false;
  bool more_fragments = false;
  uint16_t fragment_offset = 0;  // bytes
  uint8_t ttl = 64;
  uint8_t protocol = 0;
  IpAddress source;
  IpAddress destination;
  ByteSpan options;  // on emit: a multiple of 4, at most 40

  uint32_t header_size() const {
    return kIpv4HeaderSize + static_cast<uint32_t>(options.size());
  }
  bool IsFragment() const { return more_fragments || fragment_offset != 0; }
};

enum class IpParseError : uint8_t {
  kNone,
  kTruncated,  // shorter than the header, or than the total length says
  kBadVersion,
  kBadHeaderLength,  // below 20
  kBadTotalLength,   // below the header length
  kBadChecksum,
};

struct ParsedIpv4 {
  IpParseError error = IpParseError::kNone;
  Ipv4Header header;  // valid only when error is kNone
};

// `front` is the contiguous start of the packet (all headers), `packet_size`
// the size of the whole packet, which may be longer than total_length
// (padding). A packet from a link that cuts segments may claim total_length up
// to 65535.
ParsedIpv4 ParseIpv4(ByteSpan front, size_t packet_size);

// Writes header_size() bytes including a fresh header checksum.
void EmitIpv4(const Ipv4Header& header, MutableByteSpan to);

// Makes `header` that of a packet of `size` bytes, whatever else has changed in
// it: writes the length and the checksum.
void SealIpv4(MutableByteSpan header, size_t size);

}  // namespace tcpip::wire

#endif  // TCPIP_WIRE_IPV4_H_
