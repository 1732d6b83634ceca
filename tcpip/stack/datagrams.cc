#include "tcpip/stack/datagrams.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tcpip/base/checksum.h"
#include "tcpip/network/ip.h"
#include "tcpip/stack/packet_output.h"
#include "tcpip/stack/readiness.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/udp.h"

namespace tcpip {
namespace {

uint8_t ReadyBitsFor(bool readable) {
  return static_cast<uint8_t>(ReadyBits::kWritable |
                              (readable ? ReadyBits::kReadable : 0));
}

// Copies into as many blocks as it takes.
ViewChain CopyToChain(SlabPool& pool, ByteSpan bytes) {
  ViewChain chain;
  chain.AppendCopy(pool, bytes);
  return chain;
}

}  // namespace

Datagrams::Datagrams(StackContext& context, Rng& rng)
    : context_(context),
      udp_demux_(rng),
      udp_ports_(context.config.first_ephemeral_port,
                 context.config.last_ephemeral_port, rng),
      echo_ids_(1, 0xffff, rng) {}

absl::StatusOr<Datagrams::Departure> Datagrams::DepartureFor(
    const IpAddress& remote, const std::optional<IpAddress>& local,
    size_t transport_bytes) {
  const absl::StatusOr<Path> path = context_.interfaces.PathTo(remote, local);
  if (!path.ok()) return path.status();
  const size_t size = ip::HeaderSize(remote.family()) + transport_bytes;
  if (size > path->mtu) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a packet of ", size, " bytes exceeds the MTU of ", path->mtu));
  }
  if (path->interface->output().datagrams().full()) {
    return absl::ResourceExhaustedError("the send queue is full");
  }
  return Departure{path->interface, path->source};
}

absl::StatusOr<IpAddress> Datagrams::LocalFor(
    const IpAddress& local, const std::optional<IpEndpoint>& remote) {
  if (!remote) {
    absl::Status bindable = context_.interfaces.CheckBind(local);
    if (!bindable.ok()) return bindable;
    return local;
  }
  if (remote->port == 0) {
    return absl::InvalidArgumentError("the remote needs a port");
  }
  const absl::StatusOr<Path> path =
      context_.interfaces.PathTo(remote->address, local);
  if (!path.ok()) return path.status();
  return path->source;
}

absl::StatusOr<SocketId> Datagrams::OpenUdp(
    const IpEndpoint& local, const std::optional<IpEndpoint>& remote,
    uint32_t receive_queue_bytes) {
  const absl::StatusOr<IpAddress> address = LocalFor(local.address, remote);
  if (!address.ok()) return address.status();
  IpEndpoint bound = {*address, local.port};
  absl::Status room = context_.sockets.CheckRoom();
  if (!room.ok()) return room;
  if (bound.port == 0) {
    const std::optional<uint16_t> port = udp_ports_.ForBinding();
    if (!port) return absl::UnavailableError("no free port");
    bound.port = *port;
  }
  Socket& socket = *context_.sockets.Allocate();
  socket.kind = UdpSocket{
      std::make_unique<udp::Endpoint>(bound, remote, receive_queue_bytes)};
  if (remote ? !udp_demux_.AddFlow({bound, *remote}, socket.slot)
             : !udp_demux_.AddBound(bound, socket.slot)) {
    context_.sockets.Release(socket);
    return absl::AlreadyExistsError(
        absl::StrCat(bound.ToString(), " is in use"));
  }
  udp_ports_.Hold(bound.port);
  ReadyList::SetKnown(socket, ReadyBitsFor(false));
  return socket.id();
}

absl::Status Datagrams::SendUdp(Socket& socket,
                                const std::optional<IpEndpoint>& to,
                                ByteSpan payload) {
  if (absl::Status error = TakeError(socket); !error.ok()) return error;
  const udp::Endpoint& endpoint = *socket.As<UdpSocket>()->endpoint;
  const std::optional<IpEndpoint>& remote = to ? to : endpoint.remote();
  if (!remote || remote->port == 0) {
    return absl::InvalidArgumentError("a datagram needs a destination");
  }
  const IpAddress& local = endpoint.local().address;
  if (payload.size() > udp::MaxPayload(remote->address.family())) {
    return absl::InvalidArgumentError(
        absl::StrCat(payload.size(), " bytes exceed the largest datagram"));
  }
  const absl::StatusOr<Departure> departure = DepartureFor(
      remote->address, local, wire::kUdpHeaderSize + payload.size());
  if (!departure.ok()) return departure.status();
  const FourTuple tuple = {{departure->source, endpoint.local().port}, *remote};
  departure->interface->output().datagrams().Push(
      WrapUdp(context_.pool, *departure->interface, tuple,
              CopyToChain(context_.pool, payload), context_.config.ttl));
  ++context_.stats.udp_out_datagrams;
  return absl::OkStatus();
}

