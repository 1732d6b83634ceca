#include "tcpip/stack/demux.h"

#include <algorithm>
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

bool IsDual(const IpEndpoint& local, BindRules rules) {
  return local.address == IpAddress() && !rules.v6_only;
}

IpEndpoint WildcardOf(const IpEndpoint& local) {
  return {IpAddress::Any(local.address.family()), local.port};
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

bool Demux::Census::Refuses(BindRules newcomer) const {
  for (const bool reuse_address : {false, true}) {
    for (const bool reuse_port : {false, true}) {
      const bool get_along = (reuse_address && newcomer.reuse_address) ||
                             (reuse_port && newcomer.reuse_port);
      if (!get_along && counts_[Index({reuse_address, reuse_port})] > 0) {
        return true;
      }
    }
  }
  return false;
}

void Demux::Receivers::Add(BindRules rules, uint32_t slot) {
  (rules.reuse_port ? sharing_ : alone_).push_back(slot);
}

void Demux::Receivers::Remove(BindRules rules, uint32_t slot) {
  std::vector<uint32_t>& slots = rules.reuse_port ? sharing_ : alone_;
  const auto it = std::find(slots.begin(), slots.end(), slot);
  assert(it != slots.end());
  slots.erase(it);
}

uint32_t Demux::Receivers::For(const FourTuple& tuple,
                               const FlowHash& hash) const {
  if (sharing_.empty()) return alone_.back();
  if (sharing_.size() == 1) return sharing_.front();
  const uint64_t high_bits = uint64_t{hash(tuple)} >> 32;
  return sharing_[high_bits * sharing_.size() >> 32];
}

Demux::Demux(Rng& rng) : hash_(rng), flows_(0, hash_) {}

bool Demux::AddFlow(const FourTuple& tuple, uint32_t slot) {
  return flows_.emplace(tuple, slot).second;
}

void Demux::RemoveFlow(const FourTuple& tuple) { flows_.erase(tuple); }

std::optional<uint32_t> Demux::FindFlow(const FourTuple& tuple) const {
  const auto it = flows_.find(tuple);
  if (it == flows_.end()) return std::nullopt;
  return it->second;
}

bool Demux::Conflicts(const IpEndpoint& local, BindRules rules) const {
  const auto it = ports_.find(local.port);
  if (it == ports_.end()) return false;
  const Port& port = it->second;
  const bool is_ipv4 = local.address.IsIpv4();
  if (is_ipv4 && port.dual.holders.Refuses(rules)) return true;
  if (local.address.IsUnspecified()) {
    if (!is_ipv4 && port.ipv6.Refuses(rules)) return true;
    return (is_ipv4 || IsDual(local, rules)) && port.ipv4.Refuses(rules);
  }
  for (const IpEndpoint& covering : {local, WildcardOf(local)}) {
    const auto bound = bound_.find(covering);
    if (bound != bound_.end() && bound->second.holders.Refuses(rules)) {
      return true;
    }
  }
  return false;
}

bool Demux::Bind(const IpEndpoint& local, BindRules rules) {
  if (Conflicts(local, rules)) return false;
  bound_[local].holders.Add(rules);
  Port& port = ports_[local.port];
  (local.address.IsIpv4() ? port.ipv4 : port.ipv6).Add(rules);
  if (IsDual(local, rules)) port.dual.holders.Add(rules);
  return true;
}

void Demux::Unbind(const IpEndpoint& local, BindRules rules) {
  const auto bound = bound_.find(local);
  const auto it = ports_.find(local.port);
  assert(bound != bound_.end() && it != ports_.end());
  bound->second.holders.Remove(rules);
  if (bound->second.holders.empty()) bound_.erase(bound);
  Port& port = it->second;
  (local.address.IsIpv4() ? port.ipv4 : port.ipv6).Remove(rules);
  if (IsDual(local, rules)) port.dual.holders.Remove(rules);
  if (port.ipv4.empty() && port.ipv6.empty()) ports_.erase(it);
}

void Demux::AddReceiver(const IpEndpoint& local, BindRules rules,
                        uint32_t slot) {
  bound_.at(local).receivers.Add(rules, slot);
  if (IsDual(local, rules)) {
    ports_.at(local.port).dual.receivers.Add(rules, slot);
  }
}

void Demux::RemoveReceiver(const IpEndpoint& local, BindRules rules,
                           uint32_t slot) {
  bound_.at(local).receivers.Remove(rules, slot);
  if (IsDual(local, rules)) {
    ports_.at(local.port).dual.receivers.Remove(rules, slot);
  }
}

std::optional<uint32_t> Demux::FindReceiver(const FourTuple& tuple) const {
  for (const IpEndpoint& local : {tuple.local, WildcardOf(tuple.local)}) {
    const auto it = bound_.find(local);
    if (it != bound_.end() && !it->second.receivers.empty()) {
      return it->second.receivers.For(tuple, hash_);
    }
  }
  if (tuple.local.address.IsIpv6()) return std::nullopt;
  const auto it = ports_.find(tuple.local.port);
  if (it == ports_.end() || it->second.dual.receivers.empty()) {
    return std::nullopt;
  }
  return it->second.dual.receivers.For(tuple, hash_);
}

}  // namespace tcpip
