#include "tcpip/stack/demux.h"

#include <cassert>
#include <cstring>

namespace tcpip {
namespace {

uint64_t MultiplyFold(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

struct Halves {
  uint64_t low;
  uint64_t high;
};

Halves Load(const IpAddress& address) {
  Halves halves;
  std::memcpy(&halves.low, address.mapped_bytes().data(), 8);
  std::memcpy(&halves.high, address.mapped_bytes().data() + 8, 8);
  return halves;
}

uint32_t PortKey(const IpEndpoint& local) {
  return uint32_t{local.port} | (local.address.IsIpv4() ? 1u << 16 : 0);
}

}  // namespace

FlowHash::FlowHash(Rng& rng) {
  for (uint64_t& word : key_) word = rng.Next() | 1;
}

size_t FlowHash::operator()(const FourTuple& tuple) const {
  const Halves local = Load(tuple.local.address);
  const Halves remote = Load(tuple.remote.address);
  const uint64_t ports = uint64_t{tuple.local.port} << 16 | tuple.remote.port;
  const uint64_t addresses =
      MultiplyFold(local.low ^ key_[0], local.high ^ key_[1]) ^
      MultiplyFold(remote.low ^ key_[2], remote.high ^ key_[3]);
  return static_cast<size_t>(MultiplyFold(addresses ^ ports, key_[4]));
}

Demux::Demux(Rng& rng) : flows_(0, FlowHash(rng)) {}

bool Demux::AddFlow(const FourTuple& tuple, uint32_t slot) {
  return flows_.emplace(tuple, slot).second;
}

void Demux::RemoveFlow(const FourTuple& tuple) { flows_.erase(tuple); }

std::optional<uint32_t> Demux::FindFlow(const FourTuple& tuple) const {
  const auto it = flows_.find(tuple);
  if (it == flows_.end()) return std::nullopt;
  return it->second;
}

bool Demux::AddBound(const IpEndpoint& local, uint32_t slot) {
  const IpEndpoint any = {IpAddress::Any(local.address.family()), local.port};
  if (local == any ? bound_ports_.contains(PortKey(local))
                   : bound_.contains(any)) {
    return false;
  }
  if (!bound_.emplace(local, slot).second) return false;
  ++bound_ports_[PortKey(local)];
  return true;
}

void Demux::RemoveBound(const IpEndpoint& local) {
  if (bound_.erase(local) == 0) return;
  const auto it = bound_ports_.find(PortKey(local));
  assert(it != bound_ports_.end());
  if (--it->second == 0) bound_ports_.erase(it);
}

std::optional<uint32_t> Demux::FindExact(const IpEndpoint& local) const {
  const auto it = bound_.find(local);
  if (it == bound_.end()) return std::nullopt;
  return it->second;
}

std::optional<uint32_t> Demux::FindBound(const IpEndpoint& local) const {
  if (const auto slot = FindExact(local)) return slot;
  if (local.address.IsIpv4()) {
    const IpAddress any = IpAddress::Any(IpFamily::kIpv4);
    if (const auto slot = FindExact({any, local.port})) return slot;
  }
  return FindExact({IpAddress::Any(IpFamily::kIpv6), local.port});
}

}  // namespace tcpip
