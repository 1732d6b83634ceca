#include "tcpip/stack/interfaces.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tcpip {
namespace {

// An address that can stand for exactly one host.
bool IsUnicast(const IpAddress& address) {
  return !address.IsUnspecified() && !address.IsMulticast() &&
         !address.IsIpv4Broadcast();
}

absl::Status NoInterface(InterfaceId id) {
  return absl::NotFoundError(absl::StrCat("no interface ", id));
}

}  // namespace

InterfaceId Interfaces::Add(const InterfaceConfig& config) {
  const auto id = static_cast<InterfaceId>(interfaces_.size());
  interfaces_.push_back(std::make_unique<Interface>(id, config, max_packets_));
  return id;
}

Interface* Interfaces::Find(InterfaceId id) {
  return id < interfaces_.size() ? interfaces_[id].get() : nullptr;
}

Interface* Interfaces::Loopback() {
  for (const auto& interface : interfaces_) {
    if (interface->config().loopback) return interface.get();
  }
  return nullptr;
}

absl::Status Interfaces::AddAddress(InterfaceId id, const Cidr& address) {
  Interface* const interface = Find(id);
  if (interface == nullptr) return NoInterface(id);
  absl::Status status = interface->AddAddress(address);
  // There may be a route to the prefix already; it stays as it is.
  if (status.ok()) routes_.Add({address, id});
  return status;
}

absl::Status Interfaces::RemoveAddress(InterfaceId id,
                                       const IpAddress& address) {
  Interface* const interface = Find(id);
  if (interface == nullptr) return NoInterface(id);
  Cidr removed;
  bool prefix_still_used = false;
  for (const Cidr& own : interface->addresses()) {
    if (own.address == address) removed = own;
  }
  if (absl::Status status = interface->RemoveAddress(address); !status.ok()) {
    return status;
  }
  for (const Cidr& own : interface->addresses()) {
    prefix_still_used |= own.Masked() == removed.Masked();
  }
  if (!prefix_still_used) {
    for (const Route& route : routes_.routes()) {
      if (route == Route{removed.Masked(), id}) {
        routes_.Remove(removed);
        break;
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Interfaces::AddRoute(const Route& route) {
  if (Find(route.interface) == nullptr) return NoInterface(route.interface);
  if (!routes_.Add(route)) {
    return absl::AlreadyExistsError(absl::StrCat(
        "there is a route to ", route.destination.ToString(), " already"));
  }
  return absl::OkStatus();
}

absl::Status Interfaces::RemoveRoute(const Cidr& destination) {
  if (!routes_.Remove(destination)) {
    return absl::NotFoundError(
        absl::StrCat("no route to ", destination.ToString()));
  }
  return absl::OkStatus();
}

bool Interfaces::Owns(const IpAddress& address) const {
  return std::any_of(interfaces_.begin(), interfaces_.end(),
                     [&address](const std::unique_ptr<Interface>& interface) {
                       return interface->Owns(address);
                     });
}

bool Interfaces::IsBroadcast(const IpAddress& address) const {
  return std::any_of(interfaces_.begin(), interfaces_.end(),
                     [&address](const std::unique_ptr<Interface>& interface) {
                       return interface->IsBroadcast(address);
                     });
}

bool Interfaces::IsGroup(const IpAddress& address) const {
  return address.IsMulticast() || address.IsIpv4Broadcast() ||
         IsBroadcast(address);
}

bool Interfaces::Accepts(const Interface& ingress,
                         const IpAddress& destination) const {
  if (Owns(destination)) return true;
  return ingress.config().any_address && IsUnicast(destination) &&
         !IsBroadcast(destination);
}

absl::Status Interfaces::CheckBind(const IpAddress& address) const {
  if (address.IsUnspecified() || Owns(address)) return absl::OkStatus();
  for (const auto& interface : interfaces_) {
    if (interface->config().any_address && IsUnicast(address)) {
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat(address.ToString(), " is not an address of ours"));
}

absl::StatusOr<Interface*> Interfaces::Towards(const IpAddress& remote) {
  if (Owns(remote)) {
    Interface* const loopback = Loopback();
    if (loopback == nullptr) {
      return absl::UnavailableError(absl::StrCat(
          remote.ToString(), " is our own and there is no loopback"));
    }
    return loopback;
  }
  const std::optional<InterfaceId> id = routes_.Find(remote);
  if (!id) {
    return absl::UnavailableError(
        absl::StrCat("no route to ", remote.ToString()));
  }
  return interfaces_[*id].get();
}

std::optional<IpAddress> Interfaces::SourceFor(const Interface& interface,
                                               const IpAddress& remote) const {
  // As Linux: we speak to an address of ours from that address, which may be
  // on another interface than the loopback.
  if (interface.config().loopback && !remote.IsLoopback()) return remote;
  return ip::ChooseSource(interface.addresses(), remote);
}

absl::StatusOr<Path> Interfaces::PathTo(const IpAddress& remote,
                                        const std::optional<IpAddress>& local) {
  // [RFC 9293 3.9.2.3 MUST-46]
  if (!IsUnicast(remote) || IsBroadcast(remote)) {
    return absl::InvalidArgumentError(
        absl::StrCat(remote.ToString(), " is not the address of a host"));
  }
  const absl::StatusOr<Interface*> interface = Towards(remote);
  if (!interface.ok()) return interface.status();
  if (local && !local->IsUnspecified()) {
    if (local->family() != remote.family() ||
        (!Owns(*local) && !(*interface)->config().spoofing)) {
      return absl::InvalidArgumentError(
          absl::StrCat(local->ToString(), " is not an address of ours for ",
                       remote.ToString()));
    }
    return Path{*interface, *local};
  }
  const std::optional<IpAddress> source = SourceFor(**interface, remote);
  if (!source) {
    return absl::UnavailableError(
        absl::StrCat((*interface)->config().name, " has no ",
                     remote.IsIpv4() ? "IPv4" : "IPv6", " address"));
  }
  return Path{*interface, *source};
}

}  // namespace tcpip
