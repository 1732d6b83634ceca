#include "tcpip/stack/tcp_input.h"

#include <utility>

#include "tcpip/network/ip.h"
#include "tcpip/transport/tcp/isn.h"
#include "tcpip/transport/tcp/listen.h"
#include "tcpip/transport/tcp/replies.h"
#include "tcpip/transport/tcp/time_wait.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip {
namespace {

constexpr uint8_t kEcnMask = 3;
constexpr uint8_t kCongestionExperienced = 3;

bool IsChecksumGood(const Packet& packet, const ip::InboundIp& ip) {
  // A partial checksum never left a machine: the link vouches for it.
  if (packet.offload().checksum != ChecksumState::kUnverified) return true;
  return wire::PseudoHeaderSum(ip.source, ip.destination, wire::kTcp,
                               ip.payload_size())
      .Combine(ip::SumPacket(packet), 0)
      .IsValid();
}

std::optional<DropReason> ReasonFor(tcp::ListenDrop drop) {
  switch (drop) {
    case tcp::ListenDrop::kNone:
      return std::nullopt;
    case tcp::ListenDrop::kNotForListen:
      return DropReason::kTcpNotForListen;
    case tcp::ListenDrop::kQueueFull:
      return DropReason::kTcpAcceptQueueFull;
    case tcp::ListenDrop::kTooManyHalfOpen:
      return DropReason::kTcpTooManyHalfOpen;
  }
  return std::nullopt;
}

}  // namespace

ParsedTcp ParseTcpPacket(const Packet& packet, const ip::InboundIp& ip) {
  const std::optional<wire::TcpHeader> header = wire::ParseTcp(packet.head());
  if (!header) return {.drop = DropReason::kTcpTruncated};
  if (!IsChecksumGood(packet, ip)) return {.drop = DropReason::kTcpBadChecksum};

  ParsedTcp parsed;
  parsed.tuple = {.local = {ip.destination, header->destination_port},
                  .remote = {ip.source, header->source_port}};
  tcp::Segment& segment = parsed.segment;
  segment.seq = tcp::SeqNum(header->seq);
  segment.ack = tcp::SeqNum(header->ack);
  segment.flags = header->flags;
  segment.wnd = tcp::WireWindow(header->window);
  segment.urgent_pointer = header->urgent_pointer;
  segment.options = wire::ParseTcpOptions(header->options);
  segment.gso_size = packet.offload().gso_size;
  segment.congestion_experienced =
      (ip.tos & kEcnMask) == kCongestionExperienced;
  segment.ingress = packet.ingress();
  parsed.header_size = static_cast<uint32_t>(header->size());
  return parsed;
}

void TcpInput::OnPacket(Interface& ingress, Packet& packet,
                        const ip::InboundIp& ip, Instant now) {
  ParsedTcp parsed = ParseTcpPacket(packet, ip);
  if (parsed.drop) {
    context_.stats.Drop(*parsed.drop);
    return;
  }
  const auto slot = flows_.demux().FindFlow(parsed.tuple);
  // Whose it is need not be asked when it is found here.
  if (!slot && context_.group.HandOver(
                   context_.group.steering().OwnerOfTcp(parsed.tuple),
                   ingress.id(), packet, ip.header_size)) {
    return;
  }
  packet.TrimFront(parsed.header_size);
  parsed.segment.payload = packet.TakePayload();
  context_.stats.tcp_in_segs += parsed.segment.mss_count();
  if (slot) {
    Socket& socket = context_.sockets.at(*slot);
    socket.As<TcpSocket>()->connection->OnSegment(std::move(parsed.segment),
                                                  now);
    flows_.Settle(socket, now);
  } else if (flows_.time_wait().Contains(parsed.tuple)) {
    OnTimeWaitSegment(ingress, parsed.tuple, std::move(parsed.segment), now);
  } else {
    OnUnclaimedSegment(ingress, parsed.tuple, std::move(parsed.segment),
                       std::nullopt, now);
  }
}

