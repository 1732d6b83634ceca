#include "tcpip/transport/tcp/receive/paws.h"

namespace tcpip::tcp {
namespace {

// [RFC 7323 5.5] beyond this a clock of 1 ms may have wrapped its sign
constexpr Duration kTsRecentLifetime = Duration::Seconds(24 * 24 * 3600);

}  // namespace

bool Paws::Fails(const Segment& seg, Instant now) const {
  return seg.options.timestamps && IsOlder(seg.options.timestamps->tsval, now);
}

void Paws::Update(const Segment& seg, SeqNum last_ack_sent, Instant now) {
  if (!enabled_ || !seg.options.timestamps || seg.seq > last_ack_sent) return;
  if (IsOlder(seg.options.timestamps->tsval, now)) return;
  ts_recent_ = seg.options.timestamps->tsval;
  updated_ = now;
}

bool Paws::IsOlder(uint32_t tsval, Instant now) const {
  return now <= updated_ + kTsRecentLifetime &&
         TsvalIsBefore(tsval, ts_recent_);
}

}  // namespace tcpip::tcp
