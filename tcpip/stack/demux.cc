#include "tcpip/stack/demux.h"

#include <algorithm>
#include <cassert>

namespace tcpip {

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

void Demux::Receivers::Add(BindRules rules, uint32_t index) {
  (rules.reuse_port ? sharing_ : alone_).push_back(index);
}

void Demux::Receivers::Remove(BindRules rules, uint32_t index) {
  Indices& indices = rules.reuse_port ? sharing_ : alone_;
  const auto it = std::find(indices.begin(), indices.end(), index);
  assert(it != indices.end());
  indices.erase(it);
}

uint32_t Demux::Receivers::For(const FourTuple& tuple,
                               const FlowHash& hash) const {
  if (sharing_.empty()) return alone_.back();
  if (sharing_.size() == 1) return sharing_.front();
  const uint64_t high_bits = uint64_t{hash(tuple)} >> 32;
  return sharing_[high_bits * sharing_.size() >> 32];
}

Demux::Demux(Rng& rng) : hash_(rng) {}

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
  if (port.any(local.address.family()).holders.Refuses(rules)) return true;
  const auto bound = bound_.find(local);
  return bound != bound_.end() && bound->second.holders.Refuses(rules);
}

Demux::Bound& Demux::BoundAt(const IpEndpoint& local, Port& port) {
  if (!local.address.IsUnspecified()) return bound_[local];
  return local.address.IsIpv4() ? port.any4 : port.any6;
}

bool Demux::Bind(const IpEndpoint& local, BindRules rules) {
  if (Conflicts(local, rules)) return false;
  Port& port = ports_[local.port];
  port.holders(local.address.family()).Add(rules);
  if (!local.address.IsUnspecified()) ++port.specific;
  BoundAt(local, port).holders.Add(rules);
  if (IsDual(local, rules)) port.dual.holders.Add(rules);
  return true;
}

void Demux::Unbind(const IpEndpoint& local, BindRules rules) {
  const auto it = ports_.find(local.port);
  assert(it != ports_.end());
  Port& port = it->second;
  port.holders(local.address.family()).Remove(rules);
  Bound& bound = BoundAt(local, port);
  bound.holders.Remove(rules);
  if (IsDual(local, rules)) port.dual.holders.Remove(rules);
  if (!local.address.IsUnspecified()) {
    --port.specific;
    if (bound.holders.empty()) bound_.erase(local);
  }
  if (port.ipv4.empty() && port.ipv6.empty()) ports_.erase(it);
}

void Demux::AddReceiver(const IpEndpoint& local, BindRules rules,
                        uint32_t index) {
  Port& port = ports_[local.port];
  BoundAt(local, port).receivers.Add(rules, index);
  if (IsDual(local, rules)) port.dual.receivers.Add(rules, index);
}

void Demux::RemoveReceiver(const IpEndpoint& local, BindRules rules,
                           uint32_t index) {
  Port& port = ports_[local.port];
  BoundAt(local, port).receivers.Remove(rules, index);
  if (IsDual(local, rules)) port.dual.receivers.Remove(rules, index);
}

std::optional<uint32_t> Demux::FindReceiver(const FourTuple& tuple) const {
  const auto it = ports_.find(tuple.local.port);
  if (it == ports_.end()) return std::nullopt;
  const Port& port = it->second;
  if (port.specific > 0) {
    const auto bound = bound_.find(tuple.local);
    if (bound != bound_.end() && !bound->second.receivers.empty()) {
      return bound->second.receivers.For(tuple, hash_);
    }
  }
  const IpFamily family = tuple.local.address.family();
  const Receivers& any = port.any(family).receivers;
  if (!any.empty()) return any.For(tuple, hash_);
  if (family == IpFamily::kIpv4 && !port.dual.receivers.empty()) {
    return port.dual.receivers.For(tuple, hash_);
  }
  return std::nullopt;
}

}  // namespace tcpip
