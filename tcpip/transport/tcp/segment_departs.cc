#include "tcpip/transport/tcp/segment_departs.h"

#include <cstdint>
#include <utility>

#include "tcpip/transport/tcp/receive/receiver.h"
#include "tcpip/transport/tcp/send/sender.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip::tcp {
namespace {

// Fills in what every segment carries and counts it.
void Stamp(OutSegment& seg, Tcb& tcb, Instant now) {
  seg.flags = seg.flags.With(TcpFlags::kAck);
  seg.options.timestamps = tcb.TimestampsAt(now);
  const auto fields = tcb.receiver.TakeAckFields(seg.options, tcb.timers);
  seg.ack = fields.ack;
  seg.wnd = fields.wnd;
  if (fields.ece) seg.flags = seg.flags.With(TcpFlags::kEce);
  tcb.counts.segs_out += seg.mss_count();
}

// SACK blocks stay on a data segment only where it has room for them: SMSS
// leaves none. [RFC 9293 3.7.1 MUST-16]
void FitSackBlocks(OutSegment& seg, const Tcb& tcb) {
  if (seg.options.sack_block_count == 0) return;
  TcpOptions without = seg.options;
  without.sack_block_count = 0;
  const uint32_t blocks_size =
      TcpOptionsSize(seg.options) - TcpOptionsSize(without);
  if (seg.payload.size() + blocks_size > tcb.negotiated.smss) {
    seg.options.sack_block_count = 0;
  }
}

OutSegment DataDeparts(Tcb& tcb, OutData data, Instant now) {
  OutSegment seg;
  seg.seq = data.seq;
  seg.payload = std::move(data.payload);
  seg.gso_size = data.gso_size;
  seg.retransmission = data.retransmission;
  seg.flags = TcpFlags((data.psh ? TcpFlags::kPsh : 0) |
                       (data.fin ? TcpFlags::kFin : 0) |
                       (data.cwr ? TcpFlags::kCwr : 0));
  // [RFC 3168 6.1.4, 6.1.5] what is sent again may have been lost to
  // congestion; nobody repeats a pure ACK
  seg.ect = tcb.negotiated.ecn && !data.retransmission && !seg.payload.empty();
  Stamp(seg, tcb, now);
  FitSackBlocks(seg, tcb);
  return seg;
}

// [RFC 9293 3.8.4] SEG.SEQ = SND.NXT-1 draws an ACK; the window is the true
// one, since the peer believes it.
OutSegment ProbeDeparts(Tcb& tcb, Instant now) {
  OutSegment probe = AckDeparts(tcb, now);
  probe.seq = probe.seq - 1;
  return probe;
}

}  // namespace

OutSegment AckDeparts(Tcb& tcb, Instant now) {
  OutSegment ack;
  ack.seq = tcb.sender.snd_nxt();
  Stamp(ack, tcb, now);
  return ack;
}

std::optional<OutSegment> SegmentDeparts(Tcb& tcb, Instant now) {
  if (tcb.keepalive.TakeProbe()) return ProbeDeparts(tcb, now);
  const bool ack_now = tcb.receiver.WantsAckNow();
  // [RFC 2018 3] news about holes must not be squeezed out by data
  if (ack_now && tcb.receiver.has_sack_blocks()) return AckDeparts(tcb, now);
  if (auto data = tcb.sender.PollSend(tcb.timers, now)) {
    return DataDeparts(tcb, std::move(*data), now);
  }
  if (ack_now) return AckDeparts(tcb, now);
  return std::nullopt;
}

}  // namespace tcpip::tcp
