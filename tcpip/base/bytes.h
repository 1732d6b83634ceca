// Big-endian loads and stores, the only way this project touches header bytes.
//
// All go through memcpy, so unaligned addresses are fine on every machine
// [fault I17]. Callers guarantee the length; parsers check it once, up front.
#ifndef TCPIP_BASE_BYTES_H_
#define TCPIP_BASE_BYTES_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace tcpip {

using ByteSpan = std::span<const uint8_t>;
using MutableByteSpan = std::span<uint8_t>;

constexpr uint16_t HostToBe16(uint16_t v) {
  return std::endian::native == std::endian::little ? __builtin_bswap16(v) : v;
}
constexpr uint32_t HostToBe32(uint32_t v) {
  return std::endian::native == std::endian::little ? __builtin_bswap32(v) : v;
}

inline uint16_t LoadBe16(const uint8_t* p) {
  uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return HostToBe16(v);
}

inline uint32_t LoadBe32(const uint8_t* p) {
  uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return HostToBe32(v);
}

inline void StoreBe16(uint8_t* p, uint16_t v) {
  v = HostToBe16(v);
  std::memcpy(p, &v, sizeof v);
}

inline void StoreBe32(uint8_t* p, uint32_t v) {
  v = HostToBe32(v);
  std::memcpy(p, &v, sizeof v);
}

}  // namespace tcpip

#endif  // TCPIP_BASE_BYTES_H_
