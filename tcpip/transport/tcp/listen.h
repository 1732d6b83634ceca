// LISTEN: half-open handshakes, the accept queue and its bound. RFC 9293
// 3.10.7.2, Linux's backlog rules.
//
// One Listener per listening socket; the stack demultiplexes segments to it by
// local endpoint when no connection matches. Half-open state is an entry here
// (at most 512 bytes), not a Connection; only the final ACK makes one. When
// the accept queue is full new SYNs and final ACKs are dropped, and the
// SYN-ACK timer tries again [fault C10].
#ifndef TCPIP_TRANSPORT_TCP_LISTEN_H_
#define TCPIP_TRANSPORT_TCP_LISTEN_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tcpip/base/intrusive_list.h"
#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/connection.h"
#include "tcpip/transport/tcp/isn.h"
#include "tcpip/transport/tcp/offer.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/tcb.h"
#include "tcpip/wire/address.h"

namespace tcpip::tcp {

// Why nothing was done about a segment, on purpose.
enum class ListenDrop : uint8_t {
  kNone,
  kNotForListen,  // neither opens nor goes on with a handshake
  kQueueFull,     // no room in the accept queue
  kTooManyHalfOpen,
};

struct ListenVerdict {
  // A segment to send at once for the tuple (SYN-ACK, RST, ACK).
  std::optional<OutSegment> reply;
  // The handshake finished: a connection in ESTABLISHED that has already
  // taken the final ACK's data. The stack registers it, then Enqueue()s it.
  std::unique_ptr<Connection> established;
  ListenDrop drop = ListenDrop::kNone;
};

struct TupleSegment {
  FourTuple tuple;
  OutSegment segment;
};

class Listener {
 public:
  Listener(const TcpContext& context, const SocketSettings& settings,
           uint32_t backlog);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // `numbers` are used when the segment is a SYN that opens an entry. O(1).
  ListenVerdict OnSegment(const FourTuple& tuple, Segment seg,
                          const PathFacts& path, const InitialNumbers& numbers,
                          Instant now);

  // SYN-ACK retransmissions and expiry of half-open entries. Call OnTimer at
  // NextDeadline, then PollSend until nullopt.
  void OnTimer(Instant now);
  std::optional<TupleSegment> PollSend(Instant now);
  Instant NextDeadline() const;

  // True when an established connection may be queued. As in Linux, a backlog
  // of n lets n + 1 wait.
  bool HasRoom() const { return accept_queue_.size() <= backlog_; }
  // The stack queues a connection's handle value (opaque here) for Accept.
  void Enqueue(uint64_t handle) { accept_queue_.push_back(handle); }
  std::optional<uint64_t> Accept();
  // A queued connection died before it was accepted. O(backlog).
  void Forget(uint64_t handle);

  uint32_t accept_queue_length() const {
    return static_cast<uint32_t>(accept_queue_.size());
  }
  uint32_t half_open() const { return static_cast<uint32_t>(entries_.size()); }
  uint32_t backlog() const { return backlog_; }

 private:
  struct Entry;

  ListenVerdict OnSyn(const FourTuple& tuple, const Segment& seg,
                      const PathFacts& path, const InitialNumbers& numbers,
                      Instant now);
  ListenVerdict OnHalfOpen(Entry& entry, Segment seg, Instant now);
  OutSegment SynAckDeparts(Entry& entry, Instant now);
  // Of a SYN-ACK that is not answered.
  uint8_t Retries() const;
  void Erase(Entry& entry);

  TcpContext context_;
  SocketSettings settings_;
  uint32_t backlog_;
  absl::flat_hash_map<FourTuple, std::unique_ptr<Entry>> entries_;
  // Entries by the number of SYN-ACKs sent. All in one list wait equally long,
  // so each list is in order of deadline. mutable: front() is not const.
  mutable std::vector<IntrusiveList<Entry>> waiting_;
  IntrusiveList<Entry> due_;
  std::deque<uint64_t> accept_queue_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_LISTEN_H_
