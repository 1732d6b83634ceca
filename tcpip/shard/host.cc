#include "tcpip/shard/host.h"

#include <sched.h>
#include <sys/random.h>
#include <time.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace tcpip {
namespace {

// Fills exactly; a machine without entropy has no business on a network.
void GetRandom(uint8_t* to, size_t size) {
  while (size > 0) {
    const ssize_t n = getrandom(to, size, 0);
    if (n < 0 && errno != EINTR) {
      std::perror("getrandom");
      std::abort();
    }
    if (n > 0) {
      to += n;
      size -= static_cast<size_t>(n);
    }
  }
}

}  // namespace

Instant HostNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return Instant::FromNanoseconds(now.tv_sec * int64_t{1'000'000'000} +
                                  now.tv_nsec);
}

uint32_t HostProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<uint32_t>(CPU_COUNT(&set));
}

uint64_t HostRng::Next() {
  if (left_ == 0) {
    GetRandom(reinterpret_cast<uint8_t*>(words_.data()), sizeof words_);
    left_ = words_.size();
  }
  // A word that was given away is not kept.
  return std::exchange(words_[--left_], 0);
}

}  // namespace tcpip
