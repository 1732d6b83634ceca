#include "tcpip/base/siphash.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace tcpip {
namespace {

uint64_t LoadLe64(const uint8_t* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return std::endian::native == std::endian::little ? v : __builtin_bswap64(v);
}

struct State {
  uint64_t v0, v1, v2, v3;

  void Round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }

  void Absorb(uint64_t word) {
    v3 ^= word;
    Round();
    Round();
    v0 ^= word;
  }

  uint64_t Finish() {
    v2 ^= 0xff;
    for (int i = 0; i < 4; ++i) Round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

}  // namespace

uint64_t SipHash(const SipHashKey& key, ByteSpan message) {
  // The constants spell "somepseudorandomlygeneratedbytes".
  State state{key.k0 ^ 0x736f6d6570736575, key.k1 ^ 0x646f72616e646f6d,
              key.k0 ^ 0x6c7967656e657261, key.k1 ^ 0x7465646279746573};
  const size_t whole = message.size() / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) {
    state.Absorb(LoadLe64(message.data() + i));
  }
  // The last word: what is left, and the length in its top byte.
  uint64_t last = uint64_t{message.size()} << 56;
  for (size_t i = whole; i < message.size(); ++i) {
    last |= uint64_t{message[i]} << (8 * (i - whole));
  }
  state.Absorb(last);
  return state.Finish();
}

}  // namespace tcpip
