#include "service/claims.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace netstack::service {

using tcpip::Instant;

std::string Claims::Issue(const Claimed& claimed, Instant now) {
  const uint64_t words[2] = {rng_.Next(), rng_.Next()};
  static_assert(sizeof words == kTokenBytes);
  std::string token(reinterpret_cast<const char*>(words), kTokenBytes);
  Entries& entries = by_listener_[claimed.listener];
  entries.push_back({token, claimed, now + lifetime_});
  by_token_.emplace(token, std::prev(entries.end()));
  return token;
}

std::optional<Claimed> Claims::Redeem(const std::string& token, Instant now) {
  const auto found = by_token_.find(token);
  if (found == by_token_.end() || found->second->deadline <= now) {
    return std::nullopt;
  }
  const Claimed claimed = found->second->claimed;
  const auto listener = by_listener_.find(claimed.listener);
  Entries& entries = listener->second;
  auto later = entries.erase(found->second);
  by_token_.erase(found);
  for (; later != entries.end(); ++later) later->deadline = now + lifetime_;
  if (entries.empty()) by_listener_.erase(listener);
  return claimed;
}

std::vector<Claimed> Claims::Expire(Instant now) {
  std::vector<Claimed> expired;
  for (auto it = by_listener_.begin(); it != by_listener_.end();) {
    Entries& entries = it->second;
    while (!entries.empty() && entries.front().deadline <= now) {
      expired.push_back(entries.front().claimed);
      by_token_.erase(entries.front().token);
      entries.pop_front();
    }
    const auto at = it++;
    if (entries.empty()) by_listener_.erase(at);
  }
  return expired;
}

std::vector<Claimed> Claims::Revoke(uint64_t listener) {
  std::vector<Claimed> revoked;
  const auto found = by_listener_.find(listener);
  if (found == by_listener_.end()) return revoked;
  for (const Entry& entry : found->second) {
    revoked.push_back(entry.claimed);
    by_token_.erase(entry.token);
  }
  by_listener_.erase(found);
  return revoked;
}

Instant Claims::NextDeadline() const {
  Instant next = Instant::Never();
  for (const auto& [listener, entries] : by_listener_) {
    next = std::min(next, entries.front().deadline);
  }
  return next;
}

}  // namespace netstack::service
