#include "tcpip/transport/tcp/tcb.h"

#include "tcpip/base/require.h"

namespace tcpip::tcp {
namespace {

void Check(bool holds, const char* rule) { Require(holds, "tcp::Tcb", rule); }

SenderStart StartOf(const SocketSettings& settings, const Handshake& h) {
  return {.iss = h.ours.numbers.iss,
          .snd_wnd = h.snd_wnd,
          .snd_wl1 = h.snd_wl1,
          .snd_wl2 = h.snd_wl2,
          .handshake_rtt = h.rtt,
          .syn_retransmitted = h.syn_timed_out,
          .send_buffer_bytes = settings.send_buffer_bytes,
          .no_delay = settings.no_delay,
          .max_gso_bytes = h.ours.path.max_gso_bytes};
}

// The SYN as PAWS should see it. [RFC 7323 3.2]
Segment TimestampOf(const PeerSyn& syn) {
  Segment seg;
  seg.seq = syn.irs;
  seg.options.timestamps = syn.options.timestamps;
  return seg;
}

}  // namespace

Tcb::Tcb(const TcpConfig& config, const SocketSettings& settings,
         const Handshake& handshake, Instant now)
    : negotiated(Agree(config, handshake.ours, handshake.theirs)),
      user_timeout(handshake.ours.numbers.iss + 1),
      sender(config, negotiated, StartOf(settings, handshake)),
      receiver(config, negotiated, handshake.theirs.irs + 1,
               handshake.ours.window, settings.receive_buffer_bytes),
      tsval_offset(handshake.ours.numbers.tsval_offset),
      opened(handshake.opened) {
  receiver.UpdateTimestamp(TimestampOf(handshake.theirs), now);
  keepalive.OnArrival(now);
  keepalive.SetSettings(settings, timers);
}

void CheckInvariants(const Tcb& tcb) {
  tcb.sender.CheckInvariants(tcb.timers);
  const TcpState s = tcb.state;
  Check(s >= TcpState::kEstablished && s < TcpState::kTimeWait,
        "a control block is in a synchronized state");
  Check(tcb.sender.write_closed() ==
            (s != TcpState::kEstablished && s != TcpState::kCloseWait),
        "the state moves when the user closes");
  Check(tcb.sender.fin_acked() == (s == TcpState::kFinWait2),
        "our FIN is acknowledged in FIN-WAIT-2 only");
  Check(tcb.receiver.fin_received() ==
            (s == TcpState::kCloseWait || s == TcpState::kClosing ||
             s == TcpState::kLastAck),
        "the state moves when the peer's FIN is in order");
  Check(!tcb.orphaned || s != TcpState::kFinWait2 ||
            tcb.timers.IsArmed(TimerSlot::kLinger),
        "an orphan's FIN-WAIT-2 ends by time");
}

void TakePath(Tcb& tcb, const PathFacts& path, PathMtuCause cause) {
  tcb.sender.SetMaxGsoBytes(path.max_gso_bytes);
  const uint32_t smss = SmssFor(path.path_mss, tcb.negotiated);
  if (cause == PathMtuCause::kLinkChanged) {
    tcb.sender.SetSmss(smss);
  } else if (smss < tcb.negotiated.smss) {
    tcb.sender.OnPacketTooBig(smss);
  } else {
    return;
  }
  tcb.negotiated.smss = smss;
}

Readiness ReadinessOf(const Tcb& tcb) {
  Readiness r;
  r.connected = true;
  r.read_closed = tcb.receiver.fin_received();
  r.readable = r.read_closed || tcb.receiver.readable_bytes() > 0;
  r.writable = tcb.sender.writable();
  return r;
}

TcpInfo InfoOf(const Tcb& tcb) {
  TcpInfo info;
  tcb.sender.FillInfo(info);
  info.state = tcb.state;
  info.rmss = tcb.negotiated.rmss;
  info.rcv_wnd = tcb.receiver.rcv_wnd().bytes();
  info.readable_bytes = tcb.receiver.readable_bytes();
  info.out_of_order_bytes = tcb.receiver.out_of_order_bytes();
  info.pinned_bytes = tcb.receiver.pinned_bytes() + tcb.sender.pinned_bytes();
  info.snd_scale = tcb.negotiated.snd_scale.shift();
  info.rcv_scale = tcb.negotiated.rcv_scale.shift();
  info.sack = tcb.negotiated.sack;
  info.timestamps = tcb.negotiated.timestamps;
  info.ecn = tcb.negotiated.ecn;
  info.segs_in = tcb.counts.segs_in;
  info.segs_out = tcb.counts.segs_out;
  info.data_segs_in = tcb.counts.data_segs_in;
  info.octets_in = tcb.counts.octets_in;
  info.marked_in = tcb.counts.marked_in;
  return info;
}

OutSegment ResetOf(const Tcb& tcb) {
  return MakeReset(tcb.sender.snd_nxt(), tcb.receiver.rcv_nxt());
}

}  // namespace tcpip::tcp
