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

// [fault U14] whoever may not fragment learns what would pass
absl::Status CheckFits(const Path& path, size_t transport_bytes) {
  const size_t size = ip::HeaderSize(path.source.family()) + transport_bytes;
  if (size <= path.mtu) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("message too long: a packet of ", size,
                   " bytes exceeds the path's MTU of ", path.mtu));
}

// Copies into as many blocks as it takes.
ViewChain CopyToChain(SlabPool& pool, ByteSpan bytes) {
  ViewChain chain;
  chain.AppendCopy(pool, bytes);
  return chain;
}

// Where a datagram goes that is sent to `to`, if that is given.
absl::StatusOr<IpEndpoint> DestinationOf(const UdpSocket& udp,
                                         const std::optional<IpEndpoint>& to) {
  const std::optional<IpEndpoint>& remote = to ? to : udp.endpoint->remote();
  if (!remote || remote->port == 0) {
    return absl::InvalidArgumentError("a datagram needs a destination");
  }
  absl::Status status = CheckFamily(udp, remote->address.family());
  if (!status.ok()) return status;
  return *remote;
}

// `packet` starts with the UDP header and ends with its datagram.
bool IsChecksumAcceptable(const Packet& packet, uint16_t field,
                          const ip::InboundIp& ip) {
  // [RFC 768] zero means none, which [RFC 8200 8.1] IPv6 does not allow
  if (field == 0) return ip.family() == IpFamily::kIpv4;
  if (packet.offload().checksum != ChecksumState::kUnverified) return true;
  return wire::PseudoHeaderSum(ip.source, ip.destination, wire::kUdp,
                               static_cast<uint32_t>(packet.size()))
      .Combine(SumOf(packet), 0)
      .IsValid();
}

}  // namespace

Datagrams::Datagrams(StackContext& context, Rng& rng)
    : context_(context), udp_(context, rng), echo_ids_(1, 0xffff, rng) {}

absl::StatusOr<Path> Datagrams::DepartureFor(
    const IpAddress& remote, const std::optional<IpAddress>& local) {
  absl::StatusOr<Path> path = context_.interfaces.PathTo(remote, local);
  if (!path.ok()) return path.status();
  if (path->interface->output().datagrams().full()) {
    return absl::ResourceExhaustedError("the send queue is full");
  }
  absl::Status memory = context_.CheckMemory();
  if (!memory.ok()) return memory;
  return path;
}

void Datagrams::Depart(const Path& path, Packet packet) {
  context_.Send(path.interface->output().datagrams(), std::move(packet),
                path.mtu);
}

absl::StatusOr<SocketId> Datagrams::OpenUdp(const UdpOpenOptions& options) {
  const absl::StatusOr<Socket*> socket = udp_.Open(options);
  if (!socket.ok()) return socket.status();
  ReadyList::SetKnown(**socket, ReadyBitsFor(false));
  return (*socket)->id();
}

absl::Status Datagrams::SendUdp(Socket& socket,
                                const std::optional<IpEndpoint>& to,
                                ByteSpan payload, const udp::Control& control) {
  if (absl::Status error = TakeError(socket); !error.ok()) return error;
  const UdpSocket& udp = *socket.As<UdpSocket>();
  const absl::StatusOr<IpEndpoint> remote = DestinationOf(udp, to);
  if (!remote.ok()) return remote.status();
  if (payload.size() > udp::MaxPayload(remote->address.family())) {
    return absl::InvalidArgumentError(
        absl::StrCat(payload.size(), " bytes exceed the largest datagram"));
  }
  const IpEndpoint& local = udp.endpoint->local();
  const absl::StatusOr<Path> path =
      DepartureFor(remote->address, control.source.value_or(local.address));
  if (!path.ok()) return path.status();
  const udp::Settings& settings = udp.endpoint->settings();
  if (settings.dont_fragment) {
    absl::Status fits = CheckFits(*path, wire::kUdpHeaderSize + payload.size());
    if (!fits.ok()) return fits;
  }
  const uint8_t ttl = control.ttl.value_or(settings.ttl);
  Depart(*path, WrapUdp(context_.pool, *path->interface,
                        {{path->source, local.port}, *remote}, payload,
                        {.ttl = ttl == 0 ? context_.config.ttl : ttl,
                         .tos = control.tos.value_or(settings.tos)}));
  recent_.Add(local.port, remote->address);
  ++context_.stats.udp_out_datagrams;
  return absl::OkStatus();
}

