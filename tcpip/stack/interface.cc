#include "tcpip/stack/interface.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tcpip/network/ip.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/tcp.h"

namespace tcpip {

Interface::Interface(InterfaceId id, const InterfaceConfig& config,
                     uint32_t max_packets)
    : id_(id), config_(config), output_(max_packets) {}

absl::Status Interface::AddAddress(const Cidr& address) {
  const IpAddress& ip = address.address;
  if (ip.IsUnspecified() || ip.IsMulticast() || ip.IsIpv4Broadcast() ||
      address.prefix_length > (ip.IsIpv4() ? 32 : 128) ||
      address.IsBroadcast(ip)) {
    return absl::InvalidArgumentError(
        absl::StrCat(address.ToString(), " cannot be a host's address"));
  }
  if (ip.IsLoopback() && !config_.loopback) {
    return absl::InvalidArgumentError(absl::StrCat(
        address.ToString(), " is for the loopback, not for ", config_.name));
  }
  if (ip.IsIpv6() && config_.mtu < wire::kIpv6MinMtu) {
    // [RFC 8200 5] [fault L14]
    return absl::FailedPreconditionError(
        absl::StrCat("IPv6 needs an MTU of ", wire::kIpv6MinMtu, ", ",
                     config_.name, " has ", config_.mtu));
  }
  for (const Cidr& own : addresses_) {
    if (own.address == ip) {
      return absl::AlreadyExistsError(
          absl::StrCat(config_.name, " has ", own.ToString(), " already"));
    }
  }
  addresses_.push_back(address);
  return absl::OkStatus();
}

absl::Status Interface::RemoveAddress(const IpAddress& address) {
  const auto is_it = [&address](const Cidr& own) {
    return own.address == address;
  };
  if (std::erase_if(addresses_, is_it) == 0) {
    return absl::NotFoundError(
        absl::StrCat(config_.name, " has no address ", address.ToString()));
  }
  return absl::OkStatus();
}

bool Interface::Owns(const IpAddress& address) const {
  for (const Cidr& own : addresses_) {
    if (own.address == address ||
        (own.address.IsLoopback() && own.Contains(address))) {
      return true;
    }
  }
  return false;
}

bool Interface::IsBroadcast(const IpAddress& address) const {
  return std::any_of(
      addresses_.begin(), addresses_.end(),
      [&address](const Cidr& own) { return own.IsBroadcast(address); });
}

void Interface::SetCapabilities(const LinkCapabilities& capabilities) {
  config_.mtu = capabilities.mtu;
  config_.max_gso_bytes_ipv4 = capabilities.max_gso_bytes_ipv4;
  config_.max_gso_bytes_ipv6 = capabilities.max_gso_bytes_ipv6;
  config_.checksum_offload = capabilities.checksum_offload;
}

tcp::PathFacts Interface::PathFor(IpFamily family) const {
  // A super-segment's length must fit the IP header, too.
  constexpr uint32_t kMaxMss = 0xffff;
  const uint32_t headers = ip::HeaderSize(family) + wire::kTcpHeaderSize;
  const uint32_t max_gso = family == IpFamily::kIpv4
                               ? config_.max_gso_bytes_ipv4
                               : config_.max_gso_bytes_ipv6;
  const uint32_t mss = config_.mtu > headers ? config_.mtu - headers : 0;
  return {.mss = static_cast<uint16_t>(
              std::clamp<uint32_t>(mss, tcp::kMinMss, kMaxMss - headers)),
          .max_gso_bytes = std::min(max_gso, tcp::kMaxSuperSegment),
          .default_mss = family == IpFamily::kIpv4 ? tcp::kDefaultMssIpv4
                                                   : tcp::kDefaultMssIpv6};
}

}  // namespace tcpip
