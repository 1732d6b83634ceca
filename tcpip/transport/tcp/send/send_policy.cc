#include "tcpip/transport/tcp/send/send_policy.h"

#include <algorithm>
#include <cstdint>

#include "tcpip/transport/tcp/send/segmenter.h"

namespace tcpip::tcp {

NewData SendPolicy::Next(const Segmenter& segmenter,
                         const SendFacts& facts) const {
  NewData next;
  next.bytes = segmenter.Cut(facts.unsent_bytes,
                             std::min(facts.cwnd_room, facts.window_room));
  const uint32_t rest = next.bytes % segmenter.smss();
  if (rest != 0 && next.bytes < facts.unsent_bytes) {
    // A window cut it short.
    if (!MayFillWindow(facts)) next.bytes -= rest;
  } else if (rest != 0) {
    // [RFC 9293 3.7.4] [req A-31] The tail of what was written: only an
    // earlier short segment delays it.
    next.held = facts.short_in_flight && !no_delay_ &&
                facts.snd_nxt + next.bytes > push_end_;
    if (next.held) next.bytes -= rest;
  }
  // The FIN needs room in the peer's window like a byte, but none in cwnd.
  next.fin = facts.fin_queued && next.bytes == facts.unsent_bytes &&
             next.bytes < facts.window_room;
  return next;
}

bool SendPolicy::MayFillWindow(const SendFacts& facts) const {
  // cwnd opens with the next ACK; a part of a segment is not worth sending.
  if (facts.cwnd_room <= facts.window_room) return false;
  // [RFC 9293 3.8.6.2.1] [fault W03] half of the largest window the peer has
  // ever offered: its buffer may be smaller than our SMSS
  return facts.window_room >= facts.max_snd_wnd / 2 || facts.override_due;
}

}  // namespace tcpip::tcp
