#include "service/claim_desk.h"

#include <chrono>
#include <utility>

namespace netstack::service {

using tcpip::Instant;

ClaimDesk::ClaimDesk(ShardClient& shard, tcpip::Duration lifetime)
    : shard_(shard),
      lifetime_(lifetime),
      claims_(rng_, lifetime),
      expirer_([this] { ExpireLoop(); }) {}

ClaimDesk::~ClaimDesk() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  expirer_.join();
  Reset(claims_.Expire(Instant::Never()));
}

uint64_t ClaimDesk::NewListener() {
  std::lock_guard lock(mutex_);
  return ++last_listener_;
}

std::string ClaimDesk::Issue(uint64_t listener, const Claimed& claimed) {
  std::lock_guard lock(mutex_);
  const bool first = claims_.size() == 0;
  std::string token = claims_.Issue(listener, claimed, tcpip::HostNow());
  // Lifetimes are equal: only the first deadline can be sooner than the one
  // the thread waits for.
  if (first) changed_.notify_all();
  return token;
}

std::optional<Claimed> ClaimDesk::Redeem(const std::string& token) {
  std::lock_guard lock(mutex_);
  return claims_.Redeem(token, tcpip::HostNow());
}

void ClaimDesk::Revoke(uint64_t listener) {
  std::vector<Claimed> revoked;
  {
    std::lock_guard lock(mutex_);
    revoked = claims_.Revoke(listener);
  }
  Reset(revoked);
}

void ClaimDesk::ExpireLoop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const Instant now = tcpip::HostNow();
    const std::vector<Claimed> expired = claims_.Expire(now);
    if (!expired.empty()) {
      lock.unlock();
      Reset(expired);
      lock.lock();
      continue;
    }
    const Instant next = claims_.NextDeadline();
    if (next.IsNever()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock,
                        std::chrono::nanoseconds((next - now).nanoseconds()));
    }
  }
}

void ClaimDesk::Reset(const std::vector<Claimed>& unclaimed) {
  for (const Claimed& claimed : unclaimed) {
    shard_.Post(tcpip::command::Abort{claimed.socket});
  }
}

}  // namespace netstack::service
