#include "tcpip/network/ipv6.h"

#include <cassert>

#include "tcpip/wire/ipv6.h"

namespace tcpip::ip {
namespace {

// Codes of ICMPv6 parameter problem. [RFC 4443 3.4]
constexpr uint8_t kErroneousField = 0;
constexpr uint8_t kUnrecognizedOption = 2;

DropReason ReasonFor(wire::IpParseError error) {
  switch (error) {
    case wire::IpParseError::kTruncated:
      return DropReason::kIpTruncated;
    case wire::IpParseError::kBadVersion:
      return DropReason::kIpBadVersion;
    default:
      return DropReason::kIpBadHeader;
  }
}

// The second form of IPv4 addresses may not come from the wire: it would make
// an IPv4 peer of an IPv6 packet. [fault X28]
bool IsMapped(const IpAddress& address) { return address.IsIpv4(); }

// Fills in what a refused chain of extension headers comes to.
void Refuse(const wire::ParsedIpv6& parsed, InputVerdict& verdict) {
  verdict.drop = DropReason::kIpExtension;
  switch (parsed.walk) {
    case wire::Ipv6WalkResult::kTransport:
      verdict.drop.reset();
      break;
    case wire::Ipv6WalkResult::kFragment:
      verdict.drop = DropReason::kIpFragment;
      break;
    case wire::Ipv6WalkResult::kUnknownOption:
      // [RFC 8200 4.2] 01: drop in silence, 10 and 11: answer (they differ for
      // multicast, which never gets here)
      if (parsed.problem_option_action >= 2) {
        verdict.problem = {.code = kUnrecognizedOption,
                           .pointer = parsed.problem_offset};
      }
      break;
    case wire::Ipv6WalkResult::kRoutingHeader:
      verdict.problem = {.code = kErroneousField,
                         .pointer = parsed.problem_offset};
      break;
    case wire::Ipv6WalkResult::kNoNextHeader:
    case wire::Ipv6WalkResult::kTruncated:
    case wire::Ipv6WalkResult::kTooMany:
      break;
  }
}

}  // namespace

InputVerdict CheckIpv6(ByteSpan front, size_t packet_size, Ingress ingress) {
  const wire::ParsedIpv6 parsed = wire::ParseIpv6(front, packet_size);
  if (parsed.error != wire::IpParseError::kNone) {
    return {.drop = ReasonFor(parsed.error)};
  }
  const wire::Ipv6Header& header = parsed.header;
  if (IsMapped(header.source) || IsMapped(header.destination) ||
      IsMartian(header.source, header.destination, ingress)) {
    return {.drop = DropReason::kIpMartian};
  }
  InputVerdict verdict = {
      .ip = {.source = header.source,
             .destination = header.destination,
             .protocol = parsed.transport_protocol,
             .tos = header.traffic_class,
             .ttl = header.hop_limit,
             .header_size = parsed.transport_offset,
             .protocol_offset = parsed.problem_offset,
             .size = wire::kIpv6HeaderSize + header.payload_length}};
  Refuse(parsed, verdict);
  return verdict;
}

void PrependIpv6(Packet& packet, const OutboundIp& ip) {
  assert(packet.size() <= 0xffff);
  const wire::Ipv6Header header = {
      .traffic_class = ip.tos,
      .flow_label = 0,
      .payload_length = static_cast<uint16_t>(packet.size()),
      .next_header = ip.protocol,
      .hop_limit = ip.ttl,
      .source = ip.source,
      .destination = ip.destination};
  wire::EmitIpv6(header, packet.Prepend(wire::kIpv6HeaderSize));
}

}  // namespace tcpip::ip