absl::Status Datagrams::TakeError(Socket& socket) {
  udp::Endpoint& endpoint = *socket.As<UdpSocket>()->endpoint;
  if (!endpoint.TakeRefusal()) return absl::OkStatus();
  context_.ready.Update(socket, ReadyBitsFor(endpoint.readable()));
  return absl::AbortedError(
      absl::StrCat("nobody listens at ", endpoint.remote()->ToString()));
}

std::optional<udp::Datagram> Datagrams::ReceiveUdp(Socket& socket) {
  udp::Endpoint& endpoint = *socket.As<UdpSocket>()->endpoint;
  std::optional<udp::Datagram> datagram = endpoint.Dequeue();
  context_.ready.Update(socket, ReadyBitsFor(endpoint.readable()));
  return datagram;
}

std::optional<DropReason> Datagrams::OnUdpPacket(Packet& packet,
                                                 const ip::InboundIp& ip) {
  const auto header = wire::ParseUdp(packet.head(), ip.payload_size());
  if (!header) return DropReason::kUdpTruncated;
  const FourTuple tuple = {{ip.destination, header->destination_port},
                           {ip.source, header->source_port}};
  if (packet.offload().checksum == ChecksumState::kUnverified) {
    // Bytes after the datagram's own length are not covered.
    packet.TrimToSize(header->length);
    const PartialSum sum = wire::PseudoHeaderSum(ip.source, ip.destination,
                                                 wire::kUdp, header->length)
                               .Combine(ip::SumPacket(packet), 0);
    if (!udp::IsChecksumAcceptable(ip.family(), header->checksum, sum)) {
      return DropReason::kUdpBadChecksum;
    }
  }
  std::optional<uint32_t> slot = udp_demux_.FindFlow(tuple);
  if (!slot) slot = udp_demux_.FindBound(tuple.local);
  if (!slot) return DropReason::kUdpNoSocket;

  Socket& socket = context_.sockets.at(*slot);
  udp::Endpoint& endpoint = *socket.As<UdpSocket>()->endpoint;
  packet.TrimToSize(header->length);
  packet.TrimFront(wire::kUdpHeaderSize);
  if (!endpoint.Enqueue({tuple.remote, tuple.local, packet.TakePayload()},
                        context_.pool)) {
    return DropReason::kUdpQueueFull;
  }
  ++context_.stats.udp_in_datagrams;
  context_.ready.Update(socket, ReadyBitsFor(true));
  return std::nullopt;
}

absl::StatusOr<SocketId> Datagrams::OpenEcho(const IpAddress& remote) {
  const absl::StatusOr<Path> path =
      context_.interfaces.PathTo(remote, std::nullopt);
  if (!path.ok()) return path.status();
  absl::Status room = context_.sockets.CheckRoom();
  if (!room.ok()) return room;
  const std::optional<uint16_t> id = echo_ids_.ForBinding();
  if (!id) return absl::UnavailableError("no free echo identifier");
  Socket& socket = *context_.sockets.Allocate();
  socket.kind = EchoSocket{
      std::make_unique<icmp::EchoEndpoint>(path->source, remote, *id)};
  echo_ids_.Hold(*id);
  echo_slots_.emplace(*id, socket.slot);
  ReadyList::SetKnown(socket, ReadyBitsFor(false));
  return socket.id();
}

absl::Status Datagrams::SendEcho(Socket& socket, uint16_t seq,
                                 size_t payload_bytes, Instant now) {
  icmp::EchoEndpoint& endpoint = *socket.As<EchoSocket>()->endpoint;
  if (payload_bytes > udp::MaxPayload(endpoint.remote().family())) {
    return absl::InvalidArgumentError(
        absl::StrCat(payload_bytes, " bytes exceed the largest message"));
  }
  const absl::StatusOr<Departure> departure =
      DepartureFor(endpoint.remote(), endpoint.local(),
                   wire::kIcmpHeaderSize + payload_bytes);
  if (!departure.ok()) return departure.status();
  // The usual pattern of ping(8): each byte is its offset.
  std::vector<uint8_t> payload(payload_bytes);
  for (size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<uint8_t>(i);
  }
  departure->interface->output().datagrams().Push(ip::MakeEchoRequest(
      context_.pool, endpoint.local(), endpoint.remote(), endpoint.id(), seq,
      CopyToChain(context_.pool, payload), context_.config.ttl));
  ++context_.stats.icmp_out_msgs;
  endpoint.OnSend(seq, now);
  return absl::OkStatus();
}

