// Which socket hears a packet that is of no flow (see flow_set.h): by its local
// endpoint, else by its port alone; and which sockets may hold a local endpoint
// side by side. One instance each for TCP and UDP. bind(2) as Linux has it.
//
// Values are indices of the socket table. Look-ups only: nothing here depends
// on the order of a hash table.
#ifndef TCPIP_STACK_DEMUX_H_
#define TCPIP_STACK_DEMUX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "tcpip/base/rng.h"
#include "tcpip/stack/flow_hash.h"
#include "tcpip/wire/address.h"

namespace tcpip {

// What a socket puts up with at its local endpoint. Two sockets get along when
// both reuse the address or both reuse the port.
struct BindRules {
  bool reuse_address = false;  // the one bound last hears
  bool reuse_port = false;     // they share what comes in, by flow
  bool v6_only = false;        // "::" is not for IPv4, too

  friend bool operator==(const BindRules&, const BindRules&) = default;
};

// A socket of IPv6 that also exchanges packets with IPv4.
inline bool IsDual(const IpEndpoint& local, BindRules rules) {
  return local.address == IpAddress() && !rules.v6_only;
}

class Demux {
 public:
  explicit Demux(Rng& rng);

  // Holds a local endpoint. False when a socket of the same port, at the same
  // address or at one that covers the other, does not get along with it.
  bool Bind(const IpEndpoint& local, BindRules rules);
  void Unbind(const IpEndpoint& local, BindRules rules);

  // A holder that hears what is of no flow: a listener, an unconnected UDP
  // socket. It stops before it lets go of the endpoint.
  void AddReceiver(const IpEndpoint& local, BindRules rules, uint32_t index);
  void RemoveReceiver(const IpEndpoint& local, BindRules rules, uint32_t index);
  // At the exact endpoint, else at the family's wildcard, else, for IPv4, at a
  // "::" that takes it. Those that share the port there come first, and one
  // remote always reaches the same while none comes or goes.
  std::optional<uint32_t> FindReceiver(const FourTuple& tuple) const;

  // The key that flows share with what is heard by flow.
  const FlowHash& hash() const { return hash_; }

 private:
  // Holders counted by what they put up with, so that a newcomer need not be
  // compared with each.
  class Census {
   public:
    void Add(BindRules rules) { ++counts_[Index(rules)]; }
    void Remove(BindRules rules) { --counts_[Index(rules)]; }
    // Is there one that does not get along with the newcomer?
    bool Refuses(BindRules newcomer) const;
    bool empty() const { return counts_ == std::array<uint32_t, 4>{}; }

   private:
    static size_t Index(BindRules rules) {
      return (rules.reuse_address ? 1 : 0) + (rules.reuse_port ? 2 : 0);
    }
    std::array<uint32_t, 4> counts_ = {};
  };

  class Receivers {
   public:
    void Add(BindRules rules, uint32_t index);
    void Remove(BindRules rules, uint32_t index);
    bool empty() const { return sharing_.empty() && alone_.empty(); }
    // Not empty.
    uint32_t For(const FourTuple& tuple, const FlowHash& hash) const;

   private:
    using Indices = absl::InlinedVector<uint32_t, 2>;
    Indices sharing_;
    Indices alone_;  // the last one hears
  };

  struct Bound {
    Census holders;
    Receivers receivers;
  };
  // Most sockets are bound to wildcards: those are found by the port alone.
  struct Port {
    Census ipv4;            // all holders
    Census ipv6;            // likewise
    Bound any4;             // those of "0.0.0.0"
    Bound any6;             // those of "::"
    Bound dual;             // those of "::" that take IPv4
    uint32_t specific = 0;  // how many hold one address; in bound_

    Census& holders(IpFamily family) {
      return family == IpFamily::kIpv4 ? ipv4 : ipv6;
    }
    const Bound& any(IpFamily family) const {
      return family == IpFamily::kIpv4 ? any4 : any6;
    }
  };

  bool Conflicts(const IpEndpoint& local, BindRules rules) const;
  // Where the holders of an endpoint stand, whose port is `port`.
  Bound& BoundAt(const IpEndpoint& local, Port& port);

  FlowHash hash_;
  absl::flat_hash_map<uint16_t, Port> ports_;
  absl::flat_hash_map<IpEndpoint, Bound> bound_;  // to specific addresses
};

}  // namespace tcpip

#endif  // TCPIP_STACK_DEMUX_H_
