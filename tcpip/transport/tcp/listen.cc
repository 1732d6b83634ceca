#include "tcpip/transport/tcp/listen.h"

#include <algorithm>
#include <utility>

#include "tcpip/transport/tcp/handshake.h"
#include "tcpip/transport/tcp/replies.h"

namespace tcpip::tcp {
namespace {

ListenVerdict Drop(ListenDrop why) {
  ListenVerdict verdict;
  verdict.drop = why;
  return verdict;
}

ListenVerdict Reply(std::optional<OutSegment> reply) {
  ListenVerdict verdict;
  verdict.reply = std::move(reply);
  return verdict;
}

}  // namespace

struct Listener::Entry : ListNode<Entry> {
  FourTuple tuple;
  HalfOpen half_open;
};

Listener::Listener(const TcpContext& context, const SocketSettings& settings,
                   uint32_t backlog)
    : context_(context),
      settings_(settings),
      backlog_(backlog),
      waiting_(context.config->synack_retries + 1) {
  static_assert(sizeof(Entry) <= 512, "[fault X01]");
}

Listener::~Listener() {
  for (auto& list : waiting_) list.Clear();
  due_.Clear();
}

ListenVerdict Listener::OnSegment(const FourTuple& tuple, Segment seg,
                                  const PathFacts& path,
                                  const InitialNumbers& numbers, Instant now) {
  const auto found = entries_.find(tuple);
  if (found != entries_.end()) {
    return OnHalfOpen(*found->second, std::move(seg), now);
  }
  // [RFC 9293 3.10.7.2] first, RST is ignored
  if (seg.flags.rst()) return Drop(ListenDrop::kNotForListen);
  // [RFC 9293 3.10.7.2] second, any ACK is bad: <SEQ=SEG.ACK><CTL=RST>
  if (seg.flags.ack()) return Reply(ResetFor(seg));
  // Third, SYN, whatever flags stand beside it. [fault C01]
  if (!seg.flags.syn()) return Drop(ListenDrop::kNotForListen);
  return OnSyn(tuple, seg, path, numbers, now);
}

ListenVerdict Listener::OnSyn(const FourTuple& tuple, const Segment& seg,
                              const PathFacts& path,
                              const InitialNumbers& numbers, Instant now) {
  if (!HasRoom()) return Drop(ListenDrop::kQueueFull);
  if (entries_.size() >= context_.config->max_half_open) {
    return Drop(ListenDrop::kTooManyHalfOpen);
  }
  auto entry = std::make_unique<Entry>();
  entry->tuple = tuple;
  entry->half_open.offer = MakeOffer(settings_, path, numbers);
  entry->half_open.peer = PeerSynOf(seg);
  Entry& added = *entries_.emplace(tuple, std::move(entry)).first->second;
  return Reply(SynAckDeparts(added, now));
}

ListenVerdict Listener::OnHalfOpen(Entry& entry, Segment seg, Instant now) {
  const TcpConfig& config = *context_.config;
  const HandshakeVerdict verdict = JudgeInSynReceived(entry.half_open, seg);
  switch (verdict) {
    case HandshakeVerdict::kReset:
    case HandshakeVerdict::kSyn:
      // [RFC 9293 3.10.7.4] a passive open returns to LISTEN; a client that
      // has started anew will send its SYN again.
      Erase(entry);
      return {};
    case HandshakeVerdict::kEstablished:
      break;
    default:
      return Reply(
          AnswerInSynReceived(config, entry.half_open, verdict, seg, now));
  }
  // [fault C10] our SYN-ACK will leave again, and be answered again
  if (!HasRoom()) return Drop(ListenDrop::kQueueFull);
  const Handshake handshake = Finish(config, entry.half_open, seg);
  Erase(entry);
  ListenVerdict done;
  done.established =
      std::make_unique<Connection>(context_, settings_, handshake, now);
  done.established->OnSegment(std::move(seg), now);
  return done;
}

OutSegment Listener::SynAckDeparts(Entry& entry, Instant now) {
  HalfOpen& h = entry.half_open;
  h.syn_ack.OnSent(*context_.config, now);
  waiting_[h.syn_ack.count() - 1].PushBack(entry);
  return MakeSynAck(*context_.config, h.offer, h.peer, now);
}

// [fault X30] the fewer answers a flood of SYNs draws, the less it is worth;
// and who is not there makes room for those who are
uint8_t Listener::Retries() const {
  const TcpConfig& config = *context_.config;
  const bool pressed = entries_.size() > config.max_half_open / 2;
  return pressed ? std::min(config.synack_retries,
                            config.synack_retries_under_pressure)
                 : config.synack_retries;
}

void Listener::OnTimer(Instant now) {
  using Expiry = SynTransmissions::Expiry;
  for (auto& list : waiting_) {
    while (!list.empty()) {
      Entry& entry = list.front();
      const Expiry expiry = entry.half_open.syn_ack.OnTimer(Retries(), now);
      if (expiry == Expiry::kNotYet) break;
      if (expiry == Expiry::kGiveUp) {
        Erase(entry);
      } else {
        due_.PushBack(list.PopFront());
      }
    }
  }
}

std::optional<TupleSegment> Listener::PollSend(Instant now) {
  if (due_.empty()) return std::nullopt;
  Entry& entry = due_.PopFront();
  return TupleSegment{entry.tuple, SynAckDeparts(entry, now)};
}

Instant Listener::NextDeadline() const {
  Instant next = Instant::Never();
  for (auto& list : waiting_) {
    if (list.empty()) continue;
    next = std::min(next, list.front().half_open.syn_ack.deadline());
  }
  return next;
}

void Listener::Erase(Entry& entry) {
  entry.Unlink();
  const FourTuple tuple = entry.tuple;
  entries_.erase(tuple);
}

std::optional<uint64_t> Listener::Accept() {
  if (accept_queue_.empty()) return std::nullopt;
  const uint64_t handle = accept_queue_.front();
  accept_queue_.pop_front();
  return handle;
}

void Listener::Forget(uint64_t handle) { std::erase(accept_queue_, handle); }

}  // namespace tcpip::tcp
