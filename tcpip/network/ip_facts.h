// What the layers above need to know of an IP header, whatever the family:
// InboundIp for a packet that passed the input checks, OutboundIp for one to
// be sent. Plain values; the addresses of one are of one family.
#ifndef TCPIP_NETWORK_IP_FACTS_H_
#define TCPIP_NETWORK_IP_FACTS_H_

#include <cstdint>
#include <optional>

#include "tcpip/network/drop_reason.h"
#include "tcpip/wire/address.h"

namespace tcpip::ip {

struct InboundIp {
  IpAddress source = {};
  IpAddress destination = {};
  uint8_t protocol = 0;          // of the transport header
  uint8_t tos = 0;               // IPv6: traffic class
  uint8_t ttl = 0;               // IPv6: hop limit
  uint32_t header_size = 0;      // bytes before the transport header
  uint32_t protocol_offset = 0;  // of the field that names the protocol
  uint32_t size = 0;             // of the packet, link padding excluded

  IpFamily family() const { return destination.family(); }
  uint32_t payload_size() const { return size - header_size; }
};

struct OutboundIp {
  IpAddress source = {};
  IpAddress destination = {};
  uint8_t protocol = 0;
  uint8_t tos = 0;
  uint8_t ttl = 64;
};

// A header the sender should hear about. [RFC 4443 3.4]
struct HeaderProblem {
  uint8_t code = 0;      // of the parameter problem message
  uint32_t pointer = 0;  // offset of the offending byte
};

// Which part of a packet a fragment is. [RFC 791 3.2, RFC 8200 4.5]
struct FragmentFacts {
  uint32_t id = 0;
  uint16_t offset = 0;       // of its data in the whole packet's, in bytes
  bool more = false;         // others follow
  uint32_t header_size = 0;  // bytes before its data
  uint32_t named_by = 0;     // IPv6: the next header field naming the fragment
                             // header, the last 8 of those bytes
};

// What an input check decided: deliver `ip`, or drop. `ip` has at least its
// addresses and size when there is a problem to report, or when this is a
// fragment, which is not to be delivered. The protocol and header size of a
// fragment other than the first are not those of a transport.
struct InputVerdict {
  std::optional<DropReason> drop = std::nullopt;
  std::optional<HeaderProblem> problem = std::nullopt;
  InboundIp ip = {};
  std::optional<FragmentFacts> fragment = std::nullopt;
};

// Where a packet came in.
enum class Ingress : uint8_t { kLink, kLoopback };

// True when the pair of addresses cannot belong to a packet that honestly
// arrived there. [RFC 1122 3.2.1.3, RFC 4291 2.5]
inline bool IsMartian(const IpAddress& source, const IpAddress& destination,
                      Ingress ingress) {
  if (source.IsMulticast() || source.IsUnspecified() ||
      source.IsIpv4Broadcast()) {
    return true;
  }
  if (source.IsIpv4() && source.bytes()[0] == 0) return true;
  if (ingress == Ingress::kLoopback) return false;
  // A packet to itself ("LAND") is only ever honest on the loopback.
  return source.IsLoopback() || destination.IsLoopback() ||
         source == destination;
}

}  // namespace tcpip::ip

#endif  // TCPIP_NETWORK_IP_FACTS_H_
