#include "emulator/packet_facts.h"

#include <optional>

#include "tcpip/base/checksum.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/tcp.h"

namespace emulator {
namespace {

using tcpip::ByteSpan;
using tcpip::LoadBe16;
using tcpip::MutableByteSpan;
using tcpip::StoreBe16;
namespace wire = tcpip::wire;

// `transport_bytes` is what the packet has from `transport` on.
bool HasData(uint8_t protocol, ByteSpan transport, size_t transport_bytes) {
  if (protocol != wire::kTcp) return true;
  const std::optional<wire::TcpHeader> tcp = wire::ParseTcp(transport);
  return tcp && transport_bytes > tcp->size();
}

OfferedPacket Ipv4Facts(ByteSpan front, size_t size) {
  const wire::ParsedIpv4 ip = wire::ParseIpv4(front, size);
  if (ip.error != wire::IpParseError::kNone) return {};
  const uint32_t at = ip.header.header_size();
  const bool later = ip.header.fragment_offset != 0;
  return {.has_data = later || HasData(ip.header.protocol, front.subspan(at),
                                       ip.header.total_length - at),
          .ecn = static_cast<uint8_t>(ip.header.tos & wire::kEcnMask),
          .is_later_fragment = later};
}

OfferedPacket Ipv6Facts(ByteSpan front, size_t size) {
  const wire::ParsedIpv6 ip = wire::ParseIpv6(front, size);
  if (ip.error != wire::IpParseError::kNone) return {};
  const size_t end = wire::kIpv6HeaderSize + ip.header.payload_length;
  const size_t at = ip.transport_offset;
  const bool is_tcp = ip.walk == wire::Ipv6WalkResult::kTransport &&
                      ip.transport_protocol == wire::kTcp;
  return {.has_data = !is_tcp || HasData(ip.transport_protocol,
                                         front.subspan(at), end - at),
          .ecn = static_cast<uint8_t>(ip.header.traffic_class & wire::kEcnMask),
          .is_later_fragment = ip.walk == wire::Ipv6WalkResult::kLaterFragment};
}

}  // namespace

OfferedPacket FactsOf(ByteSpan front, size_t size) {
  OfferedPacket facts;
  if (!front.empty() && front[0] >> 4 == 4) facts = Ipv4Facts(front, size);
  if (!front.empty() && front[0] >> 4 == 6) facts = Ipv6Facts(front, size);
  facts.bytes = static_cast<uint32_t>(size);
  return facts;
}

void MarkCe(MutableByteSpan front) {
  if (front[0] >> 4 == 6) {
    // The traffic class stands across the first two bytes.
    front[1] |= wire::kCongestionExperienced << 4;
    return;
  }
  const uint16_t before = LoadBe16(front.data());
  front[wire::kIpv4TosOffset] |= wire::kCongestionExperienced;
  uint8_t* const checksum = &front[wire::kIpv4ChecksumOffset];
  StoreBe16(checksum, tcpip::UpdateChecksum(LoadBe16(checksum), before,
                                            LoadBe16(front.data())));
}

void FlipBit(MutableByteSpan packet, uint32_t bit) {
  packet[bit / 8] ^= static_cast<uint8_t>(0x80 >> bit % 8);
}

}  // namespace emulator
