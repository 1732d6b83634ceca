// All interfaces of a stack and the ways they lead: which addresses are ours,
// which packets are for us, by which interface and from which of our addresses
// a remote is reached.
//
// Weak host model, as Linux: an address is ours whichever interface a packet
// for it comes in by.
#ifndef TCPIP_STACK_INTERFACES_H_
#define TCPIP_STACK_INTERFACES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tcpip/network/routes.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/interface.h"
#include "tcpip/wire/address.h"

namespace tcpip {

// How to reach a remote.
struct Path {
  Interface* interface = nullptr;
  IpAddress source;
};

class Interfaces {
 public:
  explicit Interfaces(uint32_t max_packets) : max_packets_(max_packets) {}

  InterfaceId Add(const InterfaceConfig& config);
  // nullptr when there is none.
  Interface* Find(InterfaceId id);
  Interface& at(InterfaceId id) { return *interfaces_[id]; }
  std::span<const std::unique_ptr<Interface>> all() const {
    return interfaces_;
  }

  // With its address an interface gains and loses the route to the prefix.
  absl::Status AddAddress(InterfaceId id, const Cidr& address);
  absl::Status RemoveAddress(InterfaceId id, const IpAddress& address);
  absl::Status AddRoute(const Route& route);
  absl::Status RemoveRoute(const Cidr& destination);
  std::span<const Route> routes() const { return routes_.routes(); }

  // An address of ours, on any interface.
  bool Owns(const IpAddress& address) const;
  // The broadcast address of a prefix we are on.
  bool IsBroadcast(const IpAddress& address) const;
  // Stands for many hosts: multicast, or broadcast of any kind.
  bool IsGroup(const IpAddress& address) const;
  // Is a packet that came in by `ingress` for us? In any-address mode every
  // unicast destination is.
  bool Accepts(const Interface& ingress, const IpAddress& destination) const;

  // May a socket wait for packets to `address`? OK for our own and for none in
  // particular, for any host's where there is an interface in any-address
  // mode; else INVALID_ARGUMENT.
  absl::Status CheckBind(const IpAddress& address) const;

  // The interface towards `remote`: the loopback for our own addresses, else
  // by route. UNAVAILABLE when there is none.
  absl::StatusOr<Interface*> Towards(const IpAddress& remote);

  // The way to `remote`, from `local` if that is given. INVALID_ARGUMENT when
  // remote is not one host or local not ours, UNAVAILABLE without a route or
  // an address of the family.
  absl::StatusOr<Path> PathTo(const IpAddress& remote,
                              const std::optional<IpAddress>& local);

 private:
  Interface* Loopback();
  std::optional<IpAddress> SourceFor(const Interface& interface,
                                     const IpAddress& remote) const;

  uint32_t max_packets_;
  std::vector<std::unique_ptr<Interface>> interfaces_;  // by id
  ip::Routes routes_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_INTERFACES_H_
