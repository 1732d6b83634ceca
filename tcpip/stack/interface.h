// One link as the stack sees it: its capabilities, our addresses on it, and
// what waits to leave by it.
#ifndef TCPIP_STACK_INTERFACE_H_
#define TCPIP_STACK_INTERFACE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "tcpip/link/link.h"
#include "tcpip/network/ip_facts.h"
#include "tcpip/network/routes.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/output_queue.h"
#include "tcpip/transport/tcp/offer.h"
#include "tcpip/wire/address.h"

namespace tcpip {

class Interface {
 public:
  // `max_packets` bounds each queue of whole packets.
  Interface(InterfaceId id, const InterfaceConfig& config,
            uint32_t max_packets);
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;

  // INVALID_ARGUMENT for what cannot be a host's address or belongs to the
  // loopback, FAILED_PRECONDITION for IPv6 where the MTU is too small for it,
  // ALREADY_EXISTS, NOT_FOUND.
  absl::Status AddAddress(const Cidr& address);
  absl::Status RemoveAddress(const IpAddress& address);
  std::span<const Cidr> addresses() const { return addresses_; }

  // One of our addresses here. On a loopback all of 127/8 is, as on Linux.
  bool Owns(const IpAddress& address) const;

  // The broadcast address of one of our prefixes here.
  bool IsBroadcast(const IpAddress& address) const;

  // What the link can do for packets made from now on.
  void SetCapabilities(const LinkCapabilities& capabilities);

  // What a connection of the family may send in one segment.
  tcp::PathFacts PathFor(IpFamily family) const;

  ip::Ingress ingress() const {
    return config_.loopback ? ip::Ingress::kLoopback : ip::Ingress::kLink;
  }
  InterfaceId id() const { return id_; }
  const InterfaceConfig& config() const { return config_; }
  OutputQueue& output() { return output_; }

 private:
  InterfaceId id_;
  InterfaceConfig config_;
  std::vector<Cidr> addresses_;
  OutputQueue output_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_INTERFACE_H_
