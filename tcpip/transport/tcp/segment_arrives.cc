#include "tcpip/transport/tcp/segment_arrives.h"

#include <optional>
#include <span>

#include "tcpip/transport/tcp/closing.h"
#include "tcpip/transport/tcp/isn.h"
#include "tcpip/transport/tcp/send/sender.h"

namespace tcpip::tcp {
namespace {

// The segment on its way through the steps.
struct Arrival {
  Tcb& tcb;
  const TcpContext& context;
  Segment& seg;
  Instant now;
};

// Before the first step. [RFC 7323 5.3 R1] an old duplicate gets an ACK
Verdict CheckPaws(Arrival& a) {
  if (a.seg.flags.rst()) return Verdict::kContinue;
  return a.tcb.receiver.FailsPaws(a.seg, a.now) ? Verdict::kAck
                                                : Verdict::kContinue;
}

Verdict FirstCheckSequence(Arrival& a) {
  return CheckSequence(a.tcb.bounds(), a.seg);
}

Verdict SecondCheckReset(Arrival& a) {
  return CheckReset(a.tcb.bounds(), a.seg);
}

// The third step, security, does not exist any more.

Verdict FourthCheckSyn(Arrival& a) { return CheckSyn(a.seg); }

// How long ago we sent the TSval that `seg` echoes. Echoes from before the
// connection, from the future and zero say nothing. [RFC 7323 3.2]
std::optional<Duration> EchoAge(const Tcb& tcb, const Segment& seg) {
  if (!tcb.negotiated.timestamps || !seg.options.timestamps) return {};
  const uint32_t tsecr = seg.options.timestamps->tsecr;
  if (tsecr == 0) return {};
  const uint32_t age = TsvalAt(seg.ingress, tcb.tsval_offset) - tsecr;
  const uint32_t oldest = TsvalAt(seg.ingress, 0) - TsvalAt(tcb.opened, 0);
  if (age > oldest) return {};
  return Duration::Milliseconds(age);
}

AckInput AckInputOf(const Tcb& tcb, const Segment& seg) {
  AckInput in;
  in.ack = seg.ack;
  in.seg_seq = seg.seq;
  in.seg_len = seg.len();
  in.wnd = seg.wnd << tcb.negotiated.snd_scale;
  if (tcb.negotiated.sack) {
    in.sack =
        std::span(seg.options.sack_blocks).first(seg.options.sack_block_count);
  }
  if (tcb.negotiated.timestamps) in.timestamps = seg.options.timestamps;
  in.echo_age = EchoAge(tcb, seg);
  in.ece = tcb.negotiated.ecn && seg.flags.ece();
  in.ingress = seg.ingress;
  return in;
}

Verdict FifthCheckAck(Arrival& a) {
  Tcb& tcb = a.tcb;
  const Verdict verdict = CheckAck(tcb.bounds(), a.seg);
  if (verdict != Verdict::kContinue) return verdict;
  tcb.receiver.UpdateTimestamp(a.seg, a.now);
  const AckOutcome outcome =
      tcb.sender.OnAck(AckInputOf(tcb, a.seg), tcb.timers, a.now);
  if (outcome.fin_acked) OnFinAcked(tcb, *a.context.config, a.now);
  return Verdict::kContinue;
}

// The sixth step, URG: urgent data is ordinary data. [RFC 6093 6] [fault X24]

void CountData(SegmentCounts& counts, const Segment& seg) {
  counts.data_segs_in += seg.mss_count();
  if (seg.congestion_experienced) counts.marked_in += seg.mss_count();
}

Verdict SeventhTakeText(Arrival& a) {
  Tcb& tcb = a.tcb;
  Segment& seg = a.seg;
  // [RFC 9293 3.10.7.4] after the peer's FIN its text is ignored
  if (seg.len() == 0 || tcb.receiver.fin_received()) return Verdict::kDrop;
  if (HasDataNobodyWillRead(tcb, seg)) return Verdict::kSendReset;
  if (!seg.payload.empty()) CountData(tcb.counts, seg);
  const ReceiveOutcome outcome =
      tcb.receiver.OnSegment(seg, *a.context.pool, tcb.timers, a.now);
  tcb.counts.octets_in += outcome.delivered_bytes;
  return outcome.fin_reached ? Verdict::kContinue : Verdict::kDrop;
}

Verdict EighthTakeFin(Arrival& a) {
  OnFinReceived(a.tcb);
  return Verdict::kDrop;
}

}  // namespace

Verdict SegmentArrives(Tcb& tcb, const TcpContext& context, Segment& seg,
                       Instant now) {
  using Step = Verdict (*)(Arrival&);
  static constexpr Step kSteps[] = {
      CheckPaws,     FirstCheckSequence, SecondCheckReset, FourthCheckSyn,
      FifthCheckAck, SeventhTakeText,    EighthTakeFin,
  };
  tcb.counts.segs_in += seg.mss_count();
  tcb.keepalive.OnArrival(now);
  Arrival arrival{tcb, context, seg, now};
  for (const Step step : kSteps) {
    const Verdict verdict = step(arrival);
    if (verdict != Verdict::kContinue) return verdict;
  }
  return Verdict::kContinue;
}

}  // namespace tcpip::tcp
