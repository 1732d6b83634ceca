// Which interface leads to a destination, and from which of our addresses to
// speak: longest prefix match over both families, RFC 6724's choice in the
// form a host with few addresses needs.
//
// Routes are few (a handful per interface), so they are a vector sorted by
// descending prefix length: the first that contains the destination is the
// longest. Called for every open and every unconnected datagram, never for a
// packet of a connection.
#ifndef TCPIP_NETWORK_ROUTES_H_
#define TCPIP_NETWORK_ROUTES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tcpip/wire/address.h"

namespace tcpip {

using InterfaceId = uint16_t;

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

  // Longest prefixes first, equal ones in the order of addition.
  std::span<const Route> routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
};

// The address of an interface to reach `destination` from: the destination
// itself if it is ours, else the one whose prefix contains it (the longest),
// else the first of its family that is not link-local or loopback, else the
// first. nullopt when the family has none. [RFC 6724 5] rules 1, 2 and 8
std::optional<IpAddress> ChooseSource(std::span<const Cidr> addresses,
                                      const IpAddress& destination);

}  // namespace ip
}  // namespace tcpip

#endif  // TCPIP_NETWORK_ROUTES_H_
