// Which socket a packet is for: by its four-tuple, else by its local endpoint,
// else by its port alone. One instance each for TCP and UDP.
//
// Values are slots of the socket table. Look-ups only: nothing here depends on
// the order of a hash table. The hash is keyed, since peers choose most of
// what it is taken over.
#ifndef TCPIP_STACK_DEMUX_H_
#define TCPIP_STACK_DEMUX_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "tcpip/base/rng.h"
#include "tcpip/wire/address.h"

namespace tcpip {

// Multiply-and-fold over secret words: about three multiplications a tuple.
// Not a MAC: its values never leave the process.
class FlowHash {
 public:
  explicit FlowHash(Rng& rng);
  size_t operator()(const FourTuple& tuple) const;

 private:
  uint64_t key_[5];
};

class Demux {
 public:
  explicit Demux(Rng& rng);

  // Flows. AddFlow is false when the tuple is taken.
  bool AddFlow(const FourTuple& tuple, uint32_t slot);
  void RemoveFlow(const FourTuple& tuple);
  std::optional<uint32_t> FindFlow(const FourTuple& tuple) const;

  // Bound endpoints: listeners and unconnected UDP sockets. AddBound is false
  // when the endpoint is taken, or is the wildcard beside a specific address
  // of its family and port, or the reverse. "0.0.0.0" and "::" get along.
  bool AddBound(const IpEndpoint& local, uint32_t slot);
  void RemoveBound(const IpEndpoint& local);
  // The exact endpoint, else the family's wildcard, else, for IPv4, "::",
  // which is dual-stack as on Linux.
  std::optional<uint32_t> FindBound(const IpEndpoint& local) const;

  size_t flow_count() const { return flows_.size(); }

 private:
  std::optional<uint32_t> FindExact(const IpEndpoint& local) const;

  absl::flat_hash_map<FourTuple, uint32_t, FlowHash> flows_;
  absl::flat_hash_map<IpEndpoint, uint32_t> bound_;
  // How many are bound to a port of a family, any address.
  absl::flat_hash_map<uint32_t, uint32_t> bound_ports_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_DEMUX_H_
