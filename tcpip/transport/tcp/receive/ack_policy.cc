#include "tcpip/transport/tcp/receive/ack_policy.h"

#include <algorithm>

namespace tcpip::tcp {
namespace {

constexpr uint32_t kAckEvery = 2;  // [RFC 9293 3.8.6.3 SHLD-19] segments

}  // namespace

void AckPolicy::OnInOrderData(uint32_t segments, Timers& timers, Instant now) {
  unacked_segments_ += segments;
  // [req A-38] a young or sparse connection must not wait for the timer
  if (quick_acks_ > 0) {
    quick_acks_ = static_cast<uint16_t>(
        quick_acks_ - std::min<uint32_t>(quick_acks_, segments));
    AckNow();
  } else if (unacked_segments_ >= kAckEvery) {
    AckNow();
  } else if (pending_ == Pending::kNone) {
    // [RFC 9293 3.8.6.3 MUST-40] far less than half a second
    pending_ = Pending::kDelayed;
    timers.Set(TimerSlot::kDelayedAck, now + config_->delayed_ack);
  }
}

void AckPolicy::OnTimer() {
  if (pending_ != Pending::kDelayed) return;
  // [req A-38] the peer waits for ACKs between its segments: hurry up again
  quick_acks_ = config_->quick_ack_segments;
  AckNow();
}

void AckPolicy::OnAckSent(Timers& timers) {
  pending_ = Pending::kNone;
  unacked_segments_ = 0;
  timers.Cancel(TimerSlot::kDelayedAck);
}

}  // namespace tcpip::tcp
