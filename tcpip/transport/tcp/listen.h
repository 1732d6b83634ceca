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
#include <memory>
#include <optional>

#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/connection.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/wire/address.h"

namespace tcpip::tcp {

// ISN and timestamp offset for a tuple, from the stack's keyed generator.
struct InitialNumbers {
  SeqNum iss;
  uint32_t tsval_offset = 0;
};

struct ListenVerdict {
  // A segment to send at once for the tuple (SYN-ACK, RST, ACK).
  std::optional<OutSegment> reply;
  // The handshake finished: a connection in ESTABLISHED that has already
  // taken the final ACK's data. The stack registers it, then Enqueue()s it.
  std::unique_ptr<Connection> established;
  bool dropped = false;  // nothing done, on purpose; `drop_reason` says why
  const char* drop_reason = "";
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

  ListenVerdict OnSegment(const FourTuple& tuple, Segment seg,
                          const PathFacts& path,
                          const InitialNumbers& numbers, Instant now);

  // SYN-ACK retransmissions and expiry of half-open entries. Call OnTimer at
  // NextDeadline, then PollSend until nullopt.
  void OnTimer(Instant now);
  std::optional<TupleSegment> PollSend(Instant now);
  Instant NextDeadline() const;

  // True when an established connection may be queued (backlog not reached).
  bool HasRoom() const;
  // The stack queues a connection's handle value (opaque here) for Accept.
  void Enqueue(uint64_t handle);
  std::optional<uint64_t> Accept();
  // A queued connection died before it was accepted.
  void Forget(uint64_t handle);

  uint32_t accept_queue_length() const;
  uint32_t half_open() const;
  uint32_t backlog() const;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_LISTEN_H_
