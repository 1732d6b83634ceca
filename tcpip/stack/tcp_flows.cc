#include "tcpip/stack/tcp_flows.h"

#include <cassert>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tcpip/stack/packet_output.h"
#include "tcpip/stack/readiness.h"

namespace tcpip {
TcpFlows::TcpFlows(StackContext& context, Rng& rng)
    : context_(context),
      demux_(rng),
      flows_(demux_.hash(), {&context.sockets}),
      ports_(context.config.first_ephemeral_port,
             context.config.last_ephemeral_port, rng),
      numbers_(rng),
      time_wait_(context.config.tcp) {}

TcpFlows::~TcpFlows() { context_.timers.Cancel(time_wait_timer_); }

absl::StatusOr<uint16_t> TcpFlows::ChoosePort(const FourTuple& tuple) {
  const Steering& steering = context_.group.steering();
  const auto from = [&tuple](uint16_t port) {
    return FourTuple{{tuple.local.address, port}, tuple.remote};
  };
  const auto is_free = [this](const FourTuple& candidate) {
    return !flows_.Find(candidate) && !time_wait_.Contains(candidate);
  };
  if (tuple.local.port == 0) {
    // [fault C24] not a port that somebody listens on either
    const std::optional<uint16_t> port = ports_.ForConnection(
        tuple.local.address, tuple.remote, [&, this](uint16_t p) {
          return steering.OwnsTcp(from(p)) && !demux_.FindReceiver(from(p)) &&
                 is_free(from(p));
        });
    if (port) return *port;
    return absl::UnavailableError(
        absl::StrCat("no free port for ", tuple.remote.ToString()));
  }
  if (!steering.OwnsTcp(tuple)) {
    return absl::FailedPreconditionError(
        absl::StrCat(tuple.ToString(), " belongs to another shard"));
  }
  if (!is_free(tuple)) {
    return absl::AlreadyExistsError(
        absl::StrCat(tuple.ToString(), " is in use"));
  }
  return tuple.local.port;
}

absl::StatusOr<SocketId> TcpFlows::Connect(const TcpConnectOptions& options,
                                           Instant now) {
  const IpEndpoint& remote = options.remote;
  if (remote.port == 0) {
    return absl::InvalidArgumentError("a connection needs a remote port");
  }
  std::optional<IpAddress> from;
  if (options.local) from = options.local->address;
  const absl::StatusOr<Path> path =
      context_.interfaces.PathTo(remote.address, from);
  if (!path.ok()) return path.status();
  FourTuple tuple = {
      {path->source, options.local ? options.local->port : uint16_t{0}},
      remote};
  const absl::StatusOr<uint16_t> port = ChoosePort(tuple);
  if (!port.ok()) return port.status();
  tuple.local.port = *port;
  absl::Status room = context_.CheckRoom();
  if (!room.ok()) return room;
  Socket& socket = *NewConnection(
      *path->interface, tuple,
      std::make_unique<tcp::Connection>(
          tcp_context(),
          context_.interfaces.PathFor(*path->interface, remote.address),
          options.settings, numbers_.For(tuple, now)));
  ++context_.stats.tcp_active_opens;
  Settle(socket, now);
  return socket.id();
}

absl::StatusOr<SocketId> TcpFlows::Listen(const TcpListenOptions& options) {
  IpEndpoint bound = options.local;
  absl::Status bindable = context_.interfaces.CheckBind(bound.address);
  if (!bindable.ok()) return bindable;
  absl::Status room = context_.CheckRoom();
  if (!room.ok()) return room;
  if (bound.port == 0) {
    const std::optional<uint16_t> port = ports_.ForBinding();
    if (!port) return absl::UnavailableError("no free port");
    bound.port = *port;
  }
  if (!demux_.Bind(bound, options.rules)) {
    return absl::AlreadyExistsError(
        absl::StrCat(bound.ToString(), " is in use"));
  }
  Socket& socket = *context_.sockets.Allocate();
  socket.kind =
      ListenSocket{.local = bound,
                   .rules = options.rules,
                   .listener = std::make_unique<tcp::Listener>(
                       tcp_context(), options.settings, options.backlog)};
  demux_.AddReceiver(bound, options.rules, socket.index);
  ports_.Hold(bound.port);
  return socket.id();
}

absl::StatusOr<SocketId> TcpFlows::Accept(Socket& listener) {
  const std::optional<uint64_t> handle =
      listener.As<ListenSocket>()->listener->Accept();
  if (!handle) return absl::UnavailableError("no connection waits");
  Socket* const socket = context_.sockets.Find(SocketId::FromU64(*handle));
  assert(socket != nullptr);
  socket->owner = SocketOwner::kUser;
  context_.ready.Update(*socket, socket->ready_now);
  PublishListener(listener);
  return socket->id();
}

Socket* TcpFlows::NewConnection(Interface& interface, const FourTuple& tuple,
                                std::unique_ptr<tcp::Connection> connection) {
  Socket* const socket = context_.sockets.Allocate();
  socket->interface = interface.id();
  TcpSocket& flow = socket->kind.emplace<TcpSocket>();
  flow.tuple = tuple;
  flow.connection = std::move(connection);
  [[maybe_unused]] const bool added = flows_.Add(socket->index);
  assert(added);
  ports_.Hold(tuple.local.port);
  return socket;
}

void TcpFlows::AddEstablished(Socket& listener, Interface& interface,
                              const FourTuple& tuple,
                              std::unique_ptr<tcp::Connection> connection,
                              Instant now) {
  Socket& socket = *NewConnection(interface, tuple, std::move(connection));
  socket.owner = SocketOwner::kListener;
  socket.As<TcpSocket>()->listener = listener.id();
  listener.As<ListenSocket>()->listener->Enqueue(socket.id().ToU64());
  ++context_.stats.tcp_passive_opens;
  // The link may be another than the SYN came by.
  TakePath(socket, tcp::PathMtuCause::kLinkChanged);
  Settle(socket, now);
}

void TcpFlows::Count(TcpSocket& flow) {
  const tcp::TcpState state = flow.connection->state();
  if (state == flow.state) return;
  StackStats& stats = context_.stats;
  const bool was_established = tcp::CountsAsEstablished(flow.state);
  if (was_established) --stats.tcp_curr_estab;
  if (tcp::CountsAsEstablished(state)) ++stats.tcp_curr_estab;
  if (state == tcp::TcpState::kClosed) {
    // RFC 4022's tcpEstabResets and tcpAttemptFails.
    if (was_established) ++stats.tcp_estab_resets;
    if (flow.state == tcp::TcpState::kSynSent ||
        flow.state == tcp::TcpState::kSynReceived) {
      ++stats.tcp_attempt_fails;
    }
  }
  flow.state = state;
}

void TcpFlows::Arm(StackTimer& timer, Instant deadline) {
  if (timer.deadline() != deadline) context_.timers.Set(timer, deadline);
}

void TcpFlows::ArmTimeWait() {
  Arm(time_wait_timer_, time_wait_.NextDeadline());
}

void TcpFlows::LeaveDemux(TcpSocket& flow, Instant now) {
  flow.reachable = false;
  flows_.Remove(flow.tuple);
  ports_.Release(flow.tuple.local.port);
  if (flow.state == tcp::TcpState::kTimeWait) {
    time_wait_.Add(flow.tuple, flow.connection->time_wait(), now);
    ArmTimeWait();
  }
}

void TcpFlows::Settle(Socket& socket, Instant now) {
  TcpSocket& flow = *socket.As<TcpSocket>();
  Count(flow);
  if (flow.reachable && (flow.state == tcp::TcpState::kClosed ||
                         flow.state == tcp::TcpState::kTimeWait)) {
    LeaveDemux(flow, now);
    if (socket.owner == SocketOwner::kListener) {
      Socket* const listener = context_.sockets.Find(flow.listener);
      assert(listener != nullptr);
      listener->As<ListenSocket>()->listener->Forget(socket.id().ToU64());
      PublishListener(*listener);
      context_.sockets.Disown(socket);
    }
  }
  Publish(socket);
}

void TcpFlows::Publish(Socket& socket) {
  const TcpSocket& flow = *socket.As<TcpSocket>();
  Arm(socket,
      flow.reachable ? flow.connection->NextDeadline() : Instant::Never());
  context_.interfaces.at(socket.interface).output().AddSender(socket);
  context_.ready.Update(socket, ReadyBits::Pack(flow.connection->readiness()));
}

void TcpFlows::SettleListener(Socket& socket, Instant now) {
  tcp::Listener& listener = *socket.As<ListenSocket>()->listener;
  while (auto again = listener.PollSend(now)) {
    const auto interface =
        context_.interfaces.Towards(again->tuple.remote.address);
    if (!interface.ok()) {
      context_.Drop(DropReason::kNoRoute);
      continue;
    }
    ++context_.stats.tcp_retrans_segs;
    context_.SendControl(**interface, Wrap(**interface, again->tuple,
                                           std::move(again->segment)));
  }
  PublishListener(socket);
}

void TcpFlows::PublishListener(Socket& socket) {
  ListenSocket& listen = *socket.As<ListenSocket>();
  const tcp::Listener& listener = *listen.listener;
  context_.stats.tcp_half_open += listener.half_open();
  context_.stats.tcp_half_open -= listen.half_open;
  listen.half_open = listener.half_open();
  Arm(socket, listener.NextDeadline());
  context_.ready.Update(
      socket, listener.accept_queue_length() == 0 ? 0 : ReadyBits::kAcceptable);
}

void TcpFlows::TakePath(Socket& socket, tcp::PathMtuCause cause) {
  const TcpSocket& flow = *socket.As<TcpSocket>();
  flow.connection->OnPath(
      context_.interfaces.PathFor(context_.interfaces.at(socket.interface),
                                  flow.tuple.remote.address),
      cause);
}

void TcpFlows::OnLinkChanged(InterfaceId interface, Instant now) {
  for (uint32_t index = 0; index < context_.sockets.index_count(); ++index) {
    Socket& socket = context_.sockets.at(index);
    if (!socket.As<TcpSocket>() || socket.interface != interface) continue;
    TakePath(socket, tcp::PathMtuCause::kLinkChanged);
    Settle(socket, now);
  }
}

void TcpFlows::OnTimer(Socket& socket, Instant now) {
  if (ListenSocket* const listen = socket.As<ListenSocket>()) {
    listen->listener->OnTimer(now);
    SettleListener(socket, now);
  } else if (TcpSocket* const flow = socket.As<TcpSocket>()) {
    // It may wait for what was too big, and another connection was told.
    TakePath(socket, tcp::PathMtuCause::kPacketTooBig);
    flow->connection->OnTimer(now);
    Settle(socket, now);
  }
}

tcp::TimeWaitVerdict TcpFlows::OnTimeWaitSegment(const FourTuple& tuple,
                                                 const tcp::Segment& segment,
                                                 Instant now) {
  tcp::TimeWaitVerdict verdict = time_wait_.OnSegment(tuple, segment, now);
  ArmTimeWait();
  return verdict;
}

void TcpFlows::OnTimeWaitTimer(Instant now) {
  time_wait_.OnTimer(now);
  ArmTimeWait();
}

Packet TcpFlows::Wrap(const Interface& interface, const FourTuple& tuple,
                      tcp::OutSegment segment) {
  context_.stats.tcp_out_segs += segment.mss_count();
  if (segment.flags.rst()) ++context_.stats.tcp_out_rsts;
  return WrapTcp(context_.pool, interface, tuple, std::move(segment),
                 context_.config.ttl);
}

std::optional<Packet> TcpFlows::PollSend(Socket& socket, Instant now) {
  TcpSocket& flow = *socket.As<TcpSocket>();
  std::optional<tcp::OutSegment> segment = flow.connection->PollSend(now);
  if (!segment) {
    if (!flow.reachable && socket.owner == SocketOwner::kNobody) {
      context_.sockets.Release(socket);
    } else if (flow.reachable) {
      Arm(socket, flow.connection->NextDeadline());
    }
    return std::nullopt;
  }
  if (segment->retransmission) {
    context_.stats.tcp_retrans_segs += segment->mss_count();
  }
  Packet packet = Wrap(context_.interfaces.at(socket.interface), flow.tuple,
                       *std::move(segment));
  Settle(socket, now);
  return packet;
}

void TcpFlows::Disown(Socket& socket, Instant now) {
  context_.sockets.Disown(socket);
  Settle(socket, now);
}

void TcpFlows::Close(Socket& socket, Instant now) {
  if (TcpSocket* const flow = socket.As<TcpSocket>()) {
    flow->connection->Close(now);
    Disown(socket, now);
  } else {
    CloseListener(socket, now);
  }
}

void TcpFlows::Abort(Socket& socket, Instant now) {
  if (TcpSocket* const flow = socket.As<TcpSocket>()) {
    flow->connection->Abort(now);
    Disown(socket, now);
  } else {
    CloseListener(socket, now);
  }
}

void TcpFlows::CloseListener(Socket& socket, Instant now) {
  ListenSocket& listen = *socket.As<ListenSocket>();
  // [RFC 9293 3.10.4.2] what nobody will accept is reset
  while (const auto handle = listen.listener->Accept()) {
    Abort(*context_.sockets.Find(SocketId::FromU64(*handle)), now);
  }
  context_.stats.tcp_half_open -= listen.half_open;
  demux_.RemoveReceiver(listen.local, listen.rules, socket.index);
  demux_.Unbind(listen.local, listen.rules);
  ports_.Release(listen.local.port);
  context_.timers.Cancel(socket);
  context_.sockets.Release(socket);
}

}  // namespace tcpip
