// TIME-WAIT without a connection: one compact entry per tuple. RFC 9293 3.6.1
// and 3.10.7.4, RFC 5961, RFC 6191.
//
// The stack adds an entry when a connection reaches TIME-WAIT, asks the table
// for tuples no connection claims, and steps it at NextDeadline(). All entries
// live equally long, so their order of age is the order of expiry and every
// operation is O(1). At the configured maximum the oldest goes first.
#ifndef TCPIP_TRANSPORT_TCP_TIME_WAIT_H_
#define TCPIP_TRANSPORT_TCP_TIME_WAIT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "tcpip/base/intrusive_list.h"
#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/replies.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/wire/address.h"

namespace tcpip::tcp {

// What TIME-WAIT must remember of a connection. [RFC 9293 3.6.1]
struct TimeWaitFacts {
  SeqNum snd_nxt;
  SeqNum rcv_nxt;
  WireWindow wnd;                     // the field our ACKs carry
  WindowSize rcv_wnd;                 // what it means in bytes
  std::optional<uint32_t> ts_recent;  // none: timestamps were off
  uint32_t tsval_offset = 0;
};

struct TimeWaitVerdict {
  enum class Action : uint8_t {
    kNone,
    kReply,   // send `reply`
    kReopen,  // a new incarnation: the entry is gone, offer the SYN to a
              // listener with numbers AtLeast(iss_floor)
  };
  Action action = Action::kNone;
  std::optional<OutSegment> reply;
  SeqNum iss_floor;
};

class TimeWaitTable {
 public:
  explicit TimeWaitTable(const TcpConfig& config);
  ~TimeWaitTable();

  // Starts the 2 MSL timer; replaces an entry of the same tuple.
  void Add(const FourTuple& tuple, const TimeWaitFacts& facts, Instant now);
  bool Contains(const FourTuple& tuple) const;
  // The tuple must be in the table.
  TimeWaitVerdict OnSegment(const FourTuple& tuple, const Segment& seg,
                            Instant now);
  // Nothing happens when the tuple is not in the table.
  void Remove(const FourTuple& tuple);
  // Drops entries whose time is over. O(entries dropped).
  void OnTimer(Instant now);
  Instant NextDeadline() const;

  size_t size() const { return entries_.size(); }
  size_t evicted() const { return evicted_; }

 private:
  struct Entry;
  // Looks up by value, stores eight bytes: the tuple is in the entry.
  struct TupleRef {
    const FourTuple* tuple;
    friend bool operator==(TupleRef a, TupleRef b) {
      return *a.tuple == *b.tuple;
    }
    template <typename H>
    friend H AbslHashValue(H h, TupleRef t) {
      return H::combine(std::move(h), *t.tuple);
    }
  };

  void Erase(Entry& entry);
  void Restart(Entry& entry, Instant now);
  TimeWaitVerdict OnSyn(Entry& entry, const Segment& seg, Instant now);
  TimeWaitVerdict Acknowledge(Entry& entry, const Segment& seg, Instant now);

  Duration lifetime_;
  size_t max_entries_;
  size_t evicted_ = 0;
  absl::flat_hash_map<TupleRef, std::unique_ptr<Entry>> entries_;
  mutable IntrusiveList<Entry> by_age_;  // mutable: front() is not const
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_TIME_WAIT_H_
