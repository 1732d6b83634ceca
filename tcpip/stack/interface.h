// One link as the stack sees it: its capabilities, our addresses on it, and
// what waits to leave by it. Owned by Interfaces, which choose among several
// and know the routes; does no I/O.
#ifndef TCPIP_STACK_INTERFACE_H_
#define TCPIP_STACK_INTERFACE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "tcpip/link/link.h"
#include "tcpip/network/interface_id.h"
#include "tcpip/network/ip_facts.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/output_queue.h"
#include "tcpip/transport/tcp/offer.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/ipv6.h"

namespace tcpip {

// TCP's payload of one packet of `mtu` bytes, options left out of account.
// [RFC 9293 3.7.1]
uint16_t MssFor(IpFamily family, uint32_t mtu);

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

  // What the link can do for packets made from now on. Its MTU is a fact, even
  // where IPv6 cannot do with it; one outside 68..65535 is not taken over.
  void SetCapabilities(const LinkCapabilities& capabilities);

  // A link with less than IPv6's smallest MTU carries none of it: our addresses
  // wait until it grows again. [RFC 8200 5] [fault L14]
  bool Carries(IpFamily family) const {
    return config_.link.mtu >= wire::kIpv6MinMtu || family == IpFamily::kIpv4;
  }

  // What a connection of the family may send in one segment on a path that
  // takes packets of `path_mtu` bytes.
  tcp::PathFacts PathFor(IpFamily family, uint32_t path_mtu) const;

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
