// One TCP connection as a value that is stepped. RFC 9293 3.10.
//
// Dispatch only: states that differ are different types (SynSent, SynReceived,
// Tcb for the synchronized states, Closed) in a variant; the work is done in
// handshake, segment_arrives and closing. Knows no IP, no link, no clock: the
// stack wraps OutSegments for the connection's FourTuple and keeps its one
// timer-wheel node at NextDeadline(). Memory for queues appears with data.
#ifndef TCPIP_TRANSPORT_TCP_CONNECTION_H_
#define TCPIP_TRANSPORT_TCP_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/transport/tcp/state.h"

namespace tcpip::tcp {

// What connections of one stack share. Outlives them.
struct TcpContext {
  const TcpConfig* config;
  SlabPool* pool;
};

// What the path offers, from the route's interface.
struct PathFacts {
  uint16_t mss = 1460;         // largest payload our link takes: MTU - headers
  uint32_t max_gso_bytes = 0;  // payload the link will cut for us; 0 = none
};

// Why a connection ended other than by FIN.
enum class TcpError : uint8_t {
  kNone,
  kRefused,      // RST in answer to our SYN
  kReset,        // RST from the peer
  kTimedOut,     // retries or user timeout used up
  kUnreachable,  // ICMP while connecting
  kAborted,      // by us
};

// Level-triggered facts about a socket.
struct Readiness {
  bool readable = false;     // bytes, EOF or an error to read
  bool writable = false;     // room in the send buffer, or an error
  bool connected = false;    // reached a synchronized state
  bool read_closed = false;  // the peer's FIN has been reached
  bool closed = false;       // nothing more will happen (CLOSED or TIME-WAIT)
  friend bool operator==(const Readiness&, const Readiness&) = default;
};

// What TIME-WAIT must remember. [RFC 9293 3.6.1]
struct TimeWaitFacts {
  SeqNum snd_nxt;
  SeqNum rcv_nxt;
  WireWindow wnd;
  std::optional<uint32_t> ts_recent;
  uint32_t tsval_offset = 0;
};

// A finished passive handshake, from Listener to Connection.
struct PassiveOpen;

class Connection {
 public:
  struct ActiveOpen {
    SeqNum iss;
    uint32_t tsval_offset = 0;  // added to the clock in ms for TSval
  };

  // CLOSED -> SYN-SENT; the SYN comes from PollSend.
  Connection(const TcpContext& context, const PathFacts& path,
             const SocketSettings& settings, const ActiveOpen& open,
             Instant now);
  // SYN-RECEIVED -> ESTABLISHED, on the final ACK a Listener accepted.
  Connection(const TcpContext& context, const SocketSettings& settings,
             const PassiveOpen& open, Instant now);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Inputs. Each does bounded work and may change what PollSend says next.
  // OnSegment judges at seg.ingress for RTT and at `now` for timers.
  void OnSegment(Segment seg, Instant now);
  void OnTimer(Instant now);
  // ICMP destination unreachable for this flow: ends SYN-SENT, is a soft error
  // otherwise. [RFC 5927 4.1, RFC 9293 3.9.2.2]
  void OnUnreachable(Instant now);
  void OnPathMtu(uint16_t mss, Instant now);

  // The next segment for the wire, or nullopt. Call until nullopt.
  std::optional<OutSegment> PollSend(Instant now);
  // When OnTimer must run at the latest.
  Instant NextDeadline() const;

  // User calls. Never block; return what was taken or given.
  size_t Send(ViewChain& data, Instant now);
  size_t SendCopy(ByteSpan data, Instant now);
  ViewChain Recv(size_t max_bytes, Instant now);
  void CloseWrite(Instant now);  // FIN after what is queued
  // No more reads or writes by the user; FIN, and data still unread or
  // arriving later draws RST. [RFC 9293 3.6.1, RFC 2525 2.17]
  void Close(Instant now);
  void Abort(Instant now);  // RST, at once CLOSED

  void SetNoDelay(bool on);
  void SetSettings(const SocketSettings& settings);

  TcpState state() const;
  TcpError error() const;
  Readiness readiness() const;
  size_t writable_bytes() const;
  size_t readable_bytes() const;
  // In TIME-WAIT: what the compact entry needs.
  TimeWaitFacts time_wait() const;
  TcpInfo Info() const;
  void CheckInvariants() const;

 private:
  struct Impl;  // replaced by the unit's author with the real members
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_CONNECTION_H_
