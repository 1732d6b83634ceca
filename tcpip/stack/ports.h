// Local ports: which are held, and which one a socket gets that did not ask.
// RFC 6056 3.3.1 (random selection), 3.3.4 (double-hash selection).
//
// A connection may share its port with connections to other remotes, so its
// choice asks the caller whether the whole tuple is free; a bound socket gets
// a port nobody holds. Also serves the identifiers of echo sockets.
#ifndef TCPIP_STACK_PORTS_H_
#define TCPIP_STACK_PORTS_H_

#include <array>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/siphash.h"
#include "tcpip/wire/address.h"

namespace tcpip {

class Ports {
 public:
  // Chooses from [first, last]. Draws its key and start from `rng`.
  Ports(uint16_t first, uint16_t last, Rng& rng);

  // Counted: a port is held until every holder released it.
  void Hold(uint16_t port) { ++held_[port]; }
  void Release(uint16_t port);
  bool IsHeld(uint16_t port) const { return held_.contains(port); }

  // A port for a connection from `local` to `remote` for which `is_free` says
  // yes, or nullopt. To one remote ports go up by one from a secret place
  // on, so none is used again soon, and others cannot guess the next.
  // Asks at most once per port of the range.
  template <typename IsFree>
  std::optional<uint16_t> ForConnection(const IpAddress& local,
                                        const IpEndpoint& remote,
                                        const IsFree& is_free) {
    const Sequence sequence = SequenceFor(local, remote);
    return Search(sequence.offset, *sequence.counter, is_free);
  }

  // A port that nobody holds and for which `is_usable` says yes, or nullopt;
  // seen ones do not tell the next. [RFC 6056 3.3.1] [fault C24]
  template <typename IsUsable>
  std::optional<uint16_t> ForBinding(const IsUsable& is_usable) {
    uint32_t step = 0;
    return Search(NextBindingOffset(), step, [this, &is_usable](uint16_t port) {
      return !IsHeld(port) && is_usable(port);
    });
  }
  std::optional<uint16_t> ForBinding() {
    return ForBinding([](uint16_t) { return true; });
  }

 private:
  uint32_t NextBindingOffset();
  uint32_t size() const { return uint32_t{last_} - first_ + 1; }

  // Where the ports for one remote start, and what moves on with each choice.
  struct Sequence {
    uint32_t offset;
    uint32_t* counter;
  };
  Sequence SequenceFor(const IpAddress& local, const IpEndpoint& remote);

  template <typename IsFree>
  std::optional<uint16_t> Search(uint32_t offset, uint32_t& counter,
                                 const IsFree& is_free) const {
    for (uint32_t i = 0; i < size(); ++i) {
      const auto port = static_cast<uint16_t>(
          first_ + (uint64_t{offset} + counter++) % size());
      if (is_free(port)) return port;
    }
    return std::nullopt;
  }

  uint16_t first_;
  uint16_t last_;
  SipHashKey key_;
  uint32_t binding_counter_;
  std::array<uint32_t, 64> counters_;  // "table" of the RFC
  absl::flat_hash_map<uint16_t, uint32_t> held_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_PORTS_H_
