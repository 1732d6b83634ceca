#include "tcpip/shard/link_watch.h"

#include <algorithm>

namespace tcpip {
namespace {

constexpr Duration kRefresh = Duration::Seconds(1);
// Between two attempts to get a device back, doubled each time.
constexpr Duration kFirstPause = Duration::Milliseconds(100);
constexpr Duration kLongestPause = Duration::Seconds(5);

}  // namespace

LinkWatch::LinkWatch(Link& link, Instant now)
    : link_(link), next_(now + kRefresh) {}

void LinkWatch::OnLost(Instant now) {
  lost_ = true;
  pause_ = kFirstPause;
  next_ = now + pause_;
}

bool LinkWatch::Tend(Instant now) {
  if (now < next_) return false;
  if (!lost_) {
    link_.Refresh();
    next_ = now + kRefresh;
    return false;
  }
  lost_ = !link_.Reopen();
  pause_ = lost_ ? std::min(pause_ * 2, kLongestPause) : kRefresh;
  next_ = now + pause_;
  return !lost_;
}

Instant LinkWatch::NextDeadline() const {
  return lost_ ? next_ : Instant::Never();
}

}  // namespace tcpip
