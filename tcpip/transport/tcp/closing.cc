#include "tcpip/transport/tcp/closing.h"

#include "tcpip/transport/tcp/receive/receiver.h"
#include "tcpip/transport/tcp/segment_departs.h"
#include "tcpip/transport/tcp/send/sender.h"

namespace tcpip::tcp {
namespace {

// [fault C16] only nobody's FIN-WAIT-2 ends by time: a reader may wait for
// ever.
void ArmOrphanTimer(Tcb& tcb, const TcpConfig& config, Instant now) {
  if (tcb.orphaned && tcb.state == TcpState::kFinWait2) {
    tcb.timers.Set(TimerSlot::kLinger, now + config.fin_wait2);
  }
}

TimeWaitFacts FactsOf(const Tcb& tcb) {
  TimeWaitFacts facts;
  facts.snd_nxt = tcb.sender.snd_nxt();
  facts.rcv_nxt = tcb.receiver.rcv_nxt();
  facts.rcv_wnd = tcb.receiver.rcv_wnd();
  facts.wnd = WireWindow::RoundedDown(facts.rcv_wnd, tcb.negotiated.rcv_scale);
  if (tcb.negotiated.timestamps) facts.ts_recent = tcb.receiver.ts_recent();
  facts.tsval_offset = tcb.tsval_offset;
  return facts;
}

}  // namespace

void OnCloseWrite(Tcb& tcb) {
  if (tcb.sender.write_closed()) return;
  tcb.sender.CloseWrite();
  // [RFC 9293 3.10.4] ESTABLISHED to FIN-WAIT-1, CLOSE-WAIT to LAST-ACK
  tcb.Advance(TcpEvent::kClose);
}

bool OnUserClose(Tcb& tcb, const TcpConfig& config, Instant now) {
  // [RFC 2525 2.17, RFC 9293 3.6.1] a FIN would claim the data was read
  if (tcb.receiver.readable_bytes() > 0) return false;
  tcb.orphaned = true;
  OnCloseWrite(tcb);
  ArmOrphanTimer(tcb, config, now);
  return true;
}

void OnFinAcked(Tcb& tcb, const TcpConfig& config, Instant now) {
  tcb.Advance(TcpEvent::kFinAcked);
  ArmOrphanTimer(tcb, config, now);
}

void OnFinReceived(Tcb& tcb) {
  tcb.Advance(TcpEvent::kFin);
  tcb.timers.Cancel(TimerSlot::kLinger);
}

bool HasDataNobodyWillRead(const Tcb& tcb, const Segment& seg) {
  const SeqNum data_end = seg.end() - (seg.flags.fin() ? 1 : 0);
  return tcb.orphaned && data_end > tcb.receiver.rcv_nxt();
}

Closed Conclude(Tcb& tcb, Instant now) {
  Closed closed;
  closed.state = tcb.state;
  closed.was_synchronized = true;
  closed.fin_received = tcb.receiver.fin_received();
  closed.info = InfoOf(tcb);
  if (tcb.state == TcpState::kTimeWait) {
    if (tcb.receiver.WantsAckNow()) closed.last_segment = AckDeparts(tcb, now);
    closed.time_wait = FactsOf(tcb);
  }
  if (!tcb.orphaned) closed.unread = tcb.receiver.Read(SIZE_MAX);
  return closed;
}

Readiness ReadinessOf(const Closed& closed, bool failed) {
  Readiness r;
  r.closed = true;
  r.connected = closed.was_synchronized;
  r.read_closed = closed.fin_received;
  r.readable = closed.fin_received || failed || !closed.unread.empty();
  r.writable = failed;
  return r;
}

}  // namespace tcpip::tcp
