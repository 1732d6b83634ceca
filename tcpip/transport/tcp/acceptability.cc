#include "tcpip/transport/tcp/acceptability.h"

namespace tcpip::tcp {
namespace {

SeqNum RightEdge(const Bounds& bounds) {
  return bounds.rcv_nxt + bounds.rcv_wnd.bytes();
}

bool InWindow(const Bounds& bounds, SeqNum seq) {
  return bounds.rcv_nxt <= seq && seq < RightEdge(bounds);
}

// The table of 3.10.7.4, with two openings.
bool SequenceIsAcceptable(const Bounds& bounds, const Segment& seg) {
  if (seg.payload.empty()) {
    // A peer that has filled our window acknowledges from the right edge; the
    // RFC's "<" would lose those ACKs when the window's first segment is lost.
    // A FIN takes no room, so it may stand there as well. [fault W10]
    return bounds.rcv_nxt <= seg.seq && seg.seq <= RightEdge(bounds);
  }
  // [RFC 9293 3.10.7.4] valid ACKs at a zero window: what starts at RCV.NXT
  // passes, the receiver trims the text. Two closed windows that probe each
  // other would otherwise never hear each other's updates.
  if (bounds.rcv_wnd.bytes() == 0) return seg.seq == bounds.rcv_nxt;
  return InWindow(bounds, seg.seq) || InWindow(bounds, seg.end() - 1) ||
         // Starts before the window and reaches beyond it.
         (seg.seq < bounds.rcv_nxt && seg.end() > bounds.rcv_nxt);
}

}  // namespace

Verdict CheckSequence(const Bounds& bounds, const Segment& seg) {
  if (seg.flags.rst()) return Verdict::kContinue;
  // [RFC 9293 3.10.7.4] an unacceptable segment is answered with an ACK
  return SequenceIsAcceptable(bounds, seg) ? Verdict::kContinue : Verdict::kAck;
}

Verdict CheckReset(const Bounds& bounds, const Segment& seg) {
  if (!seg.flags.rst()) return Verdict::kContinue;
  // [RFC 5961 3.2] only the exact next sequence number resets [fault X03]
  if (seg.seq == bounds.rcv_nxt) return Verdict::kReset;
  // [RFC 5961 3.2] in the window but not exact: a challenge ACK
  if (InWindow(bounds, seg.seq)) return Verdict::kChallenge;
  return Verdict::kDrop;
}

Verdict CheckSyn(const Segment& seg) {
  // [RFC 5961 4.2] whatever its sequence number [fault X04]
  return seg.flags.syn() ? Verdict::kChallenge : Verdict::kContinue;
}

Verdict CheckAck(const Bounds& bounds, const Segment& seg) {
  // [RFC 9293 3.10.7.4] fifth step: without ACK the segment is dropped
  if (!seg.flags.ack()) return Verdict::kDrop;
  // [RFC 5961 5.2] SND.UNA - MAX.SND.WND =< SEG.ACK =< SND.NXT
  const SeqNum oldest = bounds.snd_una - bounds.max_snd_wnd.bytes();
  const bool in_range = oldest <= seg.ack && seg.ack <= bounds.snd_max;
  return in_range ? Verdict::kContinue : Verdict::kChallenge;
}

Verdict CheckAcceptability(const Bounds& bounds, const Segment& seg) {
  Verdict verdict = CheckSequence(bounds, seg);
  if (verdict == Verdict::kContinue) verdict = CheckReset(bounds, seg);
  if (verdict == Verdict::kContinue) verdict = CheckSyn(seg);
  if (verdict == Verdict::kContinue) verdict = CheckAck(bounds, seg);
  return verdict;
}

}  // namespace tcpip::tcp
