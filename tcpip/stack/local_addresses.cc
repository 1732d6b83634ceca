#include "tcpip/stack/local_addresses.h"

#include <algorithm>
#include <optional>

namespace tcpip {

void LocalAddresses::Add(const Cidr& own) {
  if (own.address.IsLoopback()) {
    loopback_.push_back(own);
    return;
  }
  ++uses_[own.address].own;
  if (const std::optional<IpAddress> all = own.Broadcast()) {
    ++uses_[*all].broadcast;
  }
}

void LocalAddresses::Remove(const Cidr& own) {
  if (own.address.IsLoopback()) {
    const auto it = std::find(loopback_.begin(), loopback_.end(), own);
    if (it != loopback_.end()) loopback_.erase(it);
    return;
  }
  Release(own.address, &Uses::own);
  if (const std::optional<IpAddress> all = own.Broadcast()) {
    Release(*all, &Uses::broadcast);
  }
}

void LocalAddresses::Release(const IpAddress& address, uint32_t Uses::*count) {
  const auto it = uses_.find(address);
  if (it == uses_.end()) return;
  --(it->second.*count);
  if (it->second.own == 0 && it->second.broadcast == 0) uses_.erase(it);
}

AddressRole LocalAddresses::RoleOf(const IpAddress& address) const {
  const auto it = uses_.find(address);
  if (it != uses_.end()) {
    return it->second.own > 0 ? AddressRole::kOwn : AddressRole::kBroadcast;
  }
  if (address.IsLoopback()) {
    for (const Cidr& own : loopback_) {
      if (own.IsBroadcast(address)) return AddressRole::kBroadcast;
      if (own.Contains(address)) return AddressRole::kOwn;
    }
  }
  return AddressRole::kForeign;
}

}  // namespace tcpip
