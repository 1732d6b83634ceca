// Where the services of bench/tun are, the stack's and the kernel's.
#ifndef BENCH_PORTS_H_
#define BENCH_PORTS_H_

#include <cstdint>

namespace bench {

inline constexpr uint16_t kEchoPort = 7007;
inline constexpr uint16_t kDiscardPort = 7009;
inline constexpr uint16_t kSourcePort = 7019;

}  // namespace bench

#endif  // BENCH_PORTS_H_
