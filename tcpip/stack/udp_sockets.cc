#include "tcpip/stack/udp_sockets.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "tcpip/transport/udp/endpoint.h"

namespace tcpip {

absl::Status CheckFamily(const UdpSocket& udp, IpFamily family) {
  if (IsDual(udp.bound, udp.rules) || udp.bound.address.family() == family) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("a socket on ", udp.bound.ToString(), " has no way to ",
                   family == IpFamily::kIpv4 ? "IPv4" : "IPv6"));
}

UdpSockets::UdpSockets(StackContext& context, Rng& rng)
    : context_(context),
      demux_(rng),
      flows_(demux_.hash(), {&context.sockets}),
      ports_(context.config.first_ephemeral_port,
             context.config.last_ephemeral_port, rng) {}

absl::StatusOr<Socket*> UdpSockets::Open(const UdpOpenOptions& options) {
  IpEndpoint bound = options.local;
  // With a remote the path says whether the address will do.
  absl::Status status = options.remote
                            ? absl::OkStatus()
                            : context_.interfaces.CheckBind(bound.address);
  if (status.ok()) status = context_.CheckRoom();
  if (!status.ok()) return status;
  const auto is_own = [this](uint16_t port) {
    return context_.group.steering().OwnsPort(port);
  };
  if (bound.port == 0) {
    const std::optional<uint16_t> port = ports_.ForBinding(is_own);
    if (!port) return absl::UnavailableError("no free port");
    bound.port = *port;
  } else if (!is_own(bound.port)) {
    return absl::FailedPreconditionError(
        absl::StrCat("port ", bound.port, " belongs to another shard"));
  }
  if (!demux_.Bind(bound, options.rules)) {
    return absl::AlreadyExistsError(
        absl::StrCat(bound.ToString(), " is in use"));
  }
  ports_.Hold(bound.port);
  Socket& socket = *context_.sockets.Allocate();
  socket.kind =
      UdpSocket{bound, options.rules,
                std::make_unique<udp::Endpoint>(
                    bound, options.receive_queue_bytes, options.settings)};
  demux_.AddReceiver(bound, options.rules, socket.index);
  if (options.remote) status = Connect(socket, options.remote);
  if (!status.ok()) {
    Close(socket);
    return status;
  }
  return &socket;
}

absl::StatusOr<IpEndpoint> UdpSockets::LocalTowards(const UdpSocket& udp,
                                                    const IpEndpoint& remote) {
  if (remote.port == 0) {
    return absl::InvalidArgumentError("the remote needs a port");
  }
  absl::Status status = CheckFamily(udp, remote.address.family());
  if (!status.ok()) return status;
  const absl::StatusOr<Path> path =
      context_.interfaces.PathTo(remote.address, udp.bound.address);
  if (!path.ok()) return path.status();
  return IpEndpoint{path->source, udp.bound.port};
}

absl::Status UdpSockets::Connect(Socket& socket,
                                 const std::optional<IpEndpoint>& remote) {
  const UdpSocket& udp = *socket.As<UdpSocket>();
  if (!remote) {
    Detach(socket);
    demux_.AddReceiver(udp.bound, udp.rules, socket.index);
    udp.endpoint->SetEnds(udp.bound, std::nullopt);
    return absl::OkStatus();
  }
  const absl::StatusOr<IpEndpoint> local = LocalTowards(udp, *remote);
  if (!local.ok()) return local.status();
  const FourTuple tuple = {*local, *remote};
  if (const std::optional<uint32_t> holder = flows_.Find(tuple)) {
    if (*holder == socket.index) return absl::OkStatus();
    return absl::AlreadyExistsError(
        absl::StrCat(tuple.ToString(), " is in use"));
  }
  Detach(socket);
  udp.endpoint->SetEnds(*local, remote);
  flows_.Add(socket.index);
  return absl::OkStatus();
}

void UdpSockets::Detach(const Socket& socket) {
  const UdpSocket& udp = *socket.As<UdpSocket>();
  if (udp.endpoint->remote()) {
    flows_.Remove({udp.endpoint->local(), *udp.endpoint->remote()});
  } else {
    demux_.RemoveReceiver(udp.bound, udp.rules, socket.index);
  }
}

void UdpSockets::Close(Socket& socket) {
  const UdpSocket& udp = *socket.As<UdpSocket>();
  Detach(socket);
  demux_.Unbind(udp.bound, udp.rules);
  ports_.Release(udp.bound.port);
  context_.sockets.Release(socket);
}

Socket* UdpSockets::Find(const FourTuple& tuple) {
  std::optional<uint32_t> index = flows_.Find(tuple);
  if (!index) index = demux_.FindReceiver(tuple);
  return index ? &context_.sockets.at(*index) : nullptr;
}

}  // namespace tcpip
