#include "tcpip/stack/interface.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/network/ip.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"

namespace tcpip {
namespace {

bool IsMtu(uint32_t mtu) {
  return mtu >= wire::kIpv4MinMtu && mtu <= wire::kMaxIpv4Packet;
}

}  // namespace

uint16_t MssFor(IpFamily family, uint32_t mtu) {
  const uint32_t headers = ip::HeaderSize(family) + wire::kTcpHeaderSize;
  return static_cast<uint16_t>(
      std::clamp<uint32_t>(mtu > headers ? mtu - headers : 0, tcp::kMinMss,
                           wire::kMaxIpv4Packet - headers));
}

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
  if (ip.IsIpv6() && config_.link.mtu < wire::kIpv6MinMtu) {
    // [RFC 8200 5] [fault L14]
    return absl::FailedPreconditionError(
        absl::StrCat("IPv6 needs an MTU of ", wire::kIpv6MinMtu, ", ",
                     config_.name, " has ", config_.link.mtu));
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

void Interface::SetCapabilities(const LinkCapabilities& capabilities) {
  const uint32_t mtu_before = config_.link.mtu;
  config_.link = capabilities;
  if (!IsMtu(capabilities.mtu)) config_.link.mtu = mtu_before;
}

tcp::PathFacts Interface::PathFor(IpFamily family, uint32_t path_mtu) const {
  const LinkCapabilities& link = config_.link;
  const bool cuts = family == IpFamily::kIpv4 ? link.tx.tso4 : link.tx.tso6;
  return {
      .mss = MssFor(family, link.mtu),
      .path_mss = MssFor(family, path_mtu),
      .max_gso_bytes = cuts ? std::min(link.max_gso_bytes, kMaxGsoPayload) : 0,
      .default_mss = family == IpFamily::kIpv4 ? tcp::kDefaultMssIpv4
                                               : tcp::kDefaultMssIpv6};
}

}  // namespace tcpip