absl::Status Datagrams::TakeError(Socket& socket) {
  udp::Endpoint& endpoint = *socket.As<UdpSocket>()->endpoint;
  if (!endpoint.TakeRefusal()) return absl::OkStatus();
  context_.ready.Update(socket, ReadyBitsFor(endpoint.readable()));
  return absl::AbortedError("refused: nobody listens at the remote port");
}

absl::StatusOr<uint32_t> Datagrams::UdpPathMtu(
    Socket& socket, const std::optional<IpEndpoint>& to) {
  const UdpSocket& udp = *socket.As<UdpSocket>();
  const absl::StatusOr<IpEndpoint> remote = DestinationOf(udp, to);
  if (!remote.ok()) return remote.status();
  const absl::StatusOr<Path> path = context_.interfaces.PathTo(
      remote->address, udp.endpoint->local().address);
  if (!path.ok()) return path.status();
  return path->mtu;
}

std::optional<udp::Datagram> Datagrams::ReceiveUdp(
    Socket& socket, const udp::ReceiveOptions& options) {
  udp::Endpoint& endpoint = *socket.As<UdpSocket>()->endpoint;
  std::optional<udp::Datagram> datagram = endpoint.Receive(options);
  context_.ready.Update(socket, ReadyBitsFor(endpoint.readable()));
  return datagram;
}

std::optional<DropReason> Datagrams::OnUdpPacket(const Interface& ingress,
                                                 Packet& packet,
                                                 const ip::InboundIp& ip) {
  const auto header = wire::ParseUdp(packet.head(), ip.payload_size());
  if (!header) return DropReason::kUdpTruncated;
  const FourTuple tuple = {{ip.destination, header->destination_port},
                           {ip.source, header->source_port}};
  Socket* const socket = udp_.Find(tuple);
  // A socket found here is ours: only a miss needs the owner's hash.
  if (socket == nullptr &&
      context_.group.HandOver(
          context_.group.steering().OwnerOfPort(tuple.local.port), ingress.id(),
          packet, ip.header_size)) {
    return std::nullopt;
  }
  // [fault X22] what is behind the datagram's own length is not part of it
  packet.TrimToSize(header->length);
  if (!IsChecksumAcceptable(packet, header->checksum, ip)) {
    return DropReason::kUdpBadChecksum;
  }
  if (socket == nullptr) return DropReason::kUdpNoSocket;
  if (context_.pool.IsSpent()) return DropReason::kMemorySpent;
  packet.TrimFront(wire::kUdpHeaderSize);
  if (!socket->As<UdpSocket>()->endpoint->Enqueue(
          {.source = tuple.remote,
           .destination = tuple.local,
           .interface = ingress.id(),
           .ttl = ip.ttl,
           .tos = ip.tos,
           .arrival = packet.ingress(),
           .payload = packet.TakePayload()},
          context_.pool)) {
    return DropReason::kUdpQueueFull;
  }
  ++context_.stats.udp_in_datagrams;
  context_.ready.Update(*socket, ReadyBitsFor(true));
  return std::nullopt;
}

