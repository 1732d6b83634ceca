#include "tcpip/transport/tcp/replies.h"

namespace tcpip::tcp {

std::optional<OutSegment> ResetFor(const Segment& seg) {
  if (seg.flags.rst()) return std::nullopt;
  OutSegment reset;
  if (seg.flags.ack()) {
    // [RFC 9293 3.10.7.1] <SEQ=SEG.ACK><CTL=RST>
    reset.seq = seg.ack;
    reset.flags = TcpFlags::kRst;
  } else {
    // [RFC 9293 3.10.7.1] <SEQ=0><ACK=SEG.SEQ+SEG.LEN><CTL=RST,ACK>
    reset.ack = seg.end();
    reset.flags = TcpFlags::kRst | TcpFlags::kAck;
  }
  return reset;
}

OutSegment MakeReset(SeqNum snd_nxt, SeqNum rcv_nxt) {
  OutSegment reset;
  reset.seq = snd_nxt;
  reset.ack = rcv_nxt;
  reset.flags = TcpFlags::kRst | TcpFlags::kAck;
  return reset;
}

OutSegment MakeAck(const AckNumbers& numbers) {
  OutSegment ack;
  ack.seq = numbers.snd_nxt;
  ack.ack = numbers.rcv_nxt;
  ack.flags = TcpFlags::kAck;
  ack.wnd = numbers.wnd;
  ack.options.timestamps = numbers.timestamps;
  return ack;
}

bool AckLimiter::AllowChallenge(Instant now) {
  if (now < next_) return false;
  next_ = now + kInterval;
  return true;
}

bool AckLimiter::AllowAck(const Segment& seg, Instant now) {
  if (seg.len() > 0 && !seg.flags.syn()) return true;
  return AllowChallenge(now);
}

}  // namespace tcpip::tcp
