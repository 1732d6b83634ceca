#include "tcpip/stack/stack.h"

#include <utility>

#include "tcpip/stack/flow_checks.h"
#include "tcpip/stack/interfaces.h"
#include "tcpip/stack/readiness.h"
#include "tcpip/stack/socket.h"
#include "tcpip/stack/stack_parts.h"
#include "tcpip/stack/steering.h"
#include "tcpip/stack/summary.h"

namespace tcpip {
Stack::Stack(const StackConfig& config, SlabPool& pool, Rng& rng, Instant now)
    : parts_(std::make_unique<StackParts>(config, pool, rng, now)) {}

Stack::~Stack() = default;

// --- Interfaces, addresses, routes.

InterfaceId Stack::AddInterface(const InterfaceConfig& config) {
  return parts_->context.interfaces.Add(config);
}

void Stack::SetCapabilities(InterfaceId interface,
                            const LinkCapabilities& capabilities, Instant now) {
  Interface* const known = parts_->context.interfaces.Find(interface);
  if (known == nullptr) return;
  const LinkCapabilities before = known->config().link;
  known->SetCapabilities(capabilities);
  if (known->config().link != before) {
    parts_->flows.OnLinkChanged(interface, now);
  }
}

absl::Status Stack::AddAddress(InterfaceId interface, const Cidr& address) {
  return parts_->context.interfaces.AddAddress(interface, address);
}

absl::Status Stack::RemoveAddress(InterfaceId interface,
                                  const IpAddress& address) {
  return parts_->context.interfaces.RemoveAddress(interface, address);
}

absl::Status Stack::AddRoute(const Route& route) {
  return parts_->context.interfaces.AddRoute(route);
}

absl::Status Stack::RemoveRoute(const Cidr& destination) {
  return parts_->context.interfaces.RemoveRoute(destination);
}

std::vector<InterfaceInfo> Stack::Interfaces() const {
  std::vector<InterfaceInfo> all;
  for (const auto& interface : parts_->context.interfaces.all()) {
    all.push_back(
        {interface->id(),
         interface->config(),
         {interface->addresses().begin(), interface->addresses().end()}});
  }
  return all;
}

std::vector<Route> Stack::Routes() const {
  const std::span<const Route> routes = parts_->context.interfaces.routes();
  return {routes.begin(), routes.end()};
}

// --- Packets and time.

void Stack::SetTap(PacketTap* tap) { parts_->context.watch.set_tap(tap); }

void Stack::OnPackets(InterfaceId interface, std::span<Packet> batch,
                      Instant now) {
  Interface* const ingress = parts_->context.interfaces.Find(interface);
  if (ingress == nullptr) return;
  for (Packet& packet : batch) {
    parts_->context.watch.Begin(interface, packet, now);
    parts_->input.OnPacket(*ingress, std::move(packet), now);
    parts_->context.watch.End();
  }
}

GroupMember& Stack::group() { return parts_->context.group; }

void Stack::OnTimers(Instant now) { parts_->OnTimers(now); }

void Stack::DrainOutput(InterfaceId interface, PacketBatch& to, size_t max,
                        Instant now) {
  Interface* const egress = parts_->context.interfaces.Find(interface);
  if (egress == nullptr) return;
  for (size_t i = 0; i < max; ++i) {
    std::optional<Packet> packet = parts_->NextOutput(*egress, now);
    if (!packet) return;
    to.push_back(*std::move(packet));
  }
}

bool Stack::HasOutput(InterfaceId interface) const {
  Interface* const egress = parts_->context.interfaces.Find(interface);
  return egress != nullptr && !egress->output().empty();
}

Instant Stack::NextDeadline() { return parts_->context.timers.NextDeadline(); }

// --- TCP sockets.

absl::StatusOr<SocketId> Stack::TcpConnect(const TcpConnectOptions& options,
                                           Instant now) {
  return parts_->flows.Connect(options, now);
}

absl::StatusOr<SocketId> Stack::TcpListen(const TcpListenOptions& options) {
  return parts_->flows.Listen(options);
}

absl::StatusOr<Dialer> Stack::OwnerOfDial(const TcpConnectOptions& options) {
  const Steering& steering = parts_->context.group.steering();
  const std::optional<IpEndpoint>& local = options.local;
  if (!local || local->port == 0) return Dialer{steering.index(), local};
  const absl::StatusOr<Path> path =
      parts_->context.interfaces.PathTo(options.remote.address, local->address);
  if (!path.ok()) return path.status();
  const IpEndpoint from = {path->source, local->port};
  return Dialer{steering.OwnerOfTcp({from, options.remote}), from};
}

absl::StatusOr<SocketId> Stack::TcpAccept(SocketId listener) {
  const auto socket = parts_->Find<ListenSocket>(listener);
  if (!socket.ok()) return socket.status();
  return parts_->flows.Accept(**socket);
}

absl::StatusOr<size_t> Stack::TcpSend(SocketId id, ViewChain& data,
                                      Instant now) {
  const auto socket = parts_->Find<TcpSocket>(id);
  if (!socket.ok()) return socket.status();
  return parts_->calls.Send(**socket, data, now);
}

absl::StatusOr<size_t> Stack::TcpSendCopy(SocketId id, ByteSpan data,
                                          Instant now) {
  const auto socket = parts_->Find<TcpSocket>(id);
  if (!socket.ok()) return socket.status();
  return parts_->calls.SendCopy(**socket, data, now);
}

absl::StatusOr<ViewChain> Stack::TcpRecv(SocketId id, size_t max_bytes,
                                         Instant now) {
  const auto socket = parts_->Find<TcpSocket>(id);
  if (!socket.ok()) return socket.status();
  return parts_->calls.Recv(**socket, max_bytes, now);
}

absl::Status Stack::TcpCloseWrite(SocketId id, Instant now) {
  const auto socket = parts_->Find<TcpSocket>(id);
  if (!socket.ok()) return socket.status();
  return parts_->calls.CloseWrite(**socket, now);
}

absl::Status Stack::TcpSetSettings(SocketId id,
                                   const tcp::SocketSettings& settings) {
  const auto socket = parts_->Find<TcpSocket>(id);
  if (!socket.ok()) return socket.status();
  (*socket)->As<TcpSocket>()->connection->SetSettings(settings);
  parts_->flows.Publish(**socket);
  return absl::OkStatus();
}

absl::StatusOr<tcp::TcpInfo> Stack::TcpGetInfo(SocketId id) const {
  const auto socket = parts_->Find<TcpSocket>(id);
  if (!socket.ok()) return socket.status();
  return (*socket)->As<TcpSocket>()->connection->Info();
}

absl::StatusOr<tcp::Readiness> Stack::GetReadiness(SocketId id) const {
  const absl::StatusOr<Socket*> socket = parts_->FindAny(id);
  if (!socket.ok()) return socket.status();
  return ReadyBits::Unpack((*socket)->ready_now);
}

absl::StatusOr<tcp::TcpError> Stack::TcpGetError(SocketId id) const {
  const auto socket = parts_->Find<TcpSocket>(id);
  if (!socket.ok()) return socket.status();
  return (*socket)->As<TcpSocket>()->connection->error();
}

absl::StatusOr<FourTuple> Stack::GetTuple(SocketId id) const {
  const absl::StatusOr<Socket*> socket = parts_->FindAny(id);
  if (!socket.ok()) return socket.status();
  return TupleOf(**socket);
}

// --- UDP and echo.

absl::StatusOr<SocketId> Stack::UdpOpen(const UdpOpenOptions& options) {
  return parts_->datagrams.OpenUdp(options);
}

absl::Status Stack::UdpConnect(SocketId id,
                               const std::optional<IpEndpoint>& remote) {
  const auto socket = parts_->Find<UdpSocket>(id);
  if (!socket.ok()) return socket.status();
  return parts_->datagrams.ConnectUdp(**socket, remote);
}

absl::Status Stack::UdpSetSettings(SocketId id, const UdpSettings& settings) {
  const auto socket = parts_->Find<UdpSocket>(id);
  if (!socket.ok()) return socket.status();
  (*socket)->As<UdpSocket>()->endpoint->SetSettings(settings);
  return absl::OkStatus();
}

absl::Status Stack::UdpSend(SocketId id, const std::optional<IpEndpoint>& to,
                            ByteSpan payload, const UdpControl& control) {
  const auto socket = parts_->Find<UdpSocket>(id);
  if (!socket.ok()) return socket.status();
  return parts_->datagrams.SendUdp(**socket, to, payload, control);
}

absl::StatusOr<std::optional<Datagram>> Stack::UdpRecv(
    SocketId id, const UdpReceiveOptions& options) {
  const auto socket = parts_->Find<UdpSocket>(id);
  if (!socket.ok()) return socket.status();
  if (absl::Status e = parts_->datagrams.TakeError(**socket); !e.ok()) return e;
  return parts_->datagrams.ReceiveUdp(**socket, options);
}

absl::StatusOr<uint32_t> Stack::UdpGetPathMtu(
    SocketId id, const std::optional<IpEndpoint>& to) {
  const auto socket = parts_->Find<UdpSocket>(id);
  if (!socket.ok()) return socket.status();
  return parts_->datagrams.UdpPathMtu(**socket, to);
}

absl::StatusOr<SocketId> Stack::EchoOpen(const IpAddress& remote) {
  return parts_->datagrams.OpenEcho(remote);
}

absl::Status Stack::EchoSend(SocketId id, uint16_t seq, size_t payload_bytes,
                             Instant now) {
  const auto socket = parts_->Find<EchoSocket>(id);
  if (!socket.ok()) return socket.status();
  return parts_->datagrams.SendEcho(**socket, seq, payload_bytes, now);
}

absl::StatusOr<std::optional<EchoReply>> Stack::EchoRecv(SocketId id) {
  const auto socket = parts_->Find<EchoSocket>(id);
  if (!socket.ok()) return socket.status();
  return parts_->datagrams.ReceiveEcho(**socket);
}

// --- Any socket.

absl::Status Stack::Close(SocketId id, Instant now) {
  const absl::StatusOr<Socket*> socket = parts_->FindAny(id);
  if (!socket.ok()) return socket.status();
  if ((*socket)->As<TcpSocket>() || (*socket)->As<ListenSocket>()) {
    parts_->flows.Close(**socket, now);
  } else {
    parts_->datagrams.Close(**socket);
  }
  return absl::OkStatus();
}

absl::Status Stack::Abort(SocketId id, Instant now) {
  const absl::StatusOr<Socket*> socket = parts_->FindAny(id);
  if (!socket.ok()) return socket.status();
  if ((*socket)->As<TcpSocket>() || (*socket)->As<ListenSocket>()) {
    parts_->flows.Abort(**socket, now);
  } else {
    parts_->datagrams.Close(**socket);
  }
  return absl::OkStatus();
}

std::optional<ReadyEvent> Stack::NextReady() {
  const Socket* const socket = parts_->context.ready.Next();
  if (socket == nullptr) return std::nullopt;
  return ReadyEvent{socket->id(), ReadyBits::Unpack(socket->ready_now),
                    (socket->ready_now & ReadyBits::kAcceptable) != 0};
}

std::vector<SocketSummary> Stack::ListSockets(uint32_t& cursor,
                                              size_t max) const {
  return ListSummaries(parts_->context.sockets, cursor, max);
}

StackStats Stack::Stats() const { return parts_->Stats(); }

void Stack::CheckInvariants() const {
  CheckFlows(parts_->context, parts_->flows);
  parts_->input.CheckInvariants();
}

}  // namespace tcpip
