// Which interface leads to a destination, and from which of our addresses to
// speak: longest prefix match over both families, RFC 6724's choice of a source
// in the form a host needs that knows its interface already.
//
// A look-up tries each prefix length in use, longest first, in one hash table:
// its cost does not depend on the number of routes. Called for every open and
// every unconnected datagram, never for a packet of a connection.
#ifndef TCPIP_NETWORK_ROUTES_H_
#define TCPIP_NETWORK_ROUTES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tcpip/network/interface_id.h"
#include "tcpip/wire/address.h"

namespace tcpip {

struct Route {
  Cidr destination;
  InterfaceId interface = 0;
  friend bool operator==(const Route&, const Route&) = default;
};

namespace ip {

class Routes {
 public:
  // False when there is a route to that very prefix already.
  bool Add(const Route& route);
  // False when there is none.
  bool Remove(const Cidr& destination);

  // The interface of the longest prefix that contains `destination`.
  std::optional<InterfaceId> Find(const IpAddress& destination) const;
  // That of exactly this prefix.
  std::optional<InterfaceId> FindExact(const Cidr& destination) const;

  // Longest prefixes first, equal ones in the order of addition.
  std::span<const Route> routes() const { return routes_; }

 private:
  struct Length {
    uint8_t prefix_length;
    uint32_t routes;  // that have it
  };
  std::vector<Length>& LengthsOf(const Cidr& prefix) {
    return lengths_[static_cast<int>(prefix.address.family())];
  }

  std::vector<Route> routes_;
  absl::flat_hash_map<Cidr, InterfaceId> by_prefix_;  // masked
  std::array<std::vector<Length>, 2> lengths_;  // by family, longest first
};

// The address of an interface to reach `destination` from; among equals the
// first. nullopt when the interface has none of the family. Link-local ones
// serve where nothing better does. [RFC 6724 5] rules 1, 2, 6 and 8; the others
// choose between interfaces, or by what our addresses do not have (lifetimes,
// homes).
std::optional<IpAddress> ChooseSource(std::span<const Cidr> addresses,
                                      const IpAddress& destination);

}  // namespace ip
}  // namespace tcpip

#endif  // TCPIP_NETWORK_ROUTES_H_
