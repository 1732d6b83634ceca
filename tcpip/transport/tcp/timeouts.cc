#include "tcpip/transport/tcp/timeouts.h"

#include "tcpip/transport/tcp/receive/receiver.h"
#include "tcpip/transport/tcp/send/sender.h"
#include "tcpip/transport/tcp/timers.h"

namespace tcpip::tcp {
namespace {

// Data, FIN and window probes that nobody answers. [RFC 9293 3.8.3]
TimeoutVerdict VerdictOf(RetransmitVerdict verdict) {
  return verdict == RetransmitVerdict::kGiveUp ? TimeoutVerdict::kTimedOut
                                               : TimeoutVerdict::kContinue;
}

TimeoutVerdict OnKeepalive(Tcb& tcb, const SocketSettings& settings,
                           Instant now) {
  const bool busy = tcb.sender.HasUnackedOrUnsent();
  const Keepalive::Expiry expiry =
      tcb.keepalive.OnTimer(settings, busy, tcb.timers, now);
  return expiry == Keepalive::Expiry::kGiveUp ? TimeoutVerdict::kPeerIsDead
                                              : TimeoutVerdict::kContinue;
}

TimeoutVerdict OnExpired(TimerSlot slot, Tcb& tcb,
                         const SocketSettings& settings, Instant now) {
  switch (slot) {
    case TimerSlot::kRetransmit:
      return VerdictOf(tcb.sender.OnRetransmitTimer(tcb.timers, now));
    case TimerSlot::kPersist:
      return VerdictOf(tcb.sender.OnPersistTimer(tcb.timers, now));
    case TimerSlot::kHold:
      tcb.sender.OnHoldTimer();
      break;
    case TimerSlot::kDelayedAck:
      tcb.receiver.OnDelayedAckTimer();
      break;
    case TimerSlot::kKeepalive:
      return OnKeepalive(tcb, settings, now);
    case TimerSlot::kUserTimeout:
      return TimeoutVerdict::kTimedOut;
    case TimerSlot::kLinger:
      return TimeoutVerdict::kOrphanExpired;
  }
  return TimeoutVerdict::kContinue;
}

}  // namespace

TimeoutVerdict TimersExpire(Tcb& tcb, const SocketSettings& settings,
                            Instant now) {
  for (int i = 0; i < kTimerSlotCount; ++i) {
    const auto slot = static_cast<TimerSlot>(i);
    if (!tcb.timers.TakeExpired(slot, now)) continue;
    const TimeoutVerdict verdict = OnExpired(slot, tcb, settings, now);
    if (verdict != TimeoutVerdict::kContinue) return verdict;
  }
  return TimeoutVerdict::kContinue;
}

}  // namespace tcpip::tcp
