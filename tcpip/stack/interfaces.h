// All interfaces of a stack and the ways they lead: which addresses are ours,
// which packets are for us, by which interface and from which of our addresses
// a remote is reached, and with packets of which size.
//
// Weak host model, as Linux: an address is ours whichever interface a packet
// for it comes in by.
#ifndef TCPIP_STACK_INTERFACES_H_
#define TCPIP_STACK_INTERFACES_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tcpip/base/time.h"
#include "tcpip/network/interface_id.h"
#include "tcpip/network/path_mtu.h"
#include "tcpip/network/routes.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/interface.h"
#include "tcpip/stack/local_addresses.h"
#include "tcpip/transport/tcp/offer.h"
#include "tcpip/wire/address.h"

namespace tcpip {

// How to reach a remote.
struct Path {
  Interface* interface = nullptr;
  IpAddress source;
  uint32_t mtu = 0;  // the path's: never more than the interface's
};

class Interfaces {
 public:
  // `max_packets` bounds each interface's queues of whole packets.
  explicit Interfaces(uint32_t max_packets,
                      const ip::PathMtuLimits& path_mtu_limits = {})
      : max_packets_(max_packets), path_mtus_(path_mtu_limits) {}

  InterfaceId Add(const InterfaceConfig& config);
  // nullptr when there is none.
  Interface* Find(InterfaceId id);
  Interface& at(InterfaceId id) { return *interfaces_[id]; }
  std::span<const std::unique_ptr<Interface>> all() const {
    return interfaces_;
  }

  // With its first address in a prefix an interface gains the route there, if
  // there is none yet. When the last goes, that route passes to another
  // interface that is in the prefix, or goes, too; one of AddRoute stays.
  absl::Status AddAddress(InterfaceId id, const Cidr& address);
  absl::Status RemoveAddress(InterfaceId id, const IpAddress& address);
  absl::Status AddRoute(const Route& route);
  absl::Status RemoveRoute(const Cidr& destination);
  std::span<const Route> routes() const { return routes_.routes(); }

  // An address of ours, on any interface.
  bool Owns(const IpAddress& address) const {
    return addresses_.RoleOf(address) == AddressRole::kOwn;
  }
  // Stands for many hosts: multicast, or broadcast of any kind.
  bool IsGroup(const IpAddress& address) const;
  // Is a packet that came in by `ingress` for us? In any-address mode every
  // unicast destination is. Nothing is of a family that the link does not
  // carry.
  bool Accepts(const Interface& ingress, const IpAddress& destination) const;
  // May `source` have sent a packet that came in by `ingress`? A broadcast
  // address is no source, and we speak to ourselves by the loopback only.
  // [RFC 1122 3.2.1.3]
  bool IsCredible(const Interface& ingress, const IpAddress& source) const;

  // May a socket wait for packets to `address`? OK for our own and for none in
  // particular, for any host's where there is an interface in any-address
  // mode; else INVALID_ARGUMENT.
  absl::Status CheckBind(const IpAddress& address) const;

  // The interface towards `remote`: the loopback for our own addresses, else
  // by route. UNAVAILABLE when there is none.
  absl::StatusOr<Interface*> Towards(const IpAddress& remote) {
    return Towards(remote, addresses_.RoleOf(remote));
  }

  // The way to `remote`, from `local` if that is given. INVALID_ARGUMENT when
  // remote is not one host or local not ours, UNAVAILABLE without a route, an
  // address of the family, or a link that carries it.
  absl::StatusOr<Path> PathTo(const IpAddress& remote,
                              const std::optional<IpAddress>& local);

  // The MTU towards `remote` through `interface`.
  uint32_t MtuTowards(const Interface& interface,
                      const IpAddress& remote) const {
    return path_mtus_.Find(remote, interface.config().link.mtu);
  }
  // What a connection to `remote` starts with.
  tcp::PathFacts PathFor(const Interface& interface,
                         const IpAddress& remote) const {
    return interface.PathFor(remote.family(), MtuTowards(interface, remote));
  }
  // A packet to `remote` through the interface was too big: somebody on the way
  // takes no more than `reported`. The caller believes it.
  void OnTooBig(InterfaceId id, const IpAddress& remote, uint32_t reported,
                Instant now) {
    path_mtus_.OnTooBig(remote, reported, at(id).config().link.mtu, now);
  }
  ip::PathMtuCache& path_mtus() { return path_mtus_; }

 private:
  // A choice of SourceFor, which looks at every address of an interface.
  struct SourceChoice {
    const Interface* interface = nullptr;
    IpAddress remote;
    IpAddress source;
  };

  // After an address in `prefix`, masked, has gone.
  void ReleasePrefix(const Cidr& prefix);
  absl::StatusOr<Interface*> Towards(const IpAddress& remote, AddressRole role);
  std::optional<IpAddress> SourceFor(const Interface& interface,
                                     const IpAddress& remote);

  uint32_t max_packets_;
  std::vector<std::unique_ptr<Interface>> interfaces_;  // by id
  Interface* loopback_ = nullptr;                       // the first, if any
  bool any_address_ = false;                            // on some interface
  LocalAddresses addresses_;
  ip::Routes routes_;
  absl::flat_hash_set<Cidr> on_link_;  // masked; the routes of addresses
  ip::PathMtuCache path_mtus_;
  // The last choices, by a hash of the remote; void when an address changes.
  std::array<SourceChoice, 64> choices_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_INTERFACES_H_
