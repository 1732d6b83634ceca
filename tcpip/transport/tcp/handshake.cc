#include "tcpip/transport/tcp/handshake.h"

#include <algorithm>
#include <utility>

#include "tcpip/transport/tcp/acceptability.h"

namespace tcpip::tcp {
namespace {

bool AcknowledgesSyn(const Offer& ours, const Segment& seg) {
  return seg.ack == ours.numbers.iss + 1;
}

Bounds BoundsOf(const HalfOpen& h) {
  return {.rcv_nxt = h.peer.irs + 1,
          .rcv_wnd = WindowSize(h.offer.window),
          .snd_una = h.offer.numbers.iss + 1,
          .snd_max = h.offer.numbers.iss + 1,
          .max_snd_wnd = WindowSize(0)};
}

HandshakeVerdict JudgeReset(const HalfOpen& half_open, const Segment& seg) {
  switch (CheckReset(BoundsOf(half_open), seg)) {
    case Verdict::kReset:
      return HandshakeVerdict::kReset;
    case Verdict::kChallenge:
      return HandshakeVerdict::kChallenge;
    default:
      return HandshakeVerdict::kDrop;
  }
}

// [RFC 7323 5.3 R1] older than the SYN that opened this
bool FailsPaws(const HalfOpen& h, const Segment& seg) {
  if (!h.peer.options.timestamps || !seg.options.timestamps) return false;
  return TsvalIsBefore(seg.options.timestamps->tsval,
                       h.peer.options.timestamps->tsval);
}

}  // namespace

void SynTransmissions::OnSent(const TcpConfig& config, Instant now) {
  if (count_ == 0) first_sent_ = now;
  due_ = false;
  // [RFC 6298 5.5] each timeout doubles, up to the cap
  Duration rto = config.initial_rto;
  for (int i = 0; i < count_ && rto < config.max_rto; ++i) rto += rto;
  deadline_ = now + std::min(rto, config.max_rto);
  ++count_;
}

SynTransmissions::Expiry SynTransmissions::OnTimer(uint8_t retries,
                                                   Instant now) {
  if (now < deadline_) return Expiry::kNotYet;
  deadline_ = Instant::Never();
  if (count_ > retries) return Expiry::kGiveUp;
  due_ = true;
  return Expiry::kSendAgain;
}

void SynTransmissions::Describe(Handshake& handshake, Instant ingress) const {
  handshake.opened = first_sent_;
  handshake.syn_timed_out = count_ > 1;
  if (count_ == 1 && !ambiguous_) handshake.rtt = ingress - first_sent_;
}

HandshakeVerdict JudgeInSynSent(const Offer& ours, const Segment& seg) {
  // First, the ACK: only our SYN can be acknowledged.
  if (seg.flags.ack() && !AcknowledgesSyn(ours, seg)) {
    // [RFC 9293 3.10.7.3] <SEQ=SEG.ACK><CTL=RST>
    return seg.flags.rst() ? HandshakeVerdict::kDrop
                           : HandshakeVerdict::kSendReset;
  }
  // [RFC 9293 3.10.7.3, RFC 5961 3.2] second, RST: believed with that ACK
  if (seg.flags.rst()) {
    return seg.flags.ack() ? HandshakeVerdict::kReset : HandshakeVerdict::kDrop;
  }
  // Fourth, SYN; other flags beside it mean nothing here. [fault C01]
  if (!seg.flags.syn()) return HandshakeVerdict::kDrop;
  return seg.flags.ack() ? HandshakeVerdict::kEstablished
                         : HandshakeVerdict::kSyn;
}

HandshakeVerdict JudgeInSynReceived(const HalfOpen& half_open,
                                    const Segment& seg) {
  if (seg.flags.rst()) return JudgeReset(half_open, seg);
  if (seg.flags.syn() && seg.seq == half_open.peer.irs) {
    // The SYN we have. Without ACK its sender misses our answer [fault C06];
    // with one it is the other half of a simultaneous open.
    if (!seg.flags.ack()) return HandshakeVerdict::kRepeatSynAck;
  } else {
    if (FailsPaws(half_open, seg) ||
        CheckSequence(BoundsOf(half_open), seg) != Verdict::kContinue) {
      return HandshakeVerdict::kAck;
    }
    if (seg.flags.syn()) return HandshakeVerdict::kSyn;
  }
  if (!seg.flags.ack()) return HandshakeVerdict::kDrop;
  // [RFC 9293 3.10.7.4] SND.UNA < SEG.ACK =< SND.NXT, or RST
  return AcknowledgesSyn(half_open.offer, seg) ? HandshakeVerdict::kEstablished
                                               : HandshakeVerdict::kSendReset;
}

std::optional<OutSegment> AnswerInSynReceived(const TcpConfig& config,
                                              HalfOpen& half_open,
                                              HandshakeVerdict verdict,
                                              const Segment& seg, Instant now) {
  const auto ack = [&] {
    return MakeHandshakeAck(config, half_open.offer, half_open.peer, now);
  };
  switch (verdict) {
    case HandshakeVerdict::kSendReset:
      return ResetFor(seg);
    case HandshakeVerdict::kRepeatSynAck:
      half_open.syn_ack.OnRepeated();
      return MakeSynAck(config, half_open.offer, half_open.peer, now);
    case HandshakeVerdict::kAck:
      if (!half_open.ack_limiter.AllowAck(seg, now)) return std::nullopt;
      return ack();
    case HandshakeVerdict::kChallenge:
      if (!half_open.ack_limiter.AllowChallenge(now)) return std::nullopt;
      return ack();
    default:
      return std::nullopt;
  }
}

SynReceived OpenSimultaneously(SynSent state, const Segment& seg) {
  SynReceived next{.half_open = {.offer = state.offer,
                                 .peer = PeerSynOf(seg),
                                 .syn_ack = {},
                                 .ack_limiter = {}},
                   .opening = std::move(state.opening)};
  // The peer's ACK may be for our SYN as well as for our SYN-ACK.
  next.half_open.syn_ack.OnRepeated();
  return next;
}

Handshake Finish(const SynSent& state, const Segment& seg) {
  Handshake h;
  h.ours = state.offer;
  h.theirs = PeerSynOf(seg);
  // [RFC 7323 2.2] the window of a SYN-ACK is not scaled [fault W14]
  h.snd_wnd = WindowSize(seg.wnd.field());
  h.snd_wl1 = seg.seq;
  h.snd_wl2 = seg.ack;
  state.syn.Describe(h, seg.ingress);
  return h;
}

Handshake Finish(const TcpConfig& config, const HalfOpen& half_open,
                 const Segment& seg) {
  const Negotiated agreed = Agree(config, half_open.offer, half_open.peer);
  Handshake h;
  h.ours = half_open.offer;
  h.theirs = half_open.peer;
  h.snd_wnd = seg.flags.syn() ? WindowSize(seg.wnd.field())
                              : seg.wnd << agreed.snd_scale;
  h.snd_wl1 = seg.seq;
  h.snd_wl2 = seg.ack;
  half_open.syn_ack.Describe(h, seg.ingress);
  return h;
}

std::optional<OutSegment> PollHandshake(const TcpConfig& config, SynSent& state,
                                        Instant now) {
  if (state.opening.reply) {
    return std::exchange(state.opening.reply, std::nullopt);
  }
  if (!state.syn.due()) return std::nullopt;
  state.syn.OnSent(config, now);
  OutSegment syn = MakeSyn(config, state.offer, now);
  syn.retransmission = state.syn.count() > 1;
  // [RFC 3168 6.1.1.1] the first may have been dropped for asking
  if (syn.retransmission) {
    syn.flags = syn.flags.Without(TcpFlags::kEce | TcpFlags::kCwr);
  }
  return syn;
}

std::optional<OutSegment> PollHandshake(const TcpConfig& config,
                                        SynReceived& state, Instant now) {
  if (state.opening.reply) {
    return std::exchange(state.opening.reply, std::nullopt);
  }
  HalfOpen& h = state.half_open;
  if (!h.syn_ack.due()) return std::nullopt;
  h.syn_ack.OnSent(config, now);
  OutSegment syn_ack = MakeSynAck(config, h.offer, h.peer, now);
  syn_ack.retransmission = h.syn_ack.count() > 1;
  return syn_ack;
}

OutSegment ResetOf(const SynReceived& state) {
  return MakeReset(state.half_open.offer.numbers.iss + 1,
                   state.half_open.peer.irs + 1);
}

}  // namespace tcpip::tcp
