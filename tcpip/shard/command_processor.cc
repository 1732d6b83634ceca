#include "tcpip/shard/command_processor.h"

#include <algorithm>
#include <type_traits>

#include "tcpip/buffer/view_chain.h"
#include "tcpip/shard/errors.h"

namespace tcpip {
namespace {

OwnedBytes CopyOut(const ViewChain& chain) {
  OwnedBytes bytes = OwnedBytes::Allocate(chain.size());
  chain.CopyTo({bytes.mutable_data(), bytes.size()});
  return bytes;
}

constexpr Instant DeadlineAfter(Instant now, Duration timeout) {
  return timeout == Duration::Zero() ? Instant::Never() : now + timeout;
}

}  // namespace

CommandProcessor::CommandProcessor(Stack& stack, Link& link,
                                   const LoopStats& loop,
                                   size_t max_pending_commands)
    : stack_(stack),
      immediate_(stack, link, loop),
      max_pending_commands_(max_pending_commands) {}

void CommandProcessor::OnCommand(Command&& command, Instant now) {
  std::visit(
      [&](auto& body) { Execute(std::move(command.reply_to), body, now); },
      command.body);
}

template <typename Immediate>
void CommandProcessor::Execute(const ReplyTo& to, Immediate& c, Instant now) {
  Reply(to, immediate_(c, now), now);
}

void CommandProcessor::Execute(ReplyTo to, command::TcpDial& c, Instant now) {
  absl::StatusOr<SocketId> socket = stack_.TcpConnect(c.options, now);
  if (!socket.ok()) return Reply(to, socket.status(), now);
  sockets_[*socket];
  Start(*socket, {std::move(to), Handshake{}, DeadlineAfter(now, c.timeout)},
        now);
}

void CommandProcessor::Execute(ReplyTo to, command::Ping& c, Instant now) {
  absl::StatusOr<SocketId> socket = stack_.EchoOpen(c.remote);
  if (!socket.ok()) return Reply(to, socket.status(), now);
  absl::Status sent = stack_.EchoSend(*socket, c.seq, c.payload_bytes, now);
  if (!sent.ok()) {
    stack_.Close(*socket, now).IgnoreError();
    return Reply(to, sent, now);
  }
  sockets_[*socket];
  Start(*socket, {std::move(to), Echo{}, now + c.timeout}, now);
}

void CommandProcessor::Execute(ReplyTo to, command::TcpAccept& c, Instant now) {
  Start(c.listener, {std::move(to), c}, now);
}

void CommandProcessor::Execute(ReplyTo to, command::TcpSend& c, Instant now) {
  Start(c.socket, {std::move(to), Send{std::move(c.data)}}, now);
}

void CommandProcessor::Execute(const ReplyTo& to, command::TcpCloseWrite& c,
                               Instant now) {
  absl::Status status = CheckStart(c.socket, Send{});
  if (status.ok()) status = stack_.TcpCloseWrite(c.socket, now);
  Reply(to, status.ok() ? Answer(reply::Done{}) : status, now);
}

void CommandProcessor::Execute(const ReplyTo& to, command::Close& c,
                               Instant now) {
  Cancel(c.socket);
  sockets_.erase(c.socket);
  absl::Status status = stack_.Close(c.socket, now);
  Reply(to, status.ok() ? Answer(reply::Done{}) : status, now);
}

void CommandProcessor::Execute(const ReplyTo& to, command::Abort& c,
                               Instant now) {
  Cancel(c.socket);
  sockets_.erase(c.socket);
  absl::Status status = stack_.Abort(c.socket, now);
  Reply(to, status.ok() ? Answer(reply::Done{}) : status, now);
}

void CommandProcessor::Execute(const ReplyTo& to, command::Cancel& c,
                               Instant now) {
  const ReplySink* const whose = c.sink == nullptr ? to.sink().get() : c.sink;
  const auto it = cancellable_.find({whose, c.cookie});
  if (it == cancellable_.end()) {
    return Reply(to, absl::NotFoundError("no such command waits"), now);
  }
  GiveUp(it->second, absl::CancelledError("cancelled"), now);
  Reply(to, reply::Done{}, now);
}

// Whether an operation of this kind may begin on the socket.
absl::Status CommandProcessor::CheckStart(SocketId socket,
                                          const Wanted& wanted) const {
  const auto it = sockets_.find(socket);
  if (it == sockets_.end()) return absl::NotFoundError("no such socket");
  if (it->second == nullptr || it->second->empty()) return absl::OkStatus();
  // Its id is no secret, ListSockets shows it.
  if (HasOwnSocket(it->second->front().wanted)) {
    return absl::FailedPreconditionError("the socket is not open yet");
  }
  if (std::holds_alternative<command::TcpAccept>(wanted)) {
    return absl::OkStatus();
  }
  for (const Operation& other : *it->second) {
    if (other.wanted.index() == wanted.index()) {
      return absl::FailedPreconditionError(
          "another command of this kind is pending on the socket");
    }
  }
  return absl::OkStatus();
}

void CommandProcessor::Start(SocketId socket, Operation operation,
                             Instant now) {
  if (absl::Status s = CheckStart(socket, operation.wanted); !s.ok()) {
    return Reply(operation.reply_to, s, now);
  }
  if (waiting_ >= max_pending_commands_) {
    return Finish(socket, operation, TooManyPending(), now);
  }
  std::unique_ptr<Operations>& operations = sockets_[socket];
  if (operations == nullptr) operations = std::make_unique<Operations>();
  if (!operation.deadline.IsNever()) {
    deadlines_.emplace(operation.deadline, socket);
  }
  if (HasOwnSocket(operation.wanted)) {
    cancellable_[KeyOf(operation)] = socket;
  }
  operations->push_back(std::move(operation));
  ++waiting_;
  Continue(socket, *operations, now);
}

bool CommandProcessor::OnReady(const ReadyEvent& event, Instant now) {
  const auto it = sockets_.find(event.socket);
  if (it == sockets_.end()) return false;
  if (it->second != nullptr) Continue(event.socket, *it->second, now);
  return true;
}

void CommandProcessor::Continue(SocketId socket, Operations& operations,
                                Instant now) {
  for (size_t i = 0; i < operations.size();) {
    Attempt attempt =
        std::visit([&](auto& wanted) { return Try(socket, wanted, now); },
                   operations[i].wanted);
    if (attempt.ok() && !attempt->has_value()) {
      // Those behind one who waits for a connection wait for one, too.
      if (std::holds_alternative<command::TcpAccept>(operations[i].wanted)) {
        return;
      }
      ++i;
      continue;
    }
    const Operation operation = std::move(operations[i]);
    operations.erase(operations.begin() + static_cast<ptrdiff_t>(i));
    --waiting_;
    // That of a failed dial or a ping is alone: `operations` goes with it.
    const bool was_last = operations.empty();
    Finish(socket, operation,
           attempt.ok() ? Answer(**std::move(attempt)) : attempt.status(), now);
    if (was_last) return;
  }
}

void CommandProcessor::Finish(SocketId socket, const Operation& operation,
                              Answer answer, Instant now) {
  if (!operation.deadline.IsNever()) {
    deadlines_.erase({operation.deadline, socket});
  }
  if (HasOwnSocket(operation.wanted)) {
    cancellable_.erase(KeyOf(operation));
    // The socket of a ping, and of a dial that failed, is nobody's.
    if (!answer.ok() || std::holds_alternative<Echo>(operation.wanted)) {
      sockets_.erase(socket);
      stack_.Abort(socket, now).IgnoreError();
    }
  }
  Reply(operation.reply_to, std::move(answer), now);
}

void CommandProcessor::Reply(const ReplyTo& to, Answer answer, Instant now) {
  SocketId opened;
  if (answer.ok()) {
    if (const auto* body = std::get_if<reply::Opened>(&*answer)) {
      opened = body->socket;
      sockets_.try_emplace(opened);
    }
  }
  const bool seen = to.Answer(std::move(answer));
  if (!seen && opened.IsValid()) {  // nobody will ever close it
    sockets_.erase(opened);
    stack_.Abort(opened, now).IgnoreError();
  }
}

void CommandProcessor::OnTimers(Instant now) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    GiveUp(deadlines_.begin()->second, absl::DeadlineExceededError("timed out"),
           now);
  }
}

