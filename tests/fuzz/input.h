// What a fuzz target makes of its input: numbers, read front to back; zero when
// nothing is left. And how it says that something does not hold.
#ifndef TESTS_FUZZ_INPUT_H_
#define TESTS_FUZZ_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tcpip/base/bytes.h"
#include "tcpip/base/require.h"

namespace tcpip::fuzz {

class Input {
 public:
  Input(const uint8_t* data, size_t size) : bytes_(data, size) {}

  bool empty() const { return bytes_.empty(); }
  uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  uint16_t Word() {
    const uint8_t high = Byte();
    return static_cast<uint16_t>(high << 8 | Byte());
  }
  // In [0, n); 0 when n is.
  uint32_t Below(uint32_t n) { return n == 0 ? 0 : Word() % n; }
  // Mostly near zero, sometimes far: what sequence numbers go wrong by.
  uint32_t Offset() {
    const auto offset = static_cast<int16_t>(Word());
    return static_cast<uint32_t>(offset % 16 == 0 ? offset * 65536 : offset);
  }
  ByteSpan Take(size_t n) {
    const ByteSpan taken = bytes_.first(std::min(n, bytes_.size()));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }

 private:
  ByteSpan bytes_;
};

// Aborts with `rule`, as libFuzzer wants it, unless it holds.
inline void Check(bool holds, const char* rule) {
  Require(holds, "fuzz", rule);
}

}  // namespace tcpip::fuzz

#endif  // TESTS_FUZZ_INPUT_H_
