#include "tcpip/network/routes.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>

namespace tcpip::ip {
namespace {

// [RFC 6724 3.1] as a multicast scope; [RFC 6724 3.2] for IPv4
int ScopeOf(const IpAddress& address) {
  constexpr int kLinkLocal = 2;
  constexpr int kGlobal = 14;
  return address.IsLinkLocal() || address.IsLoopback() ? kLinkLocal : kGlobal;
}

// [RFC 6724 2.1] the default policy table, without its deprecated rows
int LabelOf(const IpAddress& address) {
  struct Row {
    Cidr prefix;
    int label;
  };
  static const Row kRows[] = {
      {Cidr::Parse("::1/128").value(), 0},
      {Cidr::Parse("2001::/32").value(), 5},
      {Cidr::Parse("2002::/16").value(), 2},
      {Cidr::Parse("fc00::/7").value(), 13},
  };
  for (const Row& row : kRows) {
    if (row.prefix.Contains(address)) return row.label;
  }
  return 1;
}

int CommonPrefixLength(const IpAddress& a, const IpAddress& b) {
  for (size_t i = 0; i < a.bytes().size(); ++i) {
    const auto differs = static_cast<uint8_t>(a.bytes()[i] ^ b.bytes()[i]);
    if (differs != 0)
      return static_cast<int>(8 * i) + std::countl_zero(differs);
  }
  return static_cast<int>(8 * a.bytes().size());
}

// How well `own` serves as the source towards `destination`: what comes first
// decides, higher is better.
std::tuple<bool, int, bool, int> Suitability(const Cidr& own,
                                             const IpAddress& destination) {
  const int scope = ScopeOf(own.address);
  // The smallest scope that reaches the destination, else the largest.
  const int reach = scope >= ScopeOf(destination) ? 100 - scope : scope;
  // [RFC 6724 5] rule 8 for IPv6. The prefixes of IPv4 do not mirror the
  // network: only the one we share with the destination counts, as on Linux.
  int match = 0;
  if (own.Contains(destination)) {
    match = own.prefix_length;
  } else if (destination.IsIpv6()) {
    match = std::min<int>(CommonPrefixLength(own.address, destination),
                          own.prefix_length);
  }
  return {own.address == destination, reach,
          LabelOf(own.address) == LabelOf(destination), match};
}

}  // namespace

bool Routes::Add(const Route& route) {
  const Route masked = {route.destination.Masked(), route.interface};
  if (!by_prefix_.emplace(masked.destination, masked.interface).second) {
    return false;
  }
  const uint8_t length = masked.destination.prefix_length;
  routes_.insert(std::upper_bound(routes_.begin(), routes_.end(), length,
                                  [](uint8_t n, const Route& other) {
                                    return n > other.destination.prefix_length;
                                  }),
                 masked);
  std::vector<Length>& lengths = LengthsOf(masked.destination);
  auto place = std::lower_bound(
      lengths.begin(), lengths.end(), length,
      [](const Length& other, uint8_t n) { return other.prefix_length > n; });
  if (place == lengths.end() || place->prefix_length != length) {
    place = lengths.insert(place, {length, 0});
  }
  ++place->routes;
  return true;
}

bool Routes::Remove(const Cidr& destination) {
  const Cidr masked = destination.Masked();
  if (by_prefix_.erase(masked) == 0) return false;
  std::erase_if(routes_, [&masked](const Route& route) {
    return route.destination == masked;
  });
  std::vector<Length>& lengths = LengthsOf(masked);
  const auto place = std::find_if(
      lengths.begin(), lengths.end(), [&masked](const Length& length) {
        return length.prefix_length == masked.prefix_length;
      });
  if (--place->routes == 0) lengths.erase(place);
  return true;
}

std::optional<InterfaceId> Routes::Find(const IpAddress& destination) const {
  const auto family = static_cast<size_t>(destination.family());
  for (const Length& length : lengths_[family]) {
    if (const auto id = FindExact({destination, length.prefix_length})) {
      return id;
    }
  }
  return std::nullopt;
}

std::optional<InterfaceId> Routes::FindExact(const Cidr& destination) const {
  const auto it = by_prefix_.find(destination.Masked());
  if (it == by_prefix_.end()) return std::nullopt;
  return it->second;
}

std::optional<IpAddress> ChooseSource(std::span<const Cidr> addresses,
                                      const IpAddress& destination) {
  const Cidr* best = nullptr;
  std::tuple<bool, int, bool, int> most;
  for (const Cidr& own : addresses) {
    if (own.address.family() != destination.family()) continue;
    const auto suitability = Suitability(own, destination);
    if (best == nullptr || suitability > most) {
      best = &own;
      most = suitability;
    }
  }
  if (best == nullptr) return std::nullopt;
  return best->address;
}

}  // namespace tcpip::ip
