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

uint64_t ClaimDesk::NewListener(std::function<void()> on_gone) {
  std::lock_guard lock(mutex_);
  on_gone_[++last_listener_] = std::move(on_gone);
  return last_listener_;
}

std::string ClaimDesk::Issue(const Claimed& claimed) {
  std::lock_guard lock(mutex_);
  const bool first = claims_.size() == 0;
  std::string token = claims_.Issue(claimed, tcpip::HostNow());
  // Lifetimes are equal, and a claim only puts deadlines off: only the first
  // one can be sooner than the one the thread waits for.
  if (first) changed_.notify_all();
  return token;
}

std::optional<Claimed> ClaimDesk::Redeem(const std::string& token) {
  std::optional<Claimed> claimed;
  {
    std::lock_guard lock(mutex_);
    claimed = claims_.Redeem(token, tcpip::HostNow());
  }
  if (claimed.has_value()) TellGone(claimed->listener);
  return claimed;
}

void ClaimDesk::Revoke(uint64_t listener) {
  std::vector<Claimed> revoked;
  std::function<void()> last;  // what it holds may end with it
  {
    std::lock_guard lock(mutex_);
    revoked = claims_.Revoke(listener);
    const auto found = on_gone_.find(listener);
    if (found != on_gone_.end()) {
      last = std::move(found->second);
      on_gone_.erase(found);
    }
  }
  Reset(revoked);
}

uint64_t ClaimDesk::expired() const {
  std::lock_guard lock(mutex_);
  return expired_;
}

void ClaimDesk::ExpireLoop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const Instant now = tcpip::HostNow();
    const std::vector<Claimed> expired = claims_.Expire(now);
    if (!expired.empty()) {
      expired_ += expired.size();
      lock.unlock();
      Reset(expired);
      for (const Claimed& claimed : expired) TellGone(claimed.listener);
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

void ClaimDesk::TellGone(uint64_t listener) {
  std::function<void()> on_gone;
  {
    std::lock_guard lock(mutex_);
    const auto found = on_gone_.find(listener);
    if (found != on_gone_.end()) on_gone = found->second;
  }
  if (on_gone) on_gone();
}

}  // namespace netstack::service
