#include "tcpip/network/ipv4.h"

#include <algorithm>
#include <cassert>

#include "tcpip/network/fragment_check.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip::ip {
namespace {

DropReason ReasonFor(wire::IpParseError error) {
  switch (error) {
    case wire::IpParseError::kTruncated:
      return DropReason::kIpTruncated;
    case wire::IpParseError::kBadVersion:
      return DropReason::kIpBadVersion;
    case wire::IpParseError::kBadChecksum:
      return DropReason::kIpBadChecksum;
    default:
      return DropReason::kIpBadHeader;
  }
}

enum class OptionsVerdict { kFine, kMalformed, kSourceRoute };

// [RFC 1122 3.2.1.8] options are checked and otherwise ignored
OptionsVerdict CheckOptions(ByteSpan options) {
  constexpr uint8_t kEnd = 0;
  constexpr uint8_t kNop = 1;
  constexpr uint8_t kLooseSourceRoute = 131;
  constexpr uint8_t kStrictSourceRoute = 137;
  while (!options.empty() && options[0] != kEnd) {
    if (options[0] == kNop) {
      options = options.subspan(1);
      continue;
    }
    if (options.size() < 2 || options[1] < 2 || options[1] > options.size()) {
      return OptionsVerdict::kMalformed;
    }
    if (options[0] == kLooseSourceRoute || options[0] == kStrictSourceRoute) {
      return OptionsVerdict::kSourceRoute;
    }
    options = options.subspan(options[1]);
  }
  return OptionsVerdict::kFine;
}

void CheckFragment(const wire::Ipv4Header& header, size_t front_bytes,
                   InputVerdict& verdict) {
  const uint32_t header_size = header.header_size();
  verdict.fragment = FragmentFacts{.id = header.identification,
                                   .offset = header.fragment_offset,
                                   .more = header.more_fragments,
                                   .header_size = header_size};
  const size_t transport_bytes =
      std::min<size_t>(front_bytes, header.total_length) - header_size;
  switch (FlawOf(*verdict.fragment, verdict.ip, header_size, transport_bytes)) {
    case FragmentFlaw::kNone:
      return;
    case FragmentFlaw::kTinyFirst:
      // [RFC 1858 3] what a filter looks at would be in the next fragment
      verdict.drop = DropReason::kIpFragmentTiny;
      return;
    default:
      verdict.drop = DropReason::kIpFragmentBad;
  }
}

}  // namespace

InputVerdict CheckIpv4(ByteSpan front, size_t packet_size, Ingress ingress) {
  const wire::ParsedIpv4 parsed = wire::ParseIpv4(front, packet_size);
  if (parsed.error != wire::IpParseError::kNone) {
    return {.drop = ReasonFor(parsed.error)};
  }
  const wire::Ipv4Header& header = parsed.header;
  if (IsMartian(header.source, header.destination, ingress)) {
    return {.drop = DropReason::kIpMartian};
  }
  switch (CheckOptions(header.options)) {
    case OptionsVerdict::kMalformed:
      return {.drop = DropReason::kIpBadHeader};
    case OptionsVerdict::kSourceRoute:
      // [RFC 1122 3.2.1.8(c)] we would have to answer along the reverse of a
      // route chosen by a stranger
      return {.drop = DropReason::kIpSourceRoute};
    case OptionsVerdict::kFine:
      break;
  }
  InputVerdict verdict = {.ip = {.source = header.source,
                                 .destination = header.destination,
                                 .protocol = header.protocol,
                                 .tos = header.tos,
                                 .ttl = header.ttl,
                                 .header_size = header.header_size(),
                                 .protocol_offset = wire::kIpv4ProtocolOffset,
                                 .size = header.total_length}};
  if (header.IsFragment()) CheckFragment(header, front.size(), verdict);
  return verdict;
}

void PrependIpv4(Packet& packet, const OutboundIp& ip) {
  const size_t total = packet.size() + wire::kIpv4HeaderSize;
  assert(total <= wire::kMaxIpv4Packet);
  // [RFC 6864 4.1] DF makes the packet atomic, and an atomic packet's ID means
  // nothing: 0 it is
  const wire::Ipv4Header header = {.tos = ip.tos,
                                   .total_length = static_cast<uint16_t>(total),
                                   .identification = 0,
                                   .dont_fragment = true,
                                   .ttl = ip.ttl,
                                   .protocol = ip.protocol,
                                   .source = ip.source,
                                   .destination = ip.destination,
                                   .options = {}};
  wire::EmitIpv4(header, packet.Prepend(wire::kIpv4HeaderSize));
}

void MakeWholeIpv4(MutableByteSpan header, size_t size, uint8_t tos) {
  header[wire::kIpv4TosOffset] = tos;
  StoreBe16(&header[wire::kIpv4FragmentOffset], 0);
  wire::SealIpv4(header, size);
}

}  // namespace tcpip::ip
