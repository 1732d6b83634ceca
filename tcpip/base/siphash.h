// SipHash-2-4: a keyed 64-bit hash for initial sequence numbers, port offsets,
// timestamp offsets and flow hashes. Aumasson and Bernstein, 2012.
#ifndef TCPIP_BASE_SIPHASH_H_
#define TCPIP_BASE_SIPHASH_H_

#include <cstdint>

#include "tcpip/base/bytes.h"
#include "tcpip/base/rng.h"

namespace tcpip {

struct SipHashKey {
  uint64_t k0 = 0;
  uint64_t k1 = 0;

  static SipHashKey FromRng(Rng& rng) { return {rng.Next(), rng.Next()}; }
};

uint64_t SipHash(const SipHashKey& key, ByteSpan message);

}  // namespace tcpip

#endif  // TCPIP_BASE_SIPHASH_H_