void CommandProcessor::GiveUp(SocketId socket, const absl::Status& why,
                              Instant now) {
  // `sockets_` has no place for it after the first, whose own it is.
  const Operations waiting = std::exchange(*sockets_.at(socket), {});
  waiting_ -= waiting.size();
  for (const Operation& operation : waiting) {
    Finish(socket, operation, why, now);
  }
}

bool CommandProcessor::HasOwnSocket(const Wanted& wanted) {
  return std::holds_alternative<Handshake>(wanted) ||
         std::holds_alternative<Echo>(wanted);
}

Instant CommandProcessor::NextDeadline() const {
  return deadlines_.empty() ? Instant::Never() : deadlines_.begin()->first;
}

void CommandProcessor::Cancel(SocketId socket) {
  const auto it = sockets_.find(socket);
  if (it == sockets_.end() || it->second == nullptr) return;
  for (const Operation& operation : *it->second) {
    deadlines_.erase({operation.deadline, socket});
    if (HasOwnSocket(operation.wanted)) {
      cancellable_.erase(KeyOf(operation));
    }
    operation.reply_to.Answer(CancelledByClose());
  }
  waiting_ -= it->second->size();
  it->second->clear();
}

void CommandProcessor::CancelAll() {
  for (const auto& [socket, operations] : sockets_) Cancel(socket);
}

