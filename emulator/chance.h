// Chances in parts per million, so that no float decides anything.
#ifndef EMULATOR_CHANCE_H_
#define EMULATOR_CHANCE_H_

#include <cstdint>

#include "tcpip/base/rng.h"

namespace emulator {

inline constexpr uint32_t kPerMillion = 1'000'000;
constexpr uint32_t Percent(uint32_t n) { return n * (kPerMillion / 100); }

inline bool Happens(tcpip::Rng& rng, uint32_t per_million) {
  return rng.Below(kPerMillion) < per_million;
}

}  // namespace emulator

#endif  // EMULATOR_CHANCE_H_
