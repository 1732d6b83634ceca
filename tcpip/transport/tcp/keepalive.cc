#include "tcpip/transport/tcp/keepalive.h"

namespace tcpip::tcp {

void Keepalive::SetSettings(const SocketSettings& settings,
                            Timers& timers) const {
  timers.Cancel(TimerSlot::kKeepalive);
  if (!settings.keepalive) return;
  timers.Set(TimerSlot::kKeepalive, last_heard_ + settings.keepalive_idle);
}

Keepalive::Expiry Keepalive::OnTimer(const SocketSettings& settings, bool busy,
                                     Timers& timers, Instant now) {
  if (busy) OnArrival(now);
  const Instant idle_until = last_heard_ + settings.keepalive_idle;
  if (now < idle_until) {
    timers.Set(TimerSlot::kKeepalive, idle_until);
    return Expiry::kWait;
  }
  if (unanswered_ >= settings.keepalive_count) return Expiry::kGiveUp;
  ++unanswered_;
  probe_due_ = true;
  timers.Set(TimerSlot::kKeepalive, now + settings.keepalive_interval);
  return Expiry::kProbe;
}

}  // namespace tcpip::tcp
