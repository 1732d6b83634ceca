#include "tcpip/shard/link_watch.h"

#include <algorithm>
#include <utility>

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
  reopened_ = absl::OkStatus();
  pause_ = kFirstPause;
  next_ = now + pause_;
}

std::optional<absl::Status> LinkWatch::Tend(Instant now) {
  if (now < next_) return std::nullopt;
  if (!lost_) {
    link_.Refresh();
    next_ = now + kRefresh;
    return std::nullopt;
  }
  const absl::Status before = std::exchange(reopened_, link_.Reopen());
  lost_ = !reopened_.ok();
  pause_ = lost_ ? std::min(pause_ * 2, kLongestPause) : kRefresh;
  next_ = now + pause_;
  if (!lost_) return reopened_;
  // The first time it may be in the making, and its maker still has it.
  if (absl::IsNotFound(reopened_) || reopened_ != before) return std::nullopt;
  return reopened_;
}

Instant LinkWatch::NextDeadline() const {
  return lost_ ? next_ : Instant::Never();
}

}  // namespace tcpip
