// The commands that are answered at once: everything that reads or changes the
// stack without waiting for a peer. One overload per command, each O(what it
// returns). Called by CommandProcessor on the shard's thread. Knows one shard:
// what concerns a whole group is brought to each by Tour.
#ifndef TCPIP_SHARD_IMMEDIATE_COMMANDS_H_
#define TCPIP_SHARD_IMMEDIATE_COMMANDS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tcpip/base/time.h"
#include "tcpip/link/link.h"
#include "tcpip/shard/command.h"
#include "tcpip/stack/stack.h"

namespace tcpip {

// Of the loop around the stack, which keeps it; GetStats reports it.
struct LoopStats {
  Instant start;
  uint64_t turns = 0;
};

class ImmediateCommands {
 public:
  using Answer = absl::StatusOr<reply::Body>;

  // All outlive this.
  ImmediateCommands(Stack& stack, Link& link, const LoopStats& loop)
      : stack_(stack), link_(link), loop_(loop) {}

  Answer operator()(const command::TcpListen& c, Instant now);
  Answer operator()(const command::SetSettings& c, Instant now);
  Answer operator()(const command::GetInfo& c, Instant now);
  Answer operator()(const command::ListSockets& c, Instant now);
  Answer operator()(const command::GetStats& c, Instant now);
  Answer operator()(const command::UdpOpen& c, Instant now);
  Answer operator()(const command::UdpSend& c, Instant now);
  Answer operator()(const command::UdpConnect& c, Instant now);
  Answer operator()(const command::UdpSetSettings& c, Instant now);
  Answer operator()(const command::UdpGetPathMtu& c, Instant now);
  Answer operator()(const command::AddAddress& c, Instant now);
  Answer operator()(const command::RemoveAddress& c, Instant now);
  Answer operator()(const command::AddRoute& c, Instant now);
  Answer operator()(const command::RemoveRoute& c, Instant now);
  Answer operator()(const command::GetNetwork& c, Instant now);
  Answer operator()(const command::SetOffloads& c, Instant now);

  // The reply that names a socket.
  Answer Opened(SocketId socket);

 private:
  absl::StatusOr<InterfaceId> FindInterface(const std::string& name) const;

  Stack& stack_;
  Link& link_;
  const LoopStats& loop_;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_IMMEDIATE_COMMANDS_H_
