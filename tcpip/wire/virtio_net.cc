#include "tcpip/wire/virtio_net.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace tcpip::wire {
namespace {

// But for the order of bytes in a word the struct is the wire image.
static_assert(sizeof(VirtioNetHeader) == kVirtioNetHeaderSize);
static_assert(std::is_trivially_copyable_v<VirtioNetHeader>);

constexpr uint16_t SwapIfBigEndian(uint16_t v) {
  if constexpr (std::endian::native == std::endian::little) return v;
  return static_cast<uint16_t>(v << 8 | v >> 8);
}

// Host order to little-endian, and back.
VirtioNetHeader Swapped(VirtioNetHeader header) {
  header.hdr_len = SwapIfBigEndian(header.hdr_len);
  header.gso_size = SwapIfBigEndian(header.gso_size);
  header.csum_start = SwapIfBigEndian(header.csum_start);
  header.csum_offset = SwapIfBigEndian(header.csum_offset);
  return header;
}

}  // namespace

VirtioNetHeader LoadVirtioNet(const uint8_t* from) {
  VirtioNetHeader header;
  std::memcpy(&header, from, kVirtioNetHeaderSize);
  return Swapped(header);
}

void StoreVirtioNet(const VirtioNetHeader& header, uint8_t* to) {
  const VirtioNetHeader image = Swapped(header);
  std::memcpy(to, &image, kVirtioNetHeaderSize);
}

}  // namespace tcpip::wire
