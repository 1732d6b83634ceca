// IPv6 header and the walk over extension headers. RFC 8200.
//
// The walk is bounded (at most 8 headers, all within the contiguous front) and
// stops at the first transport header, at the data of a fragment that is not
// the first of its packet, or at trouble; what that means is the decision of
// network/ipv6, its caller. Jumbograms (RFC 2675) are an unknown option here.
//
// A v4-mapped address in an IPv6 header comes out as the IPv4 address it
// spells: network/ipv6 has to refuse it [fault X28].
#ifndef TCPIP_WIRE_IPV6_H_
#define TCPIP_WIRE_IPV6_H_

#include <cstdint>
#include <optional>

#include "tcpip/base/bytes.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip::wire {

inline constexpr uint32_t kIpv6HeaderSize = 40;
inline constexpr uint32_t kIpv6FragmentHeaderSize = 8;
inline constexpr uint8_t kIpv6FragmentHeader = 44;  // as a next header
inline constexpr uint32_t kIpv6MinMtu = 1280;

// Where the fields are. [RFC 8200 3] The addresses end the header.
inline constexpr uint32_t kIpv6LengthOffset = 4;
inline constexpr uint32_t kIpv6NextHeaderOffset = 6;
inline constexpr uint32_t kIpv6HopLimitOffset = 7;
inline constexpr uint32_t kIpv6SourceOffset = 8;
inline constexpr uint32_t kIpv6DestinationOffset = 24;

struct Ipv6Header {
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;  // 20 bits
  uint16_t payload_length = 0;
  uint8_t next_header = 0;
  uint8_t hop_limit = 64;
  IpAddress source;
  IpAddress destination;
};

struct Ipv6Fragment {
  uint16_t offset = 0;  // bytes
  bool more_fragments = false;
  uint32_t identification = 0;
};

// A fragment header and its place in the packet.
struct Ipv6FragmentAt {
  Ipv6Fragment header;
  uint32_t offset = 0;      // where the header starts
  uint32_t named_by = 0;    // the next header field that names it
  uint8_t next_header = 0;  // what it names
};

enum class Ipv6WalkResult : uint8_t {
  kTransport,      // anything but the extension headers below; the caller says
                   // whether it knows it. A hop-by-hop header out of its place
                   // is transport_protocol 0, which nobody knows.
  kLaterFragment,  // a fragment other than the first; its data starts at
                   // transport_offset
  kNoNextHeader,   // next header 59
  kTruncated,      // an extension header runs past the front or the packet, or
                   // an option past its header
  kTooMany,        // more than 8 extension headers, or two fragment headers
  kUnknownOption,  // an option whose type forbids skipping
  kRoutingHeader,  // a routing header with segments left
};

struct ParsedIpv6 {
  IpParseError error = IpParseError::kNone;  // any other: nothing below holds
  Ipv6Header header;
  Ipv6WalkResult walk = Ipv6WalkResult::kTransport;
  uint8_t transport_protocol = 0;  // the next header where the walk ended
  uint32_t transport_offset = 0;   // and where it starts in the packet

  // Set when this is a part of a packet. The walk goes on through the first
  // part, and through a whole packet in a fragment header, which is none.
  std::optional<Ipv6FragmentAt> fragment;

  // What the pointer of a parameter problem message should be: with kTransport
  // the next header field that names the protocol, with kUnknownOption the
  // option's type, with kRoutingHeader the routing type.
  uint32_t problem_offset = 0;
  uint8_t problem_option_action = 0;  // top two bits of the option's type
};

// `front` is the contiguous start of the packet, `packet_size` the size of the
// whole packet, which may be longer than the payload length says (padding).
ParsedIpv6 ParseIpv6(ByteSpan front, size_t packet_size);

// Writes kIpv6HeaderSize bytes. payload_length and next_header count and name
// any extension headers the caller writes itself.
void EmitIpv6(const Ipv6Header& header, MutableByteSpan to);

// Makes `header` that of a packet of `size` bytes: writes the length.
void SealIpv6(MutableByteSpan header, size_t size);

// Writes kIpv6FragmentHeaderSize bytes.
void EmitIpv6Fragment(uint8_t next_header, const Ipv6Fragment& fragment,
                      MutableByteSpan to);

}  // namespace tcpip::wire

#endif  // TCPIP_WIRE_IPV6_H_
