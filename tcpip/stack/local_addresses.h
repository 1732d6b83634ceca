// Which addresses are ours, and which mean everybody on a network of ours: one
// look-up, however many addresses there are. RFC 1122 3.2.1.3.
//
// Kept by Interfaces, asked for both addresses of every packet. Weak host
// model: an address counts whichever interface it is on, and as often as it
// was added. Where it is both, ours and a broadcast address of a wider prefix,
// it is ours.
#ifndef TCPIP_STACK_LOCAL_ADDRESSES_H_
#define TCPIP_STACK_LOCAL_ADDRESSES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tcpip/wire/address.h"

namespace tcpip {

enum class AddressRole : uint8_t {
  kForeign,
  kOwn,
  kBroadcast,  // of one of our prefixes
};

class LocalAddresses {
 public:
  // The address and prefix of an interface.
  void Add(const Cidr& own);
  // As it was added.
  void Remove(const Cidr& own);

  AddressRole RoleOf(const IpAddress& address) const;

 private:
  struct Uses {
    uint32_t own = 0;
    uint32_t broadcast = 0;
  };
  void Release(const IpAddress& address, uint32_t Uses::*count);

  absl::flat_hash_map<IpAddress, Uses> uses_;
  std::vector<Cidr> loopback_;  // [fault F17] all of 127/8 is ours, as on Linux
};

}  // namespace tcpip

#endif  // TCPIP_STACK_LOCAL_ADDRESSES_H_