absl::StatusOr<SocketId> Datagrams::OpenEcho(const IpAddress& remote) {
  const absl::StatusOr<Path> path =
      context_.interfaces.PathTo(remote, std::nullopt);
  if (!path.ok()) return path.status();
  absl::Status room = context_.CheckRoom();
  if (!room.ok()) return room;
  const std::optional<uint16_t> id = echo_ids_.ForBinding(
      [this](uint16_t i) { return context_.group.steering().OwnsPort(i); });
  if (!id) return absl::UnavailableError("no free echo identifier");
  Socket& socket = *context_.sockets.Allocate();
  socket.kind = EchoSocket{
      std::make_unique<icmp::EchoEndpoint>(path->source, remote, *id)};
  echo_ids_.Hold(*id);
  echo_sockets_.emplace(*id, socket.index);
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
  const absl::StatusOr<Path> path =
      DepartureFor(endpoint.remote(), endpoint.local());
  if (!path.ok()) return path.status();
  // The usual pattern of ping(8): each byte is its offset.
  std::vector<uint8_t> payload(payload_bytes);
  for (size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<uint8_t>(i);
  }
  Depart(*path, ip::MakeEchoRequest(context_.pool, endpoint.local(),
                                    endpoint.remote(), endpoint.id(), seq,
                                    CopyToChain(context_.pool, payload),
                                    context_.config.ttl));
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
  const auto it = echo_sockets_.find(message.echo_id);
  if (it == echo_sockets_.end()) return DropReason::kIcmpIgnored;
  Socket& socket = context_.sockets.at(it->second);
  icmp::EchoEndpoint& endpoint = *socket.As<EchoSocket>()->endpoint;
  if (endpoint.local() != ip.destination) return DropReason::kIcmpIgnored;
  const icmp::EchoReply reply = {
      .source = ip.source,
      .seq = message.echo_seq,
      .payload_bytes = packet.size() - wire::kIcmpHeaderSize,
      .ttl = ip.ttl,
      .rtt = Duration::Zero()};
  if (!endpoint.OnReply(reply, packet.ingress())) {
    return DropReason::kIcmpIgnored;
  }
  context_.ready.Update(socket, ReadyBitsFor(true));
  return std::nullopt;
}

Socket* Datagrams::SenderOf(const ip::TransportNotice& notice) {
  const FourTuple& tuple = notice.tuple;
  if (notice.protocol == wire::kUdp) return udp_.Find(tuple);
  const auto it = echo_sockets_.find(tuple.local.port);
  if (it == echo_sockets_.end()) return nullptr;
  Socket& socket = context_.sockets.at(it->second);
  const icmp::EchoEndpoint& echo = *socket.As<EchoSocket>()->endpoint;
  const bool is_its_own = echo.local() == tuple.local.address &&
                          echo.remote() == tuple.remote.address;
  return is_its_own ? &socket : nullptr;
}

bool Datagrams::HasSent(const ip::TransportNotice& notice) {
  const FourTuple& tuple = notice.tuple;
  if (notice.protocol == wire::kUdp &&
      recent_.Has(tuple.local.port, tuple.remote.address)) {
    return true;
  }
  const Socket* const sender = SenderOf(notice);
  if (sender == nullptr) return false;
  // A peer has been compared, and is not forgotten.
  const UdpSocket* const udp = sender->As<UdpSocket>();
  return udp == nullptr || udp->endpoint->remote();
}

bool Datagrams::OnTooBig(const ip::TransportNotice& notice, Instant now) {
  // [RFC 5927 7] [fault X12] else whoever guesses a port could fill the cache
  // with remotes of his choice
  if (!HasSent(notice) || !context_.path_mtu_reports.Take(now)) return false;
  const IpAddress& remote = notice.tuple.remote.address;
  const auto interface = context_.interfaces.Towards(remote);
  if (!interface.ok()) return false;
  context_.OnTooBig((*interface)->id(), remote, notice.mtu, now);
  return true;
}

bool Datagrams::OnNotice(const ip::TransportNotice& notice, Instant now) {
  if (notice.kind == wire::IcmpKind::kPacketTooBig) {
    return OnTooBig(notice, now);
  }
  Socket* const socket = SenderOf(notice);
  if (socket == nullptr) return false;
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
  if (socket.As<UdpSocket>() != nullptr) return udp_.Close(socket);
  if (const EchoSocket* const echo = socket.As<EchoSocket>()) {
    echo_sockets_.erase(echo->endpoint->id());
    echo_ids_.Release(echo->endpoint->id());
  }
  context_.sockets.Release(socket);
}

}  // namespace tcpip
