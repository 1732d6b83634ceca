// The TCP sockets of a stack: from which tuple or port each is reached, and
// what happens around every step of one. RFC 9293 3.10, RFC 4022 counters.
//
// After each step of a connection, whoever made it calls Settle(): counters,
// timer, readiness, the list of senders, and leaving the demultiplexer in
// CLOSED and TIME-WAIT are decided there and nowhere else. A place whose user
// has gone is freed when its connection has sent its last segment, in
// PollSend. Segments arrive through tcp_input, user calls through tcp_calls.
#ifndef TCPIP_STACK_TCP_FLOWS_H_
#define TCPIP_STACK_TCP_FLOWS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/stack/context.h"
#include "tcpip/stack/demux.h"
#include "tcpip/stack/flow_set.h"
#include "tcpip/stack/ports.h"
#include "tcpip/stack/socket.h"
#include "tcpip/stack/socket_options.h"
#include "tcpip/stack/socket_table.h"
#include "tcpip/stack/stack_timer.h"
#include "tcpip/transport/tcp/config.h"
#include "tcpip/transport/tcp/connection.h"
#include "tcpip/transport/tcp/isn.h"
#include "tcpip/transport/tcp/offer.h"
#include "tcpip/transport/tcp/segment.h"
#include "tcpip/transport/tcp/time_wait.h"
#include "tcpip/wire/address.h"

namespace tcpip {

class TcpFlows {
 public:
  // Draws keys for the hash, the ports and the initial numbers, in this order.
  TcpFlows(StackContext& context, Rng& rng);
  ~TcpFlows();

  // Opens. Errors as in stack.h.
  absl::StatusOr<SocketId> Connect(const TcpConnectOptions& options,
                                   Instant now);
  absl::StatusOr<SocketId> Listen(const TcpListenOptions& options);
  // The oldest connection of the listener's accept queue, now the user's.
  absl::StatusOr<SocketId> Accept(Socket& listener);
  // Registers a connection that `listener` has just made, in its accept queue.
  // There must be room in the socket table.
  void AddEstablished(Socket& listener, Interface& interface,
                      const FourTuple& tuple,
                      std::unique_ptr<tcp::Connection> connection, Instant now);

  // After any step of the connection.
  void Settle(Socket& socket, Instant now);
  // The part of it that makes the present state known: timer, list of senders,
  // readiness.
  void Publish(Socket& socket);
  // After any step of the listener; sends what it has to send again.
  void SettleListener(Socket& socket, Instant now);

  // The path of a connection may take something else now.
  void TakePath(Socket& socket, tcp::PathMtuCause cause);
  // A link does. O(sockets).
  void OnLinkChanged(InterfaceId interface, Instant now);

  // Steps the socket whose timer expired.
  void OnTimer(Socket& socket, Instant now);
  void OnTimeWaitTimer(Instant now);

  // The next packet of a connection taken from the list of senders, to which
  // it returns if it sent one. May free the socket.
  std::optional<Packet> PollSend(Socket& socket, Instant now);

  // The user is gone. A listener's unaccepted connections are reset.
  void Close(Socket& socket, Instant now);
  void Abort(Socket& socket, Instant now);

  Packet Wrap(const Interface& interface, const FourTuple& tuple,
              tcp::OutSegment segment);

  // A segment to a flow in TIME-WAIT.
  tcp::TimeWaitVerdict OnTimeWaitSegment(const FourTuple& tuple,
                                         const tcp::Segment& segment,
                                         Instant now);

  // The connection of this tuple, or nullptr.
  Socket* FindFlow(const FourTuple& tuple) const {
    const std::optional<uint32_t> index = flows_.Find(tuple);
    return index ? &context_.sockets.at(*index) : nullptr;
  }
  size_t flow_count() const { return flows_.size(); }
  const Demux& demux() const { return demux_; }
  const tcp::TimeWaitTable& time_wait() const { return time_wait_; }
  const tcp::InitialNumberGenerator& numbers() const { return numbers_; }
  tcp::TcpContext tcp_context() const {
    return {&context_.config.tcp, &context_.pool};
  }

 private:
  Socket* NewConnection(Interface& interface, const FourTuple& tuple,
                        std::unique_ptr<tcp::Connection> connection);
  void Count(TcpSocket& flow);
  void Arm(StackTimer& timer, Instant deadline);
  // The local port of a new connection: `tuple`'s, or a free one where that is
  // 0, and ours in any case.
  absl::StatusOr<uint16_t> ChoosePort(const FourTuple& tuple);
  // After the table changed.
  void ArmTimeWait();
  void PublishListener(Socket& socket);
  // The tuple is free for others, or TIME-WAIT's.
  void LeaveDemux(TcpSocket& flow, Instant now);
  void CloseListener(Socket& socket, Instant now);
  void Disown(Socket& socket, Instant now);

  StackContext& context_;
  Demux demux_;
  FlowSet<TupleOfTcp> flows_;
  Ports ports_;
  tcp::InitialNumberGenerator numbers_;
  tcp::TimeWaitTable time_wait_;
  StackTimer time_wait_timer_{TimerUse::kTimeWait};
};

}  // namespace tcpip

#endif  // TCPIP_STACK_TCP_FLOWS_H_