std::optional<icmp::EchoReply> Datagrams::ReceiveEcho(Socket& socket) {
  icmp::EchoEndpoint& endpoint = *socket.As<EchoSocket>()->endpoint;
  const std::optional<icmp::EchoReply> reply = endpoint.Dequeue();
  context_.ready.Update(socket, ReadyBitsFor(endpoint.readable()));
  return reply;
}

std::optional<DropReason> Datagrams::OnEchoReply(
    const Packet& packet, const wire::IcmpMessage& message,
    const ip::InboundIp& ip) {
  const auto it = echo_slots_.find(message.echo_id);
  if (it == echo_slots_.end()) return DropReason::kIcmpIgnored;
  Socket& socket = context_.sockets.at(it->second);
  const icmp::EchoReply reply = {
      .source = ip.source,
      .seq = message.echo_seq,
      .payload_bytes = packet.size() - wire::kIcmpHeaderSize,
      .ttl = ip.ttl,
      .rtt = Duration::Zero()};
  if (!socket.As<EchoSocket>()->endpoint->OnReply(reply, packet.ingress())) {
    return DropReason::kIcmpIgnored;
  }
  context_.ready.Update(socket, ReadyBitsFor(true));
  return std::nullopt;
}

Socket* Datagrams::SenderOf(const ip::TransportNotice& notice) {
  const FourTuple& tuple = notice.tuple;
  if (notice.protocol == wire::kUdp) {
    std::optional<uint32_t> slot = udp_demux_.FindFlow(tuple);
    if (!slot) slot = udp_demux_.FindBound(tuple.local);
    return slot ? &context_.sockets.at(*slot) : nullptr;
  }
  const auto it = echo_slots_.find(tuple.local.port);
  if (it == echo_slots_.end()) return nullptr;
  Socket& socket = context_.sockets.at(it->second);
  const icmp::EchoEndpoint& echo = *socket.As<EchoSocket>()->endpoint;
  const bool is_its_own = echo.local() == tuple.local.address &&
                          echo.remote() == tuple.remote.address;
  return is_its_own ? &socket : nullptr;
}

bool Datagrams::OnNotice(const ip::TransportNotice& notice, Instant now) {
  Socket* const socket = SenderOf(notice);
  if (socket == nullptr) return false;
  if (notice.kind == wire::IcmpKind::kPacketTooBig) {
    const IpAddress& remote = notice.tuple.remote.address;
    const auto interface = context_.interfaces.Towards(remote);
    if (!interface.ok()) return false;
    ++context_.stats.icmp_path_mtu_reports;
    context_.interfaces.OnTooBig((*interface)->id(), remote, notice.mtu, now);
    return true;
  }
  ++context_.stats.icmp_soft_errors;
  // [RFC 1122 4.1.3.3] a connected socket hears of it with its next call; one
  // without a peer, as on Linux, could not tell which datagram is meant
  UdpSocket* const udp = socket->As<UdpSocket>();
  if (notice.kind == wire::IcmpKind::kPortUnreachable && udp != nullptr &&
      udp->endpoint->remote()) {
    udp->endpoint->OnRefused();
    context_.ready.Update(*socket, ReadyBitsFor(true));
  }
  return true;
}

void Datagrams::Close(Socket& socket) {
  if (const UdpSocket* const udp = socket.As<UdpSocket>()) {
    const udp::Endpoint& endpoint = *udp->endpoint;
    if (endpoint.remote()) {
      udp_demux_.RemoveFlow({endpoint.local(), *endpoint.remote()});
    } else {
      udp_demux_.RemoveBound(endpoint.local());
    }
    udp_ports_.Release(endpoint.local().port);
  } else if (const EchoSocket* const echo = socket.As<EchoSocket>()) {
    echo_slots_.erase(echo->endpoint->id());
    echo_ids_.Release(echo->endpoint->id());
  }
  context_.sockets.Release(socket);
}

}  // namespace tcpip
