#include "tcpip/wire/ipv4.h"

#include <algorithm>
#include <cassert>

#include "tcpip/base/checksum.h"

namespace tcpip::wire {
namespace {

constexpr uint16_t kDontFragment = 0x4000;
constexpr uint16_t kMoreFragments = 0x2000;
constexpr uint16_t kFragmentOffsetMask = 0x1fff;  // in units of 8 bytes

IpParseError Validate(ByteSpan front, size_t packet_size) {
  if (front.size() < kIpv4HeaderSize) return IpParseError::kTruncated;
  if (front[0] >> 4 != 4) return IpParseError::kBadVersion;
  const size_t header_size = (front[0] & 0xf) * size_t{4};
  if (header_size < kIpv4HeaderSize) return IpParseError::kBadHeaderLength;
  if (header_size > front.size()) return IpParseError::kTruncated;
  const uint16_t total_length = LoadBe16(&front[2]);
  if (total_length < header_size) return IpParseError::kBadTotalLength;
  if (total_length > packet_size) return IpParseError::kTruncated;
  if (!SumBytes(front.first(header_size)).IsValid()) {
    return IpParseError::kBadChecksum;
  }
  return IpParseError::kNone;
}

}  // namespace

ParsedIpv4 ParseIpv4(ByteSpan front, size_t packet_size) {
  ParsedIpv4 result;
  result.error = Validate(front, packet_size);
  if (result.error != IpParseError::kNone) return result;

  const uint8_t* const p = front.data();
  const size_t header_size = (p[0] & 0xf) * size_t{4};
  const uint16_t fragment = LoadBe16(p + 6);
  Ipv4Header& header = result.header;
  header.tos = p[1];
  header.total_length = LoadBe16(p + 2);
  header.identification = LoadBe16(p + 4);
  header.dont_fragment = (fragment & kDontFragment) != 0;
  header.more_fragments = (fragment & kMoreFragments) != 0;
  header.fragment_offset =
      static_cast<uint16_t>((fragment & kFragmentOffsetMask) * 8);
  header.ttl = p[8];
  header.protocol = p[9];
  header.source = IpAddress::FromIpv4Bytes(p + 12);
  header.destination = IpAddress::FromIpv4Bytes(p + 16);
  header.options =
      front.subspan(kIpv4HeaderSize, header_size - kIpv4HeaderSize);
  return result;
}

void EmitIpv4(const Ipv4Header& header, MutableByteSpan to) {
  const uint32_t size = header.header_size();
  assert(size % 4 == 0 && size <= kIpv4MaxHeaderSize && size <= to.size());
  assert(header.source.IsIpv4() && header.destination.IsIpv4());
  assert(header.fragment_offset % 8 == 0);

  uint8_t* const p = to.data();
  p[0] = static_cast<uint8_t>(0x40 | (size / 4));
  p[1] = header.tos;
  StoreBe16(p + 2, header.total_length);
  StoreBe16(p + 4, header.identification);
  StoreBe16(p + 6,
            static_cast<uint16_t>((header.dont_fragment ? kDontFragment : 0) |
                                  (header.more_fragments ? kMoreFragments : 0) |
                                  (header.fragment_offset / 8)));
  p[8] = header.ttl;
  p[9] = header.protocol;
  StoreBe16(p + 10, 0);
  const ByteSpan source = header.source.bytes();
  const ByteSpan destination = header.destination.bytes();
  std::copy(source.begin(), source.end(), p + 12);
  std::copy(destination.begin(), destination.end(), p + 16);
  std::copy(header.options.begin(), header.options.end(), p + kIpv4HeaderSize);
  StoreBe16(p + 10, SumBytes(to.first(size)).Checksum());
}

}  // namespace tcpip::wire
