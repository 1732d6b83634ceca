#include "tcpip/transport/tcp/time_wait.h"

#include <algorithm>

#include "tcpip/transport/tcp/acceptability.h"
#include "tcpip/transport/tcp/isn.h"

namespace tcpip::tcp {

struct TimeWaitTable::Entry : ListNode<Entry> {
  FourTuple tuple;
  TimeWaitFacts facts;
  Instant deadline;
  AckLimiter ack_limiter;
};

namespace {

using Action = TimeWaitVerdict::Action;

// Nothing of ours is outstanding; how far back an old ACK may lie is not
// remembered, so every one is merely old.
Bounds BoundsOf(const TimeWaitFacts& facts) {
  return {.rcv_nxt = facts.rcv_nxt,
          .rcv_wnd = facts.rcv_wnd,
          .snd_una = facts.snd_nxt,
          .snd_max = facts.snd_nxt,
          .max_snd_wnd = WindowSize(kMaxWindow)};
}

// [RFC 7323 5.3 R1] older than what was already seen
bool FailsPaws(const TimeWaitFacts& facts, const Segment& seg) {
  return facts.ts_recent && seg.options.timestamps &&
         TsvalIsBefore(seg.options.timestamps->tsval, *facts.ts_recent);
}

// [RFC 6191 2] a SYN that cannot be an old duplicate
bool IsNewIncarnation(const TimeWaitFacts& facts, const Segment& seg) {
  if (FailsPaws(facts, seg)) return false;
  const auto& timestamps = seg.options.timestamps;
  const bool timestamp_is_new =
      timestamps && timestamps->tsval != facts.ts_recent;
  return timestamp_is_new || seg.seq > facts.rcv_nxt;
}

}  // namespace

TimeWaitTable::TimeWaitTable(const TcpConfig& config)
    : lifetime_(config.time_wait),
      max_entries_(std::max<size_t>(config.max_time_wait, 1)) {
  static_assert(sizeof(Entry) <= 112, "with its map slot: 128 bytes");
}

TimeWaitTable::~TimeWaitTable() { by_age_.Clear(); }

void TimeWaitTable::Add(const FourTuple& tuple, const TimeWaitFacts& facts,
                        Instant now) {
  Remove(tuple);
  if (entries_.size() >= max_entries_) {
    Erase(by_age_.front());
    ++evicted_;
  }
  auto entry = std::make_unique<Entry>();
  entry->tuple = tuple;
  entry->facts = facts;
  entry->deadline = now + lifetime_;
  by_age_.PushBack(*entry);
  const TupleRef key{&entry->tuple};
  entries_.emplace(key, std::move(entry));
}

bool TimeWaitTable::Contains(const FourTuple& tuple) const {
  return entries_.contains(TupleRef{&tuple});
}

TimeWaitVerdict TimeWaitTable::OnSegment(const FourTuple& tuple,
                                         const Segment& seg, Instant now) {
  const auto found = entries_.find(TupleRef{&tuple});
  if (found == entries_.end()) return {};
  Entry& entry = *found->second;
  if (seg.flags.syn() && !seg.flags.rst()) return OnSyn(entry, seg, now);
  if (FailsPaws(entry.facts, seg) && !seg.flags.rst()) {
    return Acknowledge(entry, seg, now);
  }
  switch (CheckAcceptability(BoundsOf(entry.facts), seg)) {
    case Verdict::kAck:
      // [RFC 9293 3.10.7.4] the peer's FIN again: acknowledge, restart 2 MSL
      if (seg.flags.fin()) Restart(entry, now);
      [[fallthrough]];
    case Verdict::kChallenge:
      return Acknowledge(entry, seg, now);
    case Verdict::kReset:
      // [RFC 9293 3.10.7.4] a genuine RST ends TIME-WAIT, as in Linux without
      // its RFC 1337 switch.
      Erase(entry);
      return {};
    case Verdict::kContinue:  // beyond the FIN nothing is expected
    case Verdict::kDrop:
    case Verdict::kSendReset:
      return {};
  }
  return {};
}

TimeWaitVerdict TimeWaitTable::OnSyn(Entry& entry, const Segment& seg,
                                     Instant now) {
  if (seg.flags.ack() || !IsNewIncarnation(entry.facts, seg)) {
    // [RFC 5961 4.2] any other SYN draws a challenge ACK [fault X04]
    return Acknowledge(entry, seg, now);
  }
  // [RFC 9293 3.10.7.4 MAY-2] a new incarnation, with an ISS beyond all that
  // the old one sent
  TimeWaitVerdict verdict{.action = Action::kReopen,
                          .reply = {},
                          .iss_floor = entry.facts.snd_nxt + 1};
  Erase(entry);
  return verdict;
}

TimeWaitVerdict TimeWaitTable::Acknowledge(Entry& entry, const Segment& seg,
                                           Instant now) {
  if (!entry.ack_limiter.AllowAck(seg, now)) return {};
  const TimeWaitFacts& facts = entry.facts;
  AckNumbers numbers{.snd_nxt = facts.snd_nxt,
                     .rcv_nxt = facts.rcv_nxt,
                     .wnd = facts.wnd,
                     .timestamps = {}};
  if (facts.ts_recent) {
    numbers.timestamps = {TsvalAt(now, facts.tsval_offset), *facts.ts_recent};
  }
  return {.action = Action::kReply, .reply = MakeAck(numbers), .iss_floor = {}};
}

void TimeWaitTable::Remove(const FourTuple& tuple) {
  const auto found = entries_.find(TupleRef{&tuple});
  if (found != entries_.end()) Erase(*found->second);
}

void TimeWaitTable::OnTimer(Instant now) {
  while (!by_age_.empty() && by_age_.front().deadline <= now) {
    Erase(by_age_.front());
  }
}

Instant TimeWaitTable::NextDeadline() const {
  return by_age_.empty() ? Instant::Never() : by_age_.front().deadline;
}

void TimeWaitTable::Erase(Entry& entry) {
  entry.Unlink();
  // Out of the map first: the key points into the entry.
  const auto found = entries_.find(TupleRef{&entry.tuple});
  const std::unique_ptr<Entry> owned = std::move(found->second);
  entries_.erase(found);
}

void TimeWaitTable::Restart(Entry& entry, Instant now) {
  entry.Unlink();
  entry.deadline = now + lifetime_;
  by_age_.PushBack(entry);
}

}  // namespace tcpip::tcp
