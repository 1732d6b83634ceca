#include "tcpip/shard/immediate_commands.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/steering.h"

namespace tcpip {
namespace {

using Answer = ImmediateCommands::Answer;

// One page at most: the shard has other work.
constexpr uint32_t kMaxListed = 4096;

Answer DoneIf(absl::Status status) {
  if (!status.ok()) return status;
  return reply::Done{};
}

}  // namespace

Answer ImmediateCommands::Opened(SocketId socket) {
  absl::StatusOr<FourTuple> tuple = stack_.GetTuple(socket);
  if (!tuple.ok()) return tuple.status();
  return reply::Opened{socket, *tuple};
}

Answer ImmediateCommands::operator()(const command::TcpListen& c, Instant) {
  absl::StatusOr<SocketId> socket = stack_.TcpListen(c.options);
  return socket.ok() ? Opened(*socket) : Answer(socket.status());
}

Answer ImmediateCommands::operator()(const command::UdpOpen& c, Instant) {
  absl::StatusOr<SocketId> socket = stack_.UdpOpen(c.options);
  return socket.ok() ? Opened(*socket) : Answer(socket.status());
}

Answer ImmediateCommands::operator()(const command::UdpSend& c, Instant) {
  return DoneIf(stack_.UdpSend(c.socket, c.to, c.payload.span(), c.control));
}

Answer ImmediateCommands::operator()(const command::UdpConnect& c, Instant) {
  return DoneIf(stack_.UdpConnect(c.socket, c.remote));
}

Answer ImmediateCommands::operator()(const command::UdpSetSettings& c,
                                     Instant) {
  return DoneIf(stack_.UdpSetSettings(c.socket, c.settings));
}

Answer ImmediateCommands::operator()(const command::UdpGetPathMtu& c, Instant) {
  const absl::StatusOr<uint32_t> mtu = stack_.UdpGetPathMtu(c.socket, c.to);
  if (!mtu.ok()) return mtu.status();
  return reply::PathMtu{*mtu};
}

Answer ImmediateCommands::operator()(const command::SetSettings& c, Instant) {
  return DoneIf(stack_.TcpSetSettings(c.socket, c.settings));
}

Answer ImmediateCommands::operator()(const command::GetInfo& c, Instant) {
  absl::StatusOr<tcp::TcpInfo> info = stack_.TcpGetInfo(c.socket);
  if (!info.ok()) return info.status();
  absl::StatusOr<FourTuple> tuple = stack_.GetTuple(c.socket);
  if (!tuple.ok()) return tuple.status();
  return reply::Info{*tuple, *info};
}

Answer ImmediateCommands::operator()(const command::ListSockets& c, Instant) {
  reply::Sockets result;
  result.next_cursor = c.cursor;
  const uint32_t max = std::clamp<uint32_t>(c.max, 1, kMaxListed);
  for (const SocketSummary& summary :
       stack_.ListSockets(result.next_cursor, max)) {
    reply::Sockets::Entry entry{summary, std::nullopt};
    if (c.with_info) {
      absl::StatusOr<tcp::TcpInfo> info =
          stack_.TcpGetInfo(entry.summary.socket);
      if (info.ok()) entry.info = *info;
    }
    result.entries.push_back(entry);
  }
  // The list of a group goes on with the next shard.
  const Steering& steering = stack_.group().steering();
  if (result.next_cursor == 0 && steering.index() + 1 < steering.count()) {
    result.next_cursor = SocketId::SlotOf(steering.index() + 1, 0);
  }
  return result;
}

Answer ImmediateCommands::operator()(const command::GetStats&, Instant now) {
  return reply::Stats{stack_.Stats(), link_.counters(), now - loop_.start,
                      loop_.turns};
}

absl::StatusOr<InterfaceId> ImmediateCommands::FindInterface(
    const std::string& name) const {
  for (const InterfaceInfo& interface : stack_.Interfaces()) {
    if (interface.config.name == name) return interface.id;
  }
  return absl::NotFoundError(absl::StrCat("no interface \"", name, "\""));
}

Answer ImmediateCommands::operator()(const command::AddAddress& c, Instant) {
  absl::StatusOr<InterfaceId> interface = FindInterface(c.interface);
  if (!interface.ok()) return interface.status();
  return DoneIf(stack_.AddAddress(*interface, c.address));
}

Answer ImmediateCommands::operator()(const command::RemoveAddress& c, Instant) {
  absl::StatusOr<InterfaceId> interface = FindInterface(c.interface);
  if (!interface.ok()) return interface.status();
  return DoneIf(stack_.RemoveAddress(*interface, c.address));
}

Answer ImmediateCommands::operator()(const command::AddRoute& c, Instant) {
  absl::StatusOr<InterfaceId> interface = FindInterface(c.interface);
  if (!interface.ok()) return interface.status();
  return DoneIf(stack_.AddRoute({c.destination, *interface}));
}

Answer ImmediateCommands::operator()(const command::RemoveRoute& c, Instant) {
  return DoneIf(stack_.RemoveRoute(c.destination));
}

Answer ImmediateCommands::operator()(const command::GetNetwork&, Instant) {
  return reply::Network{stack_.Interfaces(), stack_.Routes(), link_.offloads()};
}

Answer ImmediateCommands::operator()(const command::SetOffloads& c, Instant) {
  return DoneIf(link_.SetOffloads(c.rx, c.tx));
}

}  // namespace tcpip
