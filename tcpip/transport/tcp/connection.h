// One TCP connection as a value that is stepped. RFC 9293 3.10.
//
// Dispatch only: states that differ are different types (SynSent, SynReceived,
// Tcb for the synchronized states, Closed) in a variant; the work is done in
// handshake, segment_arrives, segment_departs and closing, whose verdicts are
// acted on here. Knows no IP, no link, no clock: the stack wraps OutSegments
// for the connection's FourTuple and keeps its one timer-wheel node at
// NextDeadline(). Memory for queues appears with data.
//
// In CLOSED and TIME-WAIT (readiness().closed) the stack polls the last
// segment, moves time_wait() to its table and stops giving us segments; the
// object lives on only for what the user has not read.
#ifndef TCPIP_TRANSPORT_TCP_CONNECTION_H_
#define TCPIP_TRANSPORT_TCP_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "tcpip/base/bytes.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/closing.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/handshake.h"
#include "tcpip/transport/tcp/isn.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/offer.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/seq.h"
#include "tcpip/transport/tcp/state.h"
#include "tcpip/transport/tcp/tcb.h"
#include "tcpip/transport/tcp/time_wait.h"

namespace tcpip::tcp {

class Connection {
 public:
  // CLOSED -> SYN-SENT; the SYN comes from PollSend.
  Connection(const TcpContext& context, const PathFacts& path,
             const SocketSettings& settings, const InitialNumbers& numbers);
  // SYN-RECEIVED -> ESTABLISHED, on the final ACK a Listener accepted.
  Connection(const TcpContext& context, const SocketSettings& settings,
             const Handshake& handshake, Instant now);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Inputs. Each does bounded work and may change what PollSend says next.
  // OnSegment judges at seg.ingress for RTT and at `now` for timers.
  void OnSegment(Segment seg, Instant now);
  void OnTimer(Instant now);
  // Is what left at `seq` still under way? An ICMP error must quote such.
  // [RFC 5927 4.1]
  bool IsInFlight(SeqNum seq) const;
  // An ICMP error says that the peer cannot be reached: ends SYN-SENT, is a
  // soft error otherwise. [RFC 5927 5.2, RFC 9293 3.9.2.2]
  void OnUnreachable(TcpError error, Instant now);
  // What the path takes now. What we told the peer of our link stays.
  void OnPath(const PathFacts& path, PathMtuCause cause);

  // The next segment for the wire, or nullopt. Call until nullopt.
  std::optional<OutSegment> PollSend(Instant now);
  // When OnTimer must run at the latest.
  Instant NextDeadline() const;

  // User calls. Never block; return what was taken or given. Data written
  // before the handshake is over waits for it. [RFC 9293 3.10.2] A call takes
  // `now` when it may start or judge a timer.
  size_t Send(ViewChain& data);
  size_t SendCopy(ByteSpan data);
  ViewChain Recv(size_t max_bytes);
  void CloseWrite();  // FIN after what is queued
  // No more reads or writes by the user; FIN, and data still unread or
  // arriving later draws RST. [RFC 9293 3.6.1, RFC 2525 2.17]
  void Close(Instant now);
  void Abort(Instant now);  // RST, at once CLOSED

  void SetSettings(const SocketSettings& settings);

  TcpState state() const;
  TcpError error() const { return error_; }
  Readiness readiness() const;
  size_t writable_bytes() const;
  size_t readable_bytes() const;
  // In TIME-WAIT: what the compact entry needs.
  TimeWaitFacts time_wait() const;
  TcpInfo Info() const;
  // Aborts with a message when a rule of the hall, the Sender or the Receiver
  // is broken. Call it when PollSend has said nullopt. For tests and debug
  // builds.
  void CheckInvariants() const;

 private:
  void OnSegmentIn(SynSent& state, Segment& seg, Instant now);
  void OnSegmentIn(SynReceived& state, Segment& seg, Instant now);
  void OnSegmentIn(Tcb& tcb, Segment& seg, Instant now);
  void OnSegmentIn(Closed& state, Segment& seg, Instant now);

  void OnHandshakeTimer(Instant now);

  Tcb& BecomeEstablished(const Handshake& handshake, TcpEvent event,
                         Instant now);
  // To CLOSED by anything but FIN, with a last segment for the peer.
  void End(TcpError error, std::optional<OutSegment> last_segment, Instant now);
  // From `tcb` in CLOSED or TIME-WAIT: keeps what outlives it.
  void BecomeClosed(Tcb& tcb, std::optional<OutSegment> last_segment,
                    Instant now);

  // The variant's alternatives by what they share; null in the others.
  Tcb* tcb() { return std::get_if<Tcb>(&state_); }
  const Tcb* tcb() const { return std::get_if<Tcb>(&state_); }
  const Closed* closed() const { return std::get_if<Closed>(&state_); }
  Opening* opening();
  const Opening* opening() const;
  const SynTransmissions* syn() const;

  TcpContext context_;
  SocketSettings settings_;
  TcpError error_ = TcpError::kNone;
  std::variant<SynSent, SynReceived, Tcb, Closed> state_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_CONNECTION_H_
