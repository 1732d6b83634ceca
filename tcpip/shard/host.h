// The machine's clock, entropy and processors: the only code that asks for
// them. The rest of the project is told what time it is and given an Rng.
#ifndef TCPIP_SHARD_HOST_H_
#define TCPIP_SHARD_HOST_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"

namespace tcpip {

// CLOCK_MONOTONIC: not set by anybody, stands still while suspended.
Instant HostNow();

// Those this process may run on.
uint32_t HostProcessors();

// The kernel's generator, asked for many words at a time. Fit for keys.
class HostRng final : public Rng {
 public:
  uint64_t Next() override;

 private:
  std::array<uint64_t, 64> words_;
  size_t left_ = 0;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_HOST_H_
