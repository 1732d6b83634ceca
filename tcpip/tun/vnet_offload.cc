#include "tcpip/tun/vnet_offload.h"

namespace tcpip {
namespace {

using wire::VirtioNetHeader;

std::optional<GsoType> GsoTypeFromVnet(uint8_t gso_type) {
  switch (gso_type & ~VirtioNetHeader::kGsoEcn) {
    case VirtioNetHeader::kGsoNone:
      return GsoType::kNone;
    case VirtioNetHeader::kGsoTcp4:
      return GsoType::kTcp4;
    case VirtioNetHeader::kGsoTcp6:
      return GsoType::kTcp6;
    default:
      return std::nullopt;
  }
}

// IP and TCP header bytes: where the payload of a super-segment starts.
uint16_t HeaderBytes(const Offload& offload, ByteSpan front) {
  constexpr size_t kDataOffset = 12;  // [RFC 9293 3.1] high four bits, in words
  const size_t at = offload.checksum_start + kDataOffset;
  if (at >= front.size()) return static_cast<uint16_t>(front.size());
  return static_cast<uint16_t>(offload.checksum_start + (front[at] >> 4) * 4);
}

}  // namespace

std::optional<Offload> OffloadFromVnet(const VirtioNetHeader& header,
                                       ByteSpan front, size_t size) {
  const std::optional<GsoType> gso_type = GsoTypeFromVnet(header.gso_type);
  if (!gso_type || front.empty()) return std::nullopt;

  Offload offload;
  if (*gso_type != GsoType::kNone) {
    const int version = *gso_type == GsoType::kTcp4 ? 4 : 6;
    if (header.gso_size == 0 || front[0] >> 4 != version) return std::nullopt;
    offload.gso_type = *gso_type;
    offload.gso_size = header.gso_size;
  }
  if ((header.flags & VirtioNetHeader::kNeedsCsum) != 0) {
    const size_t field = size_t{header.csum_start} + header.csum_offset;
    if (field + sizeof(uint16_t) > size) return std::nullopt;
    offload.checksum = ChecksumState::kPartial;
    offload.checksum_start = header.csum_start;
    offload.checksum_offset = header.csum_offset;
  } else if ((header.flags & VirtioNetHeader::kDataValid) != 0) {
    offload.checksum = ChecksumState::kVerified;
  }
  return offload;
}

VirtioNetHeader VnetFromOffload(const Offload& offload, ByteSpan front) {
  VirtioNetHeader header;
  if (offload.checksum == ChecksumState::kPartial) {
    header.flags = VirtioNetHeader::kNeedsCsum;
    header.csum_start = offload.checksum_start;
    header.csum_offset = offload.checksum_offset;
  }
  if (offload.gso_type != GsoType::kNone) {
    header.gso_type = offload.gso_type == GsoType::kTcp4
                          ? VirtioNetHeader::kGsoTcp4
                          : VirtioNetHeader::kGsoTcp6;
    header.gso_size = offload.gso_size;
    header.hdr_len = HeaderBytes(offload, front);
  }
  return header;
}

}  // namespace tcpip
