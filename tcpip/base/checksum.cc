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

// A word in machine order.
template <typename Word>
Word Load(const uint8_t* p) {
  Word word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// Adds the last bytes, fewer than 32.
uint64_t AddTail(uint64_t sum, const uint8_t* p, size_t n) {
  for (; n >= 8; n -= 8, p += 8) sum = AddWithCarry(sum, Load<uint64_t>(p));
  if (n >= 4) {
    sum = AddWithCarry(sum, Load<uint32_t>(p));
    n -= 4, p += 4;
  }
  if (n >= 2) {
    sum = AddWithCarry(sum, Load<uint16_t>(p));
    n -= 2, p += 2;
  }
  // An odd byte is the high half of a big-endian word.
  const uint8_t odd = n == 1 ? *p : 0;
  return AddWithCarry(sum, HostToBe16(static_cast<uint16_t>(odd << 8)));
}

// [RFC 1071 2] The sum does not care about byte order or word size: words are
// added in machine order, eight bytes at a time, and the result is swapped
// once. Four sums hide the latency of the carry.
template <bool kCopy>
PartialSum Sum(const uint8_t* from, size_t n, uint8_t* to) {
  constexpr size_t kBlock = 32;
  uint64_t a = 0, b = 0, c = 0, d = 0;
  for (; n >= kBlock; n -= kBlock, from += kBlock) {
    if constexpr (kCopy) {
      std::memcpy(to, from, kBlock);
      to += kBlock;
    }
    a = AddWithCarry(a, Load<uint64_t>(from));
    b = AddWithCarry(b, Load<uint64_t>(from + 8));
    c = AddWithCarry(c, Load<uint64_t>(from + 16));
    d = AddWithCarry(d, Load<uint64_t>(from + 24));
  }
  if (kCopy && n > 0) std::memcpy(to, from, n);
  a = AddWithCarry(AddWithCarry(a, b), AddWithCarry(c, d));
  return PartialSum(HostToBe16(Fold(AddTail(a, from, n))));
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
