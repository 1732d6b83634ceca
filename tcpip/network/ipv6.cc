#include "tcpip/network/ipv6.h"

#include <algorithm>
#include <cassert>

#include "tcpip/network/fragment_check.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv6.h"

namespace tcpip::ip {
namespace {

using wire::icmp_code::kErroneousField;
using wire::icmp_code::kIncompleteChain;
using wire::icmp_code::kUnrecognizedOption;

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

// [RFC 8200 4.5] and [RFC 7112 5] ask for the answer
void RefuseTiny(InputVerdict& verdict) {
  verdict.drop = DropReason::kIpFragmentTiny;
  verdict.problem = {.code = kIncompleteChain, .pointer = 0};
}

// Fills in what a refused chain of extension headers comes to.
void Refuse(const wire::ParsedIpv6& parsed, InputVerdict& verdict) {
  verdict.drop = DropReason::kIpExtension;
  switch (parsed.walk) {
    case wire::Ipv6WalkResult::kTransport:
    case wire::Ipv6WalkResult::kLaterFragment:
      verdict.drop.reset();
      break;
    case wire::Ipv6WalkResult::kUnknownOption:
      // [RFC 8200 4.2] 01: drop in silence; 10 and 11: answer. They differ for
      // multicast only, which packet_input never answers.
      if (parsed.problem_option_action >= 2) {
        verdict.problem = {.code = kUnrecognizedOption,
                           .pointer = parsed.problem_offset};
      }
      break;
    case wire::Ipv6WalkResult::kRoutingHeader:
      verdict.problem = {.code = kErroneousField,
                         .pointer = parsed.problem_offset};
      break;
    case wire::Ipv6WalkResult::kTruncated:
      if (parsed.fragment) RefuseTiny(verdict);
      break;
    case wire::Ipv6WalkResult::kNoNextHeader:
    case wire::Ipv6WalkResult::kTooMany:
      break;
  }
}

void CheckFragment(const wire::Ipv6FragmentAt& fragment, size_t front_bytes,
                   InputVerdict& verdict) {
  const InboundIp& ip = verdict.ip;
  verdict.fragment = FragmentFacts{
      .id = fragment.header.identification,
      .offset = fragment.header.offset,
      .more = fragment.header.more_fragments,
      .header_size = fragment.offset + wire::kIpv6FragmentHeaderSize,
      .named_by = fragment.named_by};
  const size_t transport_bytes =
      std::min<size_t>(front_bytes, ip.size) - ip.header_size;
  switch (FlawOf(*verdict.fragment, ip, fragment.offset - wire::kIpv6HeaderSize,
                 transport_bytes)) {
    case FragmentFlaw::kNone:
      return;
    case FragmentFlaw::kTinyFirst:
      return RefuseTiny(verdict);
    case FragmentFlaw::kEmpty:
      break;
    case FragmentFlaw::kUneven:  // [RFC 8200 4.5] and where the pointer points
      verdict.problem = {.code = kErroneousField,
                         .pointer = wire::kIpv6LengthOffset};
      break;
    case FragmentFlaw::kTooLong:
      verdict.problem = {.code = kErroneousField,
                         .pointer = fragment.offset + 2};
      break;
  }
  verdict.drop = DropReason::kIpFragmentBad;
  // [RFC 4443 2.4(e)] later data of an ICMPv6 message may be an error's
  if (ip.protocol == wire::kIcmpv6 && fragment.header.offset != 0) {
    verdict.problem.reset();
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
  if (parsed.fragment && !verdict.drop) {
    CheckFragment(*parsed.fragment, front.size(), verdict);
  }
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

void MakeWholeIpv6(MutableByteSpan headers, uint32_t named_by, size_t size,
                   uint8_t traffic_class) {
  const auto fragment_header = headers.end() - wire::kIpv6FragmentHeaderSize;
  headers[named_by] = *fragment_header;
  std::copy_backward(headers.begin(), fragment_header, headers.end());
  const MutableByteSpan whole = headers.subspan(wire::kIpv6FragmentHeaderSize);
  whole[0] = static_cast<uint8_t>(0x60 | traffic_class >> 4);
  whole[1] = static_cast<uint8_t>(traffic_class << 4 | (whole[1] & 0xf));
  wire::SealIpv6(whole, size);
}

}  // namespace tcpip::ip
