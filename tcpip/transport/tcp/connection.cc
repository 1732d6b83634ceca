#include "tcpip/transport/tcp/connection.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "tcpip/base/require.h"
#include "tcpip/transport/tcp/replies.h"
#include "tcpip/transport/tcp/segment_arrives.h"
#include "tcpip/transport/tcp/segment_departs.h"
#include "tcpip/transport/tcp/timeouts.h"

namespace tcpip::tcp {
namespace {

// [RFC 9293 3.10.7.4] a RST when both have sent FIN loses nothing
bool ResetIsError(TcpState state) {
  return state != TcpState::kClosing && state != TcpState::kLastAck;
}

}  // namespace

Connection::Connection(const TcpContext& context, const PathFacts& path,
                       const SocketSettings& settings,
                       const InitialNumbers& numbers)
    : context_(context), settings_(settings) {
  state_.emplace<SynSent>().offer = MakeOffer(settings, path, numbers);
}

Connection::Connection(const TcpContext& context,
                       const SocketSettings& settings,
                       const Handshake& handshake, Instant now)
    : context_(context), settings_(settings) {
  state_.emplace<Tcb>(*context.config, settings, handshake, now);
}

Connection::~Connection() = default;

// --- Segments in and out.

void Connection::OnSegment(Segment seg, Instant now) {
  std::visit([&](auto& state) { OnSegmentIn(state, seg, now); }, state_);
}

void Connection::OnSegmentIn(SynSent& state, Segment& seg, Instant now) {
  switch (JudgeInSynSent(state.offer, seg)) {
    case HandshakeVerdict::kSendReset:
      state.opening.reply = ResetFor(seg);
      return;
    case HandshakeVerdict::kReset:
      return End(TcpError::kRefused, std::nullopt, now);
    case HandshakeVerdict::kSyn: {
      assert(NextState(TcpState::kSynSent, TcpEvent::kSyn));
      SynReceived next = OpenSimultaneously(std::move(state), seg);
      state_.emplace<SynReceived>(std::move(next));
      return;
    }
    case HandshakeVerdict::kEstablished:
      // [fault C03] the peer may be waiting for this ACK to speak first
      BecomeEstablished(Finish(state, seg), TcpEvent::kSynAck, now)
          .receiver.AckNow();
      return;
    default:
      return;
  }
}

void Connection::OnSegmentIn(SynReceived& state, Segment& seg, Instant now) {
  const TcpConfig& config = *context_.config;
  HandshakeVerdict verdict = JudgeInSynReceived(state.half_open, seg);
  if (verdict == HandshakeVerdict::kReset) {
    // [RFC 9293 3.10.7.4] it began with an active open: refused
    return End(TcpError::kRefused, std::nullopt, now);
  }
  if (verdict == HandshakeVerdict::kEstablished) {
    Tcb& tcb = BecomeEstablished(Finish(config, state.half_open, seg),
                                 TcpEvent::kSynAcked, now);
    // A SYN-ACK's text is left for later; its sender may miss our own.
    if (seg.flags.syn()) return tcb.receiver.AckNow();
    return OnSegmentIn(tcb, seg, now);
  }
  // [RFC 9293 3.10.7.4] another SYN: as in the synchronized states
  if (verdict == HandshakeVerdict::kSyn) verdict = HandshakeVerdict::kChallenge;
  auto reply = AnswerInSynReceived(config, state.half_open, verdict, seg, now);
  if (reply) state.opening.reply = std::move(reply);
}

void Connection::OnSegmentIn(Tcb& tcb, Segment& seg, Instant now) {
  const TcpState before = tcb.state;
  tcb.soft_error = TcpError::kNone;  // the peer is there
  switch (SegmentArrives(tcb, context_, seg, now)) {
    case Verdict::kAck:
      if (tcb.ack_limiter.AllowAck(seg, now)) tcb.receiver.OnUnacceptable(seg);
      break;
    case Verdict::kChallenge:
      if (tcb.ack_limiter.AllowChallenge(now)) tcb.receiver.AckNow();
      break;
    case Verdict::kReset:
      return End(ResetIsError(before) ? TcpError::kReset : TcpError::kNone,
                 std::nullopt, now);
    case Verdict::kSendReset:
      return End(TcpError::kAborted, ResetFor(seg), now);
    case Verdict::kContinue:
    case Verdict::kDrop:
      break;
  }
  if (tcb.state == TcpState::kTimeWait || tcb.state == TcpState::kClosed) {
    BecomeClosed(tcb, std::nullopt, now);
  }
}

void Connection::OnSegmentIn(Closed& state, Segment& seg, Instant) {
  // [RFC 9293 3.10.7.1] for TIME-WAIT the stack's table answers
  if (state.state == TcpState::kClosed) state.last_segment = ResetFor(seg);
}

std::optional<OutSegment> Connection::PollSend(Instant now) {
  if (Tcb* t = tcb()) {
    t->receiver.SetShare(context_.pool->QueueShare());
    std::optional<OutSegment> out = SegmentDeparts(*t, now);
    if (!out) {
      t->user_timeout.Watch(settings_.user_timeout,
                            t->sender.HasUnackedOrUnsent(), t->sender.snd_una(),
                            t->timers, now);
    }
    return out;
  }
  const TcpConfig& config = *context_.config;
  if (auto* s = std::get_if<SynSent>(&state_)) {
    return PollHandshake(config, *s, now);
  }
  if (auto* s = std::get_if<SynReceived>(&state_)) {
    return PollHandshake(config, *s, now);
  }
  return std::exchange(std::get<Closed>(state_).last_segment, std::nullopt);
}

bool Connection::IsInFlight(SeqNum seq) const {
  if (const Tcb* t = tcb()) {
    return SeqRange{t->sender.snd_una(), t->sender.snd_max()}.Contains(seq);
  }
  const auto* s = std::get_if<SynSent>(&state_);
  return s != nullptr && s->syn.count() > 0 && seq == s->offer.numbers.iss;
}

void Connection::OnUnreachable(TcpError error, Instant now) {
  if (Tcb* t = tcb()) {
    // [RFC 9293 3.9.2.2 MUST-56] the path may heal: retries go on
    t->soft_error = error;
  } else if (std::holds_alternative<SynSent>(state_)) {
    End(error, std::nullopt, now);
  }
}

void Connection::OnPath(const PathFacts& path, PathMtuCause cause) {
  if (Tcb* t = tcb()) {
    TakePath(*t, path, cause);
  } else if (auto* s = std::get_if<SynSent>(&state_)) {
    s->offer.TakePath(path);
  } else if (auto* s = std::get_if<SynReceived>(&state_)) {
    s->half_open.offer.TakePath(path);
  }
}

// --- Timers.

void Connection::OnTimer(Instant now) {
  Tcb* t = tcb();
  if (t == nullptr) return OnHandshakeTimer(now);
  switch (TimersExpire(*t, settings_, now)) {
    case TimeoutVerdict::kContinue:
      return;
    case TimeoutVerdict::kTimedOut:
      return End(t->timeout_error(), std::nullopt, now);
    case TimeoutVerdict::kPeerIsDead:
      return End(TcpError::kTimedOut, ResetOf(*t), now);
    case TimeoutVerdict::kOrphanExpired:
      t->Advance(TcpEvent::kTimeout);
      return BecomeClosed(*t, std::nullopt, now);
  }
}

void Connection::OnHandshakeTimer(Instant now) {
  const TcpConfig& config = *context_.config;
  auto expiry = SynTransmissions::Expiry::kNotYet;
  if (auto* s = std::get_if<SynSent>(&state_)) {
    expiry = s->syn.OnTimer(config.syn_retries, now);
  } else if (auto* s = std::get_if<SynReceived>(&state_)) {
    expiry = s->half_open.syn_ack.OnTimer(config.synack_retries, now);
  }
  if (expiry == SynTransmissions::Expiry::kGiveUp) {
    End(TcpError::kTimedOut, std::nullopt, now);
  }
}

Instant Connection::NextDeadline() const {
  if (const Tcb* t = tcb()) return t->timers.NextDeadline();
  const SynTransmissions* s = syn();
  return s != nullptr ? s->deadline() : Instant::Never();
}

// --- Changes of type.

Tcb& Connection::BecomeEstablished(const Handshake& handshake,
                                   [[maybe_unused]] TcpEvent event,
                                   Instant now) {
  assert(NextState(state(), event) == TcpState::kEstablished);
  Opening ahead = std::move(*opening());
  Tcb& t = state_.emplace<Tcb>(*context_.config, settings_, handshake, now);
  // What was accepted stays accepted, whatever buffer and memory are by now.
  t.sender.TakeOver(std::move(ahead.queued), *context_.pool);
  if (ahead.fin_queued) OnCloseWrite(t);
  return t;
}

void Connection::End(TcpError error, std::optional<OutSegment> last_segment,
                     Instant now) {
  assert(NextState(state(), TcpEvent::kReset) == TcpState::kClosed);
  error_ = error;
  if (Tcb* t = tcb()) {
    t->Advance(TcpEvent::kReset);
    return BecomeClosed(*t, std::move(last_segment), now);
  }
  state_.emplace<Closed>().last_segment = std::move(last_segment);
}

void Connection::BecomeClosed(Tcb& tcb, std::optional<OutSegment> last_segment,
                              Instant now) {
  Closed next = Conclude(tcb, now);
  if (last_segment) next.last_segment = std::move(last_segment);
  state_.emplace<Closed>(std::move(next));
}

Opening* Connection::opening() {
  if (auto* s = std::get_if<SynSent>(&state_)) return &s->opening;
  if (auto* s = std::get_if<SynReceived>(&state_)) return &s->opening;
  return nullptr;
}

const Opening* Connection::opening() const {
  return const_cast<Connection*>(this)->opening();
}

const SynTransmissions* Connection::syn() const {
  if (auto* s = std::get_if<SynSent>(&state_)) return &s->syn;
  if (auto* s = std::get_if<SynReceived>(&state_)) return &s->half_open.syn_ack;
  return nullptr;
}

// --- User calls.

size_t Connection::Send(ViewChain& data) {
  if (Tcb* t = tcb()) return t->sender.Write(data, *context_.pool);
  const size_t taken = std::min(data.size(), writable_bytes());
  if (taken > 0) opening()->queued.Append(data.SplitFront(taken));
  return taken;
}

size_t Connection::SendCopy(ByteSpan data) {
  if (Tcb* t = tcb()) return t->sender.WriteCopy(data, *context_.pool);
  const size_t taken = std::min(data.size(), writable_bytes());
  if (taken > 0) {
    opening()->queued.AppendCopy(*context_.pool, data.first(taken));
  }
  return taken;
}

ViewChain Connection::Recv(size_t max_bytes) {
  if (Tcb* t = tcb()) {
    t->receiver.SetShare(context_.pool->QueueShare());
    return t->receiver.Read(max_bytes);
  }
  auto* c = std::get_if<Closed>(&state_);
  if (c == nullptr) return {};
  return c->unread.SplitFront(std::min(max_bytes, c->unread.size()));
}

void Connection::CloseWrite() {
  if (Tcb* t = tcb()) return OnCloseWrite(*t);
  if (Opening* o = opening()) o->fin_queued = true;
}

void Connection::Close(Instant now) {
  if (Tcb* t = tcb()) {
    if (!OnUserClose(*t, *context_.config, now)) Abort(now);
  } else if (opening() != nullptr) {
    // [RFC 9293 3.10.4] before ESTABLISHED there is nothing to finish
    Abort(now);
    error_ = TcpError::kNone;
  } else {
    std::get<Closed>(state_).unread.Clear();
  }
}

void Connection::Abort(Instant now) {
  if (Tcb* t = tcb()) {
    t->orphaned = true;  // what is unread goes, too
    End(TcpError::kAborted, ResetOf(*t), now);
  } else if (const auto* s = std::get_if<SynReceived>(&state_)) {
    End(TcpError::kAborted, ResetOf(*s), now);
  } else if (std::holds_alternative<SynSent>(state_)) {
    End(TcpError::kAborted, std::nullopt, now);
  }
}

void Connection::SetSettings(const SocketSettings& settings) {
  settings_ = settings;
  Tcb* t = tcb();
  if (t == nullptr) return;
  t->sender.SetNoDelay(settings.no_delay);
  t->sender.SetSendBufferBytes(settings.send_buffer_bytes);
  t->receiver.SetBufferBytes(settings.receive_buffer_bytes);
  t->keepalive.SetSettings(settings, t->timers);
  t->timers.Cancel(TimerSlot::kUserTimeout);  // a new limit counts afresh
}

// --- Observation.

TcpState Connection::state() const {
  if (const Tcb* t = tcb()) return t->state;
  if (const Closed* c = closed()) return c->state;
  return std::holds_alternative<SynSent>(state_) ? TcpState::kSynSent
                                                 : TcpState::kSynReceived;
}

Readiness Connection::readiness() const {
  if (const Tcb* t = tcb()) return ReadinessOf(*t);
  if (const Closed* c = closed()) {
    return ReadinessOf(*c, error_ != TcpError::kNone);
  }
  return {};
}

size_t Connection::writable_bytes() const {
  if (const Tcb* t = tcb()) return t->sender.writable_bytes();
  const Opening* o = opening();
  if (o == nullptr || o->fin_queued) return 0;
  const size_t limit = settings_.send_buffer_bytes;
  return limit - std::min(limit, o->queued.size());
}

size_t Connection::readable_bytes() const {
  if (const Tcb* t = tcb()) return t->receiver.readable_bytes();
  return closed() != nullptr ? closed()->unread.size() : 0;
}

TimeWaitFacts Connection::time_wait() const {
  assert(state() == TcpState::kTimeWait);
  return closed()->time_wait;
}

TcpInfo Connection::Info() const {
  if (const Tcb* t = tcb()) return InfoOf(*t);
  TcpInfo info;
  if (const Closed* c = closed()) {
    info = c->info;
    info.readable_bytes = c->unread.size();
  }
  if (const Opening* o = opening()) info.unsent_bytes = o->queued.size();
  info.state = state();
  return info;
}

void Connection::CheckInvariants() const {
  if (const Tcb* t = tcb()) return tcp::CheckInvariants(*t);
  if (const SynTransmissions* s = syn()) {
    Require(s->due() || !s->deadline().IsNever(), "tcp::Connection",
            "an unfinished handshake has a timer");
  }
}

}  // namespace tcpip::tcp
