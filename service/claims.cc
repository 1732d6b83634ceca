#include "service/claims.h"

#include <iterator>
#include <utility>

namespace netstack::service {

using tcpip::Instant;

std::string Claims::Issue(uint64_t listener, const Claimed& claimed,
                          Instant now) {
  const uint64_t words[2] = {rng_.Next(), rng_.Next()};
  static_assert(sizeof words == kTokenBytes);
  std::string token(reinterpret_cast<const char*>(words), kTokenBytes);
  in_order_.push_back({token, listener, claimed, now + lifetime_});
  by_token_.emplace(token, std::prev(in_order_.end()));
  return token;
}

std::optional<Claimed> Claims::Redeem(const std::string& token, Instant now) {
  const auto found = by_token_.find(token);
  if (found == by_token_.end() || found->second->deadline <= now) {
    return std::nullopt;
  }
  const Claimed claimed = found->second->claimed;
  in_order_.erase(found->second);
  by_token_.erase(found);
  return claimed;
}

std::vector<Claimed> Claims::Expire(Instant now) {
  std::vector<Claimed> expired;
  while (!in_order_.empty() && in_order_.front().deadline <= now) {
    expired.push_back(in_order_.front().claimed);
    by_token_.erase(in_order_.front().token);
    in_order_.pop_front();
  }
  return expired;
}

std::vector<Claimed> Claims::Revoke(uint64_t listener) {
  std::vector<Claimed> revoked;
  for (auto it = in_order_.begin(); it != in_order_.end();) {
    if (it->listener != listener) {
      ++it;
      continue;
    }
    revoked.push_back(it->claimed);
    by_token_.erase(it->token);
    it = in_order_.erase(it);
  }
  return revoked;
}

Instant Claims::NextDeadline() const {
  return in_order_.empty() ? Instant::Never() : in_order_.front().deadline;
}

}  // namespace netstack::service
