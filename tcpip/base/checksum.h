// The Internet checksum as an algebra: partial sums of byte ranges that can be
// combined, adjusted and folded. RFC 1071, RFC 1624.
//
// A PartialSum is the one's complement sum of big-endian 16-bit words, not
// inverted. Ranges of odd length pad with a zero byte; Combine() swaps when
// the right-hand range starts at an odd offset. Knows no protocol.
#ifndef TCPIP_BASE_CHECKSUM_H_
#define TCPIP_BASE_CHECKSUM_H_

#include <cstdint>

#include "tcpip/base/bytes.h"

namespace tcpip {

class PartialSum {
 public:
  constexpr PartialSum() = default;
  explicit constexpr PartialSum(uint16_t folded) : sum_(folded) {}

  // One's complement sum in [0, 0xffff], in host order.
  constexpr uint16_t value() const { return sum_; }

  // The header field: the complement of the sum.
  constexpr uint16_t Checksum() const { return static_cast<uint16_t>(~sum_); }

  // True when a range that includes its own checksum field is intact.
  constexpr bool IsValid() const { return sum_ == 0xffff; }

  constexpr PartialSum& AddWord(uint16_t word) {
    const uint32_t s = uint32_t{sum_} + word;
    sum_ = static_cast<uint16_t>((s & 0xffff) + (s >> 16));
    return *this;
  }

  // Appends a range that begins `offset` bytes after the start of this one.
  constexpr PartialSum& Combine(PartialSum other, uint32_t offset) {
    return AddWord(offset % 2 == 0 ? other.sum_ : Swap(other.sum_));
  }

  friend constexpr bool operator==(PartialSum, PartialSum) = default;

 private:
  static constexpr uint16_t Swap(uint16_t v) {
    return static_cast<uint16_t>((v << 8) | (v >> 8));
  }
  uint16_t sum_ = 0;
};

// The field with zero in its second spelling, all ones: a UDP checksum of zero
// would say that there is none [RFC 768], all else takes both. [RFC 1624 3]
constexpr uint16_t NonZeroChecksum(uint16_t checksum) {
  return checksum == 0 ? 0xffff : checksum;
}

// Sums `bytes`, which may be of any length and alignment.
PartialSum SumBytes(ByteSpan bytes);

// Copies `from` to `to` (same size, not overlapping) and sums it in one pass.
PartialSum CopyAndSum(ByteSpan from, uint8_t* to);

// The checksum field after one 16-bit word under it changed from `from` to
// `to`. [RFC 1624 3]
uint16_t UpdateChecksum(uint16_t checksum, uint16_t from, uint16_t to);

}  // namespace tcpip

#endif  // TCPIP_BASE_CHECKSUM_H_