void TcpInput::OnTimeWaitSegment(Interface& ingress, const FourTuple& tuple,
                                 tcp::Segment segment, Instant now) {
  tcp::TimeWaitVerdict verdict =
      flows_.time_wait().OnSegment(tuple, segment, now);
  flows_.ArmTimeWait();
  switch (verdict.action) {
    case tcp::TimeWaitVerdict::Action::kNone:
      break;
    case tcp::TimeWaitVerdict::Action::kReply:
      context_.SendControl(
          ingress, flows_.Wrap(ingress, tuple, *std::move(verdict.reply)));
      break;
    case tcp::TimeWaitVerdict::Action::kReopen:
      OnUnclaimedSegment(ingress, tuple, std::move(segment), verdict.iss_floor,
                         now);
      break;
  }
}

void TcpInput::OnUnclaimedSegment(Interface& ingress, const FourTuple& tuple,
                                  tcp::Segment segment,
                                  std::optional<tcp::SeqNum> iss_floor,
                                  Instant now) {
  if (const auto slot = flows_.demux().FindReceiver(tuple)) {
    OnListenerSegment(context_.sockets.at(*slot), tuple, std::move(segment),
                      iss_floor, now);
    return;
  }
  context_.stats.Drop(DropReason::kTcpNoSocket);
  // [RFC 9293 3.10.7.1] no connection: a RST, unless it is one
  std::optional<tcp::OutSegment> reset = tcp::ResetFor(segment);
  if (!reset || !context_.MayAnswerUnowned(now)) return;
  context_.SendControl(ingress, flows_.Wrap(ingress, tuple, *std::move(reset)));
}

void TcpInput::OnListenerSegment(Socket& socket, const FourTuple& tuple,
                                 tcp::Segment segment,
                                 std::optional<tcp::SeqNum> iss_floor,
                                 Instant now) {
  const auto interface = context_.interfaces.Towards(tuple.remote.address);
  if (!interface.ok()) {
    context_.stats.Drop(DropReason::kNoRoute);
    return;
  }
  tcp::Listener& listener = *socket.As<ListenSocket>()->listener;
  if (!context_.sockets.HasRoom()) {
    context_.stats.Drop(DropReason::kTcpTooManySockets);
    return;
  }
  tcp::InitialNumbers numbers = flows_.numbers().For(tuple, now);
  if (iss_floor) numbers = numbers.AtLeast(*iss_floor);
  tcp::ListenVerdict verdict = listener.OnSegment(
      tuple, std::move(segment),
      (*interface)->PathFor(tuple.remote.address.family()), numbers, now);
  if (verdict.reply) {
    context_.SendControl(**interface, flows_.Wrap(**interface, tuple,
                                                  *std::move(verdict.reply)));
  }
  if (verdict.established != nullptr) {
    flows_.AddEstablished(socket, **interface, tuple,
                          std::move(verdict.established), now);
  }
  if (const auto reason = ReasonFor(verdict.drop)) context_.stats.Drop(*reason);
  flows_.SettleListener(socket, now);
}

void TcpInput::OnNotice(const ip::TransportNotice& notice, Instant now) {
  const auto slot = flows_.demux().FindFlow(notice.tuple);
  if (!slot) {
    context_.stats.Drop(DropReason::kIcmpIgnored);
    return;
  }
  Socket& socket = context_.sockets.at(*slot);
  TcpSocket& flow = *socket.As<TcpSocket>();
  switch (notice.kind) {
    case wire::IcmpKind::kNoRoute:
    case wire::IcmpKind::kAdminProhibited:
    case wire::IcmpKind::kPortUnreachable:
    case wire::IcmpKind::kProtocolUnreachable:
      // [RFC 5927 4.1] believed only if it quotes what is in flight; a
      // connection that has got an answer before does not mind anyway
      if (flow.state == tcp::TcpState::kSynSent && flow.sent_any &&
          tcp::SeqNum(notice.seq) + 1 == flow.snd_max) {
        flow.connection->OnUnreachable(now);
        flows_.Settle(socket, now);
        return;
      }
      break;
    default:
      // kPacketTooBig: path MTU discovery starts here, with OnPathMtu().
      break;
  }
  context_.stats.Drop(DropReason::kIcmpIgnored);
}

}  // namespace tcpip