// Why a connection cannot go on: its own error where it has one.
absl::Status CommandProcessor::FailureOf(SocketId socket,
                                         absl::Status otherwise) const {
  absl::StatusOr<tcp::TcpError> error = stack_.TcpGetError(socket);
  if (!error.ok() || *error == tcp::TcpError::kNone) return otherwise;
  return StatusOf(*error);
}

CommandProcessor::Attempt CommandProcessor::Try(SocketId socket, Handshake&,
                                                Instant) {
  absl::StatusOr<tcp::Readiness> ready = stack_.GetReadiness(socket);
  if (!ready.ok()) return ready.status();
  if (ready->connected) {
    Answer opened = immediate_.Opened(socket);
    if (!opened.ok()) return opened.status();
    return *std::move(opened);
  }
  if (!ready->closed) return std::nullopt;
  return FailureOf(socket, absl::UnavailableError("connection failed"));
}

CommandProcessor::Attempt CommandProcessor::Try(SocketId socket, Echo&,
                                                Instant) {
  absl::StatusOr<std::optional<EchoReply>> reply = stack_.EchoRecv(socket);
  if (!reply.ok()) return reply.status();
  if (!reply->has_value()) return std::nullopt;
  return reply::PingReply{**reply};
}

CommandProcessor::Attempt CommandProcessor::Try(SocketId socket, Send& send,
                                                Instant now) {
  absl::StatusOr<size_t> n =
      stack_.TcpSendCopy(socket, send.data.span().subspan(send.taken), now);
  if (!n.ok()) return FailureOf(socket, n.status());
  send.taken += *n;
  if (send.taken == send.data.size()) return reply::Done{};
  absl::StatusOr<tcp::Readiness> ready = stack_.GetReadiness(socket);
  if (!ready.ok()) return ready.status();
  if (!ready->closed) return std::nullopt;
  return FailureOf(socket,
                   absl::FailedPreconditionError("the connection is closed"));
}

CommandProcessor::Attempt CommandProcessor::Try(SocketId socket,
                                                command::TcpAccept&, Instant) {
  absl::StatusOr<SocketId> accepted = stack_.TcpAccept(socket);
  if (absl::IsUnavailable(accepted.status())) return std::nullopt;
  if (!accepted.ok()) return accepted.status();
  Answer opened = immediate_.Opened(*accepted);
  if (!opened.ok()) return opened.status();
  return *std::move(opened);
}

CommandProcessor::Attempt CommandProcessor::Try(SocketId socket,
                                                command::TcpRecv& recv,
                                                Instant now) {
  if (recv.max_bytes == 0) {
    return absl::InvalidArgumentError("max_bytes must not be 0");
  }
  absl::StatusOr<ViewChain> data = stack_.TcpRecv(socket, recv.max_bytes, now);
  if (!data.ok()) return FailureOf(socket, data.status());
  absl::StatusOr<tcp::Readiness> ready = stack_.GetReadiness(socket);
  if (!ready.ok()) return ready.status();
  // The FIN is behind the bytes only when no more bytes are.
  const bool eof = ready->read_closed && data->size() < recv.max_bytes;
  if (!data->empty()) return reply::Received{CopyOut(*data), eof};
  if (ready->closed || ready->read_closed) {
    absl::Status failure = FailureOf(socket, absl::OkStatus());
    if (!failure.ok()) return failure;
    if (eof) return reply::Received{OwnedBytes(), true};
    return absl::FailedPreconditionError("the connection is closed");
  }
  return std::nullopt;
}

CommandProcessor::Attempt CommandProcessor::Try(SocketId socket,
                                                command::UdpRecv& recv,
                                                Instant) {
  absl::StatusOr<std::optional<Datagram>> datagram =
      stack_.UdpRecv(socket, recv.options);
  if (!datagram.ok()) return datagram.status();
  if (!datagram->has_value()) return std::nullopt;
  const Datagram& got = **datagram;
  return reply::DatagramReceived{
      got.source,    got.destination, CopyOut(got.payload), got.ttl, got.tos,
      got.interface, got.size};
}

}  // namespace tcpip
