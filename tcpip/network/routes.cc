#include "tcpip/network/routes.h"

#include <algorithm>

namespace tcpip::ip {
namespace {

// How well `own` serves as the source towards `destination`; higher is better.
int Suitability(const Cidr& own, const IpAddress& destination) {
  if (own.address == destination) return 1000;
  if (own.Contains(destination)) return 100 + own.prefix_length;
  return own.address.IsLinkLocal() || own.address.IsLoopback() ? 1 : 2;
}

}  // namespace

bool Routes::Add(const Route& route) {
  const Route masked = {route.destination.Masked(), route.interface};
  for (const Route& other : routes_) {
    if (other.destination == masked.destination) return false;
  }
  const auto place = std::find_if(routes_.begin(), routes_.end(),
                                  [&masked](const Route& other) {
                                    return other.destination.prefix_length <
                                           masked.destination.prefix_length;
                                  });
  routes_.insert(place, masked);
  return true;
}

bool Routes::Remove(const Cidr& destination) {
  const Cidr masked = destination.Masked();
  return std::erase_if(routes_, [&masked](const Route& route) {
           return route.destination == masked;
         }) != 0;
}

std::optional<InterfaceId> Routes::Find(const IpAddress& destination) const {
  for (const Route& route : routes_) {
    if (route.destination.Contains(destination)) return route.interface;
  }
  return std::nullopt;
}

std::optional<IpAddress> ChooseSource(std::span<const Cidr> addresses,
                                      const IpAddress& destination) {
  std::optional<IpAddress> best;
  int best_suitability = 0;
  for (const Cidr& own : addresses) {
    if (own.address.family() != destination.family()) continue;
    const int suitability = Suitability(own, destination);
    if (suitability > best_suitability) {
      best = own.address;
      best_suitability = suitability;
    }
  }
  return best;
}

}  // namespace tcpip::ip
