// One number for all that happened: two runs with the same number sent the
// same bytes at the same times. FNV-1a over 64-bit words, so that hashing is
// cheap beside what it watches; not for adversaries.
#ifndef TCPIP_TESTING_TRACE_HASH_H_
#define TCPIP_TESTING_TRACE_HASH_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tcpip/base/bytes.h"

namespace tcpip::sim {

class TraceHash {
 public:
  uint64_t value() const { return value_; }

  void Mix(uint64_t word) {
    value_ = (value_ ^ word) * 0x100000001b3;
    value_ ^= value_ >> 32;  // FNV alone never moves a high bit down
  }

  // The length counts: "ab" + "c" is not "a" + "bc".
  void Mix(ByteSpan bytes) {
    Mix(bytes.size());
    while (!bytes.empty()) {
      const size_t n = std::min<size_t>(bytes.size(), 8);
      uint64_t word = 0;
      std::memcpy(&word, bytes.data(), n);
      Mix(word);
      bytes = bytes.subspan(n);
    }
  }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_TRACE_HASH_H_
