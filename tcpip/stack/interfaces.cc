#include "tcpip/stack/interfaces.h"

#include "absl/strings/str_cat.h"
#include "tcpip/wire/ipv6.h"

namespace tcpip {
namespace {

// An address that can stand for exactly one host.
bool IsUnicast(const IpAddress& address) {
  return !address.IsUnspecified() && !address.IsMulticast() &&
         !address.IsIpv4Broadcast();
}

// [RFC 1122 3.2.1.3] (g), [RFC 4291 2.5.3] the addresses of the loopback are on
// no link, even where others may be forged
absl::Status CheckStaysInside(const Interface& egress, const IpAddress& remote,
                              const std::optional<IpAddress>& local) {
  if (egress.config().loopback) return absl::OkStatus();
  if (remote.IsLoopback()) {
    return absl::UnavailableError(absl::StrCat(
        remote.ToString(), " is the loopback's and there is none"));
  }
  if (local && local->IsLoopback()) {
    return absl::InvalidArgumentError(
        absl::StrCat(local->ToString(), " is the loopback's and cannot reach ",
                     remote.ToString()));
  }
  return absl::OkStatus();
}

// Has it an address in that very prefix?
bool IsIn(const Interface& interface, const Cidr& prefix) {
  for (const Cidr& own : interface.addresses()) {
    if (own.Masked() == prefix) return true;
  }
  return false;
}

absl::Status NoInterface(InterfaceId id) {
  return absl::NotFoundError(absl::StrCat("no interface ", id));
}

}  // namespace

InterfaceId Interfaces::Add(const InterfaceConfig& config) {
  const auto id = static_cast<InterfaceId>(interfaces_.size());
  interfaces_.push_back(std::make_unique<Interface>(id, config, max_packets_));
  if (config.loopback && loopback_ == nullptr) {
    loopback_ = interfaces_.back().get();
  }
  any_address_ |= config.any_address;
  return id;
}

Interface* Interfaces::Find(InterfaceId id) {
  return id < interfaces_.size() ? interfaces_[id].get() : nullptr;
}

absl::Status Interfaces::AddAddress(InterfaceId id, const Cidr& address) {
  Interface* const interface = Find(id);
  if (interface == nullptr) return NoInterface(id);
  absl::Status status = interface->AddAddress(address);
  if (!status.ok()) return status;
  addresses_.Add(address);
  choices_.fill({});
  if (routes_.Add({address, id})) on_link_.insert(address.Masked());
  return status;
}

absl::Status Interfaces::RemoveAddress(InterfaceId id,
                                       const IpAddress& address) {
  Interface* const interface = Find(id);
  if (interface == nullptr) return NoInterface(id);
  Cidr removed;
  for (const Cidr& own : interface->addresses()) {
    if (own.address == address) removed = own;
  }
  if (absl::Status status = interface->RemoveAddress(address); !status.ok()) {
    return status;
  }
  addresses_.Remove(removed);
  choices_.fill({});
  ReleasePrefix(removed.Masked());
  return absl::OkStatus();
}

void Interfaces::ReleasePrefix(const Cidr& prefix) {
  if (!on_link_.contains(prefix)) return;
  if (IsIn(*interfaces_[*routes_.FindExact(prefix)], prefix)) return;
  routes_.Remove(prefix);
  for (const std::unique_ptr<Interface>& other : interfaces_) {
    if (!IsIn(*other, prefix)) continue;
    routes_.Add({prefix, other->id()});
    return;
  }
  on_link_.erase(prefix);
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
  on_link_.erase(destination.Masked());
  return absl::OkStatus();
}

bool Interfaces::IsGroup(const IpAddress& address) const {
  return address.IsMulticast() || address.IsIpv4Broadcast() ||
         addresses_.RoleOf(address) == AddressRole::kBroadcast;
}

bool Interfaces::Accepts(const Interface& ingress,
                         const IpAddress& destination) const {
  if (!ingress.Carries(destination.family())) return false;
  const AddressRole role = addresses_.RoleOf(destination);
  if (role == AddressRole::kOwn) return true;
  return ingress.config().any_address && role != AddressRole::kBroadcast &&
         IsUnicast(destination);
}

bool Interfaces::IsCredible(const Interface& ingress,
                            const IpAddress& source) const {
  switch (addresses_.RoleOf(source)) {
    case AddressRole::kForeign:
      return true;
    case AddressRole::kOwn:
      return ingress.config().loopback;
    case AddressRole::kBroadcast:
      return false;
  }
  return false;
}

absl::Status Interfaces::CheckBind(const IpAddress& address) const {
  if (address.IsUnspecified() || Owns(address)) return absl::OkStatus();
  if (any_address_ && IsUnicast(address)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(address.ToString(), " is not an address of ours"));
}

absl::StatusOr<Interface*> Interfaces::Towards(const IpAddress& remote,
                                               AddressRole role) {
  if (role == AddressRole::kOwn) {
    if (loopback_ == nullptr) {
      return absl::UnavailableError(absl::StrCat(
          remote.ToString(), " is our own and there is no loopback"));
    }
    return loopback_;
  }
  const std::optional<InterfaceId> id = routes_.Find(remote);
  if (!id) {
    return absl::UnavailableError(
        absl::StrCat("no route to ", remote.ToString()));
  }
  return interfaces_[*id].get();
}

std::optional<IpAddress> Interfaces::SourceFor(const Interface& interface,
                                               const IpAddress& remote) {
  // As Linux: we speak to an address of ours from that address, which may be
  // on another interface than the loopback.
  if (interface.config().loopback && !remote.IsLoopback()) return remote;
  static_assert(std::tuple_size_v<decltype(choices_)> == 1 << 6);
  SourceChoice& last = choices_[SpreadOf(remote) >> (32 - 6)];
  if (last.interface == &interface && last.remote == remote) return last.source;
  const std::optional<IpAddress> source =
      ip::ChooseSource(interface.addresses(), remote);
  if (source) last = {&interface, remote, *source};
  return source;
}

absl::StatusOr<Path> Interfaces::PathTo(const IpAddress& remote,
                                        const std::optional<IpAddress>& local) {
  const AddressRole role = addresses_.RoleOf(remote);
  // [RFC 9293 3.9.1.1 MUST-46]
  if (!IsUnicast(remote) || role == AddressRole::kBroadcast) {
    return absl::InvalidArgumentError(
        absl::StrCat(remote.ToString(), " is not the address of a host"));
  }
  const absl::StatusOr<Interface*> interface = Towards(remote, role);
  if (!interface.ok()) return interface.status();
  if (!(*interface)->Carries(remote.family())) {
    return absl::UnavailableError(absl::StrCat(
        (*interface)->config().name, " carries no IPv6: its MTU is ",
        (*interface)->config().link.mtu, ", less than ", wire::kIpv6MinMtu));
  }
  absl::Status stays = CheckStaysInside(**interface, remote, local);
  if (!stays.ok()) return stays;
  const uint32_t mtu = MtuTowards(**interface, remote);
  if (local && !local->IsUnspecified()) {
    if (local->family() != remote.family() ||
        (!Owns(*local) && !(*interface)->config().spoofing)) {
      return absl::InvalidArgumentError(
          absl::StrCat(local->ToString(), " is not an address of ours for ",
                       remote.ToString()));
    }
    return Path{*interface, *local, mtu};
  }
  const std::optional<IpAddress> source = SourceFor(**interface, remote);
  if (!source) {
    return absl::UnavailableError(
        absl::StrCat((*interface)->config().name, " has no ",
                     remote.IsIpv4() ? "IPv4" : "IPv6", " address"));
  }
  return Path{*interface, *source, mtu};
}

}  // namespace tcpip
