// RecentDestinations: whom datagrams were sent to from which port, lately. An
// ICMP error quotes a datagram; for what went to another than a socket's peer
// this is all there is to check the quotation against. RFC 5927 4.1, RFC 8085
// 5.2.
//
// A table of fixed size in which a destination displaces the one that shares
// its place: only our own sends get in, so the hash needs no key. Used by
// stack/datagrams; by stack/echo_paths with identifiers, where strangers choose
// and at worst displace each other's. Knows no time: what is not displaced
// stays.
#ifndef TCPIP_STACK_RECENT_DESTINATIONS_H_
#define TCPIP_STACK_RECENT_DESTINATIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tcpip/wire/address.h"

namespace tcpip {

class RecentDestinations {
 public:
  static constexpr size_t kPlaces = 1024;

  void Add(uint16_t local_port, const IpAddress& remote) {
    if (places_.empty()) places_.resize(kPlaces);
    places_[PlaceOf(local_port, remote)] = {remote, local_port};
  }

  bool Has(uint16_t local_port, const IpAddress& remote) const {
    return !places_.empty() && places_[PlaceOf(local_port, remote)] ==
                                   Destination{remote, local_port};
  }

 private:
  struct Destination {
    IpAddress remote;
    uint16_t local_port = 0;

    friend bool operator==(const Destination&, const Destination&) = default;
  };

  static size_t PlaceOf(uint16_t local_port, const IpAddress& remote) {
    return (SpreadOf(remote, local_port) >> 16) % kPlaces;
  }

  std::vector<Destination> places_;  // none until something is sent
};

}  // namespace tcpip

#endif  // TCPIP_STACK_RECENT_DESTINATIONS_H_
