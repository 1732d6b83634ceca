// An endless stream of bytes that a seed names: any part of it can be written
// or checked without keeping the rest. Applications of the simulation send it,
// so that a byte lost, repeated or moved is seen where it happens.
#ifndef TCPIP_TESTING_PATTERN_H_
#define TCPIP_TESTING_PATTERN_H_

#include <cstdint>

#include "tcpip/base/bytes.h"

namespace tcpip::sim {

class Pattern {
 public:
  explicit Pattern(uint64_t seed) : seed_(seed) {}

  uint8_t At(uint64_t offset) const {
    return static_cast<uint8_t>(Word(offset / 8) >> offset % 8 * 8);
  }

  // Writes the bytes from `offset` on.
  void Fill(uint64_t offset, MutableByteSpan to) const {
    for (size_t i = 0; i < to.size();) {
      uint64_t word = Word((offset + i) / 8) >> (offset + i) % 8 * 8;
      const size_t n = 8 - (offset + i) % 8;
      for (size_t end = i + n; i < end && i < to.size(); ++i) {
        to[i] = static_cast<uint8_t>(word);
        word >>= 8;
      }
    }
  }

  // The first offset at or after `offset` where `bytes` differ from the
  // stream, or the end of `bytes`.
  uint64_t Mismatch(uint64_t offset, ByteSpan bytes) const {
    for (size_t i = 0; i < bytes.size();) {
      uint64_t word = Word((offset + i) / 8) >> (offset + i) % 8 * 8;
      const size_t n = 8 - (offset + i) % 8;
      for (size_t end = i + n; i < end && i < bytes.size(); ++i) {
        if (bytes[i] != static_cast<uint8_t>(word)) return offset + i;
        word >>= 8;
      }
    }
    return offset + bytes.size();
  }

 private:
  // splitmix64's output function of a counter.
  uint64_t Word(uint64_t index) const {
    uint64_t z = seed_ + index * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t seed_;
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_PATTERN_H_
