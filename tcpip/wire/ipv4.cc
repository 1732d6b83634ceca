#include "tcpip/wire/ipv4.h"

#include <algorithm>
#include <cassert>

#include "tcpip/base/checksum.h"

namespace tcpip::wire {
namespace {

IpParseError Validate(ByteSpan front, size_t packet_size) {
  if (front.size() < kIpv4HeaderSize) return IpParseError::kTruncated;
  if (front[0] >> 4 != 4) return IpParseError::kBadVersion;
  const size_t header_size = (front[0] & 0xf) * size_t{4};
  if (header_size < kIpv4HeaderSize) return IpParseError::kBadHeaderLength;
  if (header_size > front.size()) return IpParseError::kTruncated;
  const uint16_t total_length = LoadBe16(&front[kIpv4LengthOffset]);
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
  const uint16_t fragment = LoadBe16(p + kIpv4FragmentOffset);
  Ipv4Header& header = result.header;
  header.tos = p[kIpv4TosOffset];
  header.total_length = LoadBe16(p + kIpv4LengthOffset);
  header.identification = LoadBe16(p + kIpv4IdOffset);
  header.dont_fragment = (fragment & kIpv4DontFragment) != 0;
  header.more_fragments = (fragment & kIpv4MoreFragments) != 0;
  header.fragment_offset =
      static_cast<uint16_t>((fragment & kIpv4FragmentMask) * 8);
  header.ttl = p[kIpv4TtlOffset];
  header.protocol = p[kIpv4ProtocolOffset];
  header.source = IpAddress::FromIpv4Bytes(p + kIpv4SourceOffset);
  header.destination = IpAddress::FromIpv4Bytes(p + kIpv4DestinationOffset);
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
  p[kIpv4TosOffset] = header.tos;
  StoreBe16(p + kIpv4IdOffset, header.identification);
  StoreBe16(
      p + kIpv4FragmentOffset,
      static_cast<uint16_t>((header.dont_fragment ? kIpv4DontFragment : 0) |
                            (header.more_fragments ? kIpv4MoreFragments : 0) |
                            (header.fragment_offset / 8)));
  p[kIpv4TtlOffset] = header.ttl;
  p[kIpv4ProtocolOffset] = header.protocol;
  const ByteSpan source = header.source.bytes();
  const ByteSpan destination = header.destination.bytes();
  std::copy(source.begin(), source.end(), p + kIpv4SourceOffset);
  std::copy(destination.begin(), destination.end(), p + kIpv4DestinationOffset);
  std::copy(header.options.begin(), header.options.end(), p + kIpv4HeaderSize);
  SealIpv4(to.first(size), header.total_length);
}

void SealIpv4(MutableByteSpan header, size_t size) {
  uint8_t* const p = header.data();
  StoreBe16(p + kIpv4LengthOffset, static_cast<uint16_t>(size));
  StoreBe16(p + kIpv4ChecksumOffset, 0);
  StoreBe16(p + kIpv4ChecksumOffset, SumBytes(header).Checksum());
}

}  // namespace tcpip::wire
