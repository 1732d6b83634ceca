// Initial sequence numbers and timestamp offsets that outsiders cannot guess.
// RFC 6528, RFC 7323 5.4 and 7.1.
//
// The ISN is a keyed hash of the four-tuple plus a clock that ticks every
// 4 us, so one tuple's numbers rise with time and two tuples' are unrelated.
// The timestamp offset is a keyed hash of the address pair only: all
// connections between two hosts share one rising TSval, which TIME-WAIT reuse
// (RFC 6191) needs, and nobody learns our uptime. One generator per stack.
#ifndef TCPIP_TRANSPORT_TCP_ISN_H_
#define TCPIP_TRANSPORT_TCP_ISN_H_

#include <cstdint>

#include "tcpip/base/rng.h"
#include "tcpip/base/siphash.h"
#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/wire/address.h"

namespace tcpip::tcp {

// What a connection starts its own numbers from.
struct InitialNumbers {
  SeqNum iss;
  uint32_t tsval_offset = 0;

  // The same, with an ISS at or beyond `floor`: for a tuple reopened out of
  // TIME-WAIT. [RFC 9293 3.6.1]
  InitialNumbers AtLeast(SeqNum floor) const {
    return {Max(iss, floor), tsval_offset};
  }
};

class InitialNumberGenerator {
 public:
  // Draws both keys from `rng`.
  explicit InitialNumberGenerator(Rng& rng);

  InitialNumbers For(const FourTuple& tuple, Instant now) const;

 private:
  SipHashKey iss_key_;
  SipHashKey tsval_key_;
};

// TSval: a millisecond clock plus the connection's offset. [RFC 7323 5.4]
constexpr uint32_t TsvalAt(Instant now, uint32_t offset) {
  return static_cast<uint32_t>(now.nanoseconds() / 1'000'000) + offset;
}

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_ISN_H_
