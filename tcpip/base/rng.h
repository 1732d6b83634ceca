// Source of randomness for the core. Entropy comes from outside: production
// passes shard/host's generator, tests pass SeededRng and print the seed.
#ifndef TCPIP_BASE_RNG_H_
#define TCPIP_BASE_RNG_H_

#include <cstdint>

namespace tcpip {

class Rng {
 public:
  virtual ~Rng() = default;
  virtual uint64_t Next() = 0;

  // Uniform in [0, bound); bound > 0. Multiply-shift: the bias is below
  // 2^-32 for every bound used here.
  uint32_t Below(uint32_t bound) {
    return static_cast<uint32_t>(((Next() >> 32) * bound) >> 32);
  }
};

// xoshiro256** seeded by splitmix64: fast, reproducible, not for secrets.
class SeededRng final : public Rng {
 public:
  explicit SeededRng(uint64_t seed) {
    for (uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      word = z ^ (z >> 31);
    }
  }

  uint64_t Next() override {
    const uint64_t result = Rotl(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = Rotl(state_[3], 45);
    return result;
  }

 private:
  static constexpr uint64_t Rotl(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
  }
  uint64_t state_[4];
};

}  // namespace tcpip

#endif  // TCPIP_BASE_RNG_H_
