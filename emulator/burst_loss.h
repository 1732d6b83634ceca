// BurstLoss: losses that come in runs, by the model of Gilbert and Elliott. The
// path is good or bad, each packet may change that, and then is lost by the
// chance of the state it is in.
//
// The path is bad for enter / (enter + leave) of all packets, and for
// 1 / leave packets in a row. A calculator: PathModel asks it once per packet.
#ifndef EMULATOR_BURST_LOSS_H_
#define EMULATOR_BURST_LOSS_H_

#include <cstdint>

#include "emulator/chance.h"
#include "tcpip/base/rng.h"

namespace emulator {

struct BurstLossConfig {
  uint32_t enter = 0;  // per million; zero: nothing is lost
  uint32_t leave = kPerMillion;
  uint32_t loss_bad = kPerMillion;
  uint32_t loss_good = 0;

  friend bool operator==(const BurstLossConfig&,
                         const BurstLossConfig&) = default;
};

class BurstLoss {
 public:
  BurstLoss(const BurstLossConfig& config, const tcpip::SeededRng& rng)
      : config_(config), rng_(rng) {}

  // Is the next packet lost?
  bool Loses() {
    if (config_.enter == 0) return false;
    if (Happens(rng_, is_bad_ ? config_.leave : config_.enter)) {
      is_bad_ = !is_bad_;
    }
    return Happens(rng_, is_bad_ ? config_.loss_bad : config_.loss_good);
  }

 private:
  BurstLossConfig config_;
  tcpip::SeededRng rng_;
  bool is_bad_ = false;
};

}  // namespace emulator

#endif  // EMULATOR_BURST_LOSS_H_
