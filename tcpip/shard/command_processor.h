// CommandProcessor: executes commands against the stack and answers each one
// exactly once. What must wait for a peer waits here, with its socket:
//
//   command --> possible now? --yes--> reply
//                    | no
//                    v
//        operations of the socket --OnReady, OnTimers, Close, Cancel-->
//        reply
//
// The processor owns the sockets that commands opened; events of others are
// not its own, and OnReady says so. No thread and no clock: the shard calls
// it, and so may a test in virtual time. Bounded: at most
// `max_pending_commands` commands wait, a further one is RESOURCE_EXHAUSTED.
#ifndef TCPIP_SHARD_COMMAND_PROCESSOR_H_
#define TCPIP_SHARD_COMMAND_PROCESSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tcpip/base/time.h"
#include "tcpip/link/link.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/immediate_commands.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/stack.h"

namespace tcpip {

class CommandProcessor {
 public:
  // `stack`, `link` and `loop` outlive this.
  CommandProcessor(Stack& stack, Link& link, const LoopStats& loop,
                   size_t max_pending_commands);

  void OnCommand(Command&& command, Instant now);

  // False when the socket was not opened by a command.
  bool OnReady(const ReadyEvent& event, Instant now);

  // Ends dials and pings whose time is up.
  void OnTimers(Instant now);
  Instant NextDeadline() const;

  // Answers everything that waits with CANCELLED.
  void CancelAll();

 private:
  using Answer = ImmediateCommands::Answer;
  // An answer, or nullopt: it must wait.
  using Attempt = absl::StatusOr<std::optional<reply::Body>>;

  // What a waiting command wants.
  struct Handshake {};  // of the socket's own dial
  struct Echo {};       // the socket's own ping
  struct Send {
    OwnedBytes data;
    size_t taken = 0;  // bytes in the send queue already
  };
  using Wanted = std::variant<Handshake, Echo, Send, command::TcpAccept,
                              command::TcpRecv, command::UdpRecv>;
  struct Operation {
    ReplyTo reply_to;
    Wanted wanted;
    Instant deadline = Instant::Never();
  };
  using Operations = std::vector<Operation>;
  using Key = std::pair<const ReplySink*, uint64_t>;
  static Key KeyOf(const Operation& operation) {
    return {operation.reply_to.sink().get(), operation.reply_to.cookie()};
  }

  // Commands that may wait; all others are immediate.
  void Execute(ReplyTo to, command::TcpDial& c, Instant now);
  void Execute(ReplyTo to, command::Ping& c, Instant now);
  void Execute(ReplyTo to, command::TcpAccept& c, Instant now);
  void Execute(ReplyTo to, command::TcpSend& c, Instant now);
  void Execute(ReplyTo to, command::TcpRecv& c, Instant now) {
    Start(c.socket, {std::move(to), c}, now);
  }
  void Execute(ReplyTo to, command::UdpRecv& c, Instant now) {
    Start(c.socket, {std::move(to), c}, now);
  }
  // Commands that end waits, or must not pass them.
  void Execute(const ReplyTo& to, command::TcpCloseWrite& c, Instant now);
  void Execute(const ReplyTo& to, command::Close& c, Instant now);
  void Execute(const ReplyTo& to, command::Abort& c, Instant now);
  void Execute(const ReplyTo& to, command::Cancel& c, Instant now);
  template <typename Immediate>
  void Execute(const ReplyTo& to, Immediate& c, Instant now);

  Attempt Try(SocketId socket, Handshake&, Instant now);
  Attempt Try(SocketId socket, Echo&, Instant now);
  Attempt Try(SocketId socket, Send& send, Instant now);
  Attempt Try(SocketId socket, command::TcpAccept&, Instant now);
  Attempt Try(SocketId socket, command::TcpRecv& recv, Instant now);
  Attempt Try(SocketId socket, command::UdpRecv& recv, Instant now);

  void Start(SocketId socket, Operation operation, Instant now);
  // Tries all operations of the socket.
  void Continue(SocketId socket, Operations& operations, Instant now);
  // Answers an operation that is no longer in any list.
  void Finish(SocketId socket, const Operation& operation, Answer answer,
              Instant now);
  // Ends the dial or ping that waits on a socket of its own.
  void GiveUp(SocketId socket, const absl::Status& why, Instant now);
  void Cancel(SocketId socket);
  // Of a dial or a ping: while it waits, nothing else may on its socket.
  static bool HasOwnSocket(const Wanted& wanted);
  void Reply(const ReplyTo& to, Answer answer, Instant now);

  absl::Status CheckStart(SocketId socket, const Wanted& wanted) const;
  absl::Status FailureOf(SocketId socket, absl::Status otherwise) const;

  Stack& stack_;
  ImmediateCommands immediate_;
  size_t max_pending_commands_;
  size_t waiting_ = 0;
  // Null until something waits for the socket.
  absl::flat_hash_map<SocketId, std::unique_ptr<Operations>> sockets_;
  std::set<std::pair<Instant, SocketId>> deadlines_;  // of dials and pings
  // Dials and pings, by whom to answer.
  absl::flat_hash_map<Key, SocketId> cancellable_;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_COMMAND_PROCESSOR_H_
