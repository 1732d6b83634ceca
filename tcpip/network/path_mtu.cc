#include "tcpip/network/path_mtu.h"

#include <algorithm>
#include <utility>

#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"

namespace tcpip::ip {

std::optional<uint32_t> PathMtuCache::OnTooBig(const IpAddress& destination,
                                               uint32_t reported,
                                               uint32_t link_mtu, Instant now) {
  const uint32_t mtu = Credible(reported, destination.family());
  if (mtu >= link_mtu) return std::nullopt;
  Entry& entry = At(destination);
  // [RFC 8201 4] a message never raises the estimate, nor keeps a smaller one
  // alive
  if (mtu > entry.mtu) return entry.mtu;
  entry.mtu = mtu;
  entry.expires = now + limits_.lifetime;
  entry.Unlink();
  by_age_.PushBack(entry);
  return mtu;
}

uint32_t PathMtuCache::Credible(uint32_t reported, IpFamily family) const {
  // [RFC 8201 4] less than IPv6's minimum means that minimum
  if (family == IpFamily::kIpv6) return std::max(reported, wire::kIpv6MinMtu);
  // [RFC 1191 5] without an MTU the simplest answer is the smallest; routers
  // that send none are too rare for a search down the plateaus
  return std::max({reported, limits_.floor_ipv4, wire::kIpv4MinMtu});
}

PathMtuCache::Entry& PathMtuCache::At(const IpAddress& destination) {
  if (const auto it = entries_.find(destination); it != entries_.end()) {
    return *it->second;
  }
  if (entries_.size() >= limits_.max_entries) ForgetOldest();
  auto entry = std::make_unique<Entry>();
  entry->destination = destination;
  entry->mtu = UINT32_MAX;
  return *entries_.emplace(destination, std::move(entry)).first->second;
}

uint32_t PathMtuCache::Find(const IpAddress& destination,
                            uint32_t link_mtu) const {
  if (entries_.empty()) return link_mtu;
  const auto it = entries_.find(destination);
  if (it == entries_.end()) return link_mtu;
  return std::min(it->second->mtu, link_mtu);
}

void PathMtuCache::OnTimer(Instant now) {
  while (!by_age_.empty() && by_age_.front().expires <= now) ForgetOldest();
}

void PathMtuCache::ForgetOldest() {
  const IpAddress destination = by_age_.PopFront().destination;
  entries_.erase(destination);
}

Instant PathMtuCache::NextDeadline() const {
  return by_age_.empty() ? Instant::Never() : by_age_.front().expires;
}

}  // namespace tcpip::ip
