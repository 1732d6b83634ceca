#include "tcpip/base/checksum.h"

#include <cstddef>

namespace tcpip {
namespace {

uint64_t AddWithCarry(uint64_t sum, uint64_t word) {
  sum += word;
  return sum + (sum < word);
}

uint16_t Fold(uint64_t sum) {
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

// The next sizeof(Word) bytes in machine order, copied on the way if asked.
template <typename Word, bool kCopy>
Word Take(const uint8_t*& from, uint8_t*& to) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  from += sizeof word;
  if constexpr (kCopy) {
    std::memcpy(to, &word, sizeof word);
    to += sizeof word;
  }
  return word;
}

// [RFC 1071 2] The sum does not care about byte order or word size: words are
// added in machine order, eight bytes at a time, and the result is swapped
// once. Four sums hide the latency of the carry.
template <bool kCopy>
PartialSum Sum(const uint8_t* from, size_t n, uint8_t* to) {
  uint64_t a = 0, b = 0, c = 0, d = 0;
  for (; n >= 32; n -= 32) {
    a = AddWithCarry(a, Take<uint64_t, kCopy>(from, to));
    b = AddWithCarry(b, Take<uint64_t, kCopy>(from, to));
    c = AddWithCarry(c, Take<uint64_t, kCopy>(from, to));
    d = AddWithCarry(d, Take<uint64_t, kCopy>(from, to));
  }
  a = AddWithCarry(AddWithCarry(a, b), AddWithCarry(c, d));
  for (; n >= 8; n -= 8) a = AddWithCarry(a, Take<uint64_t, kCopy>(from, to));
  if (n & 4) a = AddWithCarry(a, Take<uint32_t, kCopy>(from, to));
  if (n & 2) a = AddWithCarry(a, Take<uint16_t, kCopy>(from, to));
  if (n & 1) {
    const uint16_t byte = Take<uint8_t, kCopy>(from, to);
    // The odd byte is the high half of a big-endian word.
    a = AddWithCarry(a, HostToBe16(static_cast<uint16_t>(byte << 8)));
  }
  return PartialSum(HostToBe16(Fold(a)));
}

}  // namespace

PartialSum SumBytes(ByteSpan bytes) {
  return Sum<false>(bytes.data(), bytes.size(), nullptr);
}

PartialSum CopyAndSum(ByteSpan from, uint8_t* to) {
  return Sum<true>(from.data(), from.size(), to);
}

uint16_t UpdateChecksum(uint16_t checksum, uint16_t from, uint16_t to) {
  // [RFC 1624 3] HC' = ~(~HC + ~m + m')
  PartialSum sum(static_cast<uint16_t>(~checksum));
  sum.AddWord(static_cast<uint16_t>(~from)).AddWord(to);
  return sum.Checksum();
}

}  // namespace tcpip
