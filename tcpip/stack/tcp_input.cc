#include "tcpip/stack/tcp_input.h"

#include <utility>

#include "tcpip/network/ip.h"
#include "tcpip/transport/tcp/isn.h"
#include "tcpip/transport/tcp/listen.h"
#include "tcpip/transport/tcp/observe.h"
#include "tcpip/transport/tcp/offer.h"
#include "tcpip/transport/tcp/replies.h"
#include "tcpip/transport/tcp/state.h"
#include "tcpip/transport/tcp/time_wait.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"

namespace tcpip {
namespace {

bool IsChecksumGood(const Packet& packet, const ip::InboundIp& ip) {
  // A partial checksum never left a machine: the link vouches for it.
  if (packet.offload().checksum != ChecksumState::kUnverified) return true;
  return wire::PseudoHeaderSum(ip.source, ip.destination, wire::kTcp,
                               ip.payload_size())
      .Combine(SumOf(packet), 0)
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

// As Linux has it: what connect() fails with.
tcp::TcpError ErrorOf(const ip::TransportNotice& notice) {
  switch (notice.kind) {
    case wire::IcmpKind::kPortUnreachable:
      return tcp::TcpError::kRefused;
    case wire::IcmpKind::kProtocolUnreachable:
    case wire::IcmpKind::kParameterProblem:
      return tcp::TcpError::kProtocol;
    case wire::IcmpKind::kNoRoute:
      return wire::IsNetUnreachable(notice.tuple.remote.address.family(),
                                    notice.code)
                 ? tcp::TcpError::kNetUnreachable
                 : tcp::TcpError::kUnreachable;
    default:
      return tcp::TcpError::kUnreachable;
  }
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
      (ip.tos & wire::kEcnMask) == wire::kCongestionExperienced;
  segment.ingress = packet.ingress();
  parsed.header_size = static_cast<uint32_t>(header->size());
  return parsed;
}

void TcpInput::OnPacket(Interface& ingress, Packet& packet,
                        const ip::InboundIp& ip, Instant now) {
  ParsedTcp parsed = ParseTcpPacket(packet, ip);
  if (parsed.drop) {
    context_.Drop(*parsed.drop);
    return;
  }
  Socket* const socket = flows_.FindFlow(parsed.tuple);
  // A socket found here is ours: only a miss needs the owner's hash.
  if (socket == nullptr &&
      context_.group.HandOver(
          context_.group.steering().OwnerOfTcp(parsed.tuple), ingress.id(),
          packet, ip.header_size)) {
    return;
  }
  packet.TrimFront(parsed.header_size);
  parsed.segment.payload = packet.TakePayload();
  context_.stats.tcp_in_segs += parsed.segment.mss_count();
  if (socket != nullptr) {
    socket->As<TcpSocket>()->connection->OnSegment(std::move(parsed.segment),
                                                   now);
    flows_.Settle(*socket, now);
  } else if (flows_.time_wait().Contains(parsed.tuple)) {
    OnTimeWaitSegment(ingress, parsed.tuple, std::move(parsed.segment), now);
  } else {
    OnUnclaimedSegment(ingress, parsed.tuple, std::move(parsed.segment),
                       std::nullopt, now);
  }
}

void TcpInput::OnTimeWaitSegment(Interface& ingress, const FourTuple& tuple,
                                 tcp::Segment segment, Instant now) {
  tcp::TimeWaitVerdict verdict = flows_.OnTimeWaitSegment(tuple, segment, now);
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
  if (const auto index = flows_.demux().FindReceiver(tuple)) {
    OnListenerSegment(context_.sockets.at(*index), tuple, std::move(segment),
                      iss_floor, now);
    return;
  }
  context_.Drop(DropReason::kTcpNoSocket);
  // [RFC 9293 3.10.7.1] no connection: a RST, unless it is one
  std::optional<tcp::OutSegment> reset = tcp::ResetFor(segment);
  if (!reset || !context_.MayAnswerUnowned(tuple.remote.address, now)) return;
  context_.SendControl(ingress, flows_.Wrap(ingress, tuple, *std::move(reset)));
}

void TcpInput::OnListenerSegment(Socket& socket, const FourTuple& tuple,
                                 tcp::Segment segment,
                                 std::optional<tcp::SeqNum> iss_floor,
                                 Instant now) {
  const auto interface = context_.interfaces.Towards(tuple.remote.address);
  if (!interface.ok()) {
    context_.Drop(DropReason::kNoRoute);
    return;
  }
  tcp::Listener& listener = *socket.As<ListenSocket>()->listener;
  if (context_.pool.IsSpent()) {
    return context_.Drop(DropReason::kMemorySpent);
  }
  if (!context_.sockets.HasRoom()) {
    return context_.Drop(DropReason::kTcpTooManySockets);
  }
  tcp::InitialNumbers numbers = flows_.numbers().For(tuple, now);
  if (iss_floor) numbers = numbers.AtLeast(*iss_floor);
  tcp::ListenVerdict verdict = listener.OnSegment(
      tuple, std::move(segment),
      context_.interfaces.PathFor(**interface, tuple.remote.address), numbers,
      now);
  if (verdict.reply) {
    context_.SendControl(**interface, flows_.Wrap(**interface, tuple,
                                                  *std::move(verdict.reply)));
  }
  if (verdict.established != nullptr) {
    flows_.AddEstablished(socket, **interface, tuple,
                          std::move(verdict.established), now);
  }
  if (const auto reason = ReasonFor(verdict.drop)) context_.Drop(*reason);
  flows_.SettleListener(socket, now);
}

bool TcpInput::OnNotice(const ip::TransportNotice& notice, Instant now) {
  Socket* const socket = flows_.FindFlow(notice.tuple);
  if (socket == nullptr) return false;
  tcp::Connection& connection = *socket->As<TcpSocket>()->connection;
  // [RFC 5927 4.1] [fault X12] who guesses has to guess this, too
  if (!connection.IsInFlight(tcp::SeqNum(notice.seq))) return false;
  if (notice.kind == wire::IcmpKind::kPacketTooBig) {
    context_.OnTooBig(socket->interface, notice.tuple.remote.address,
                      notice.mtu, now);
    flows_.TakePath(*socket, tcp::PathMtuCause::kPacketTooBig);
  } else {
    connection.OnUnreachable(ErrorOf(notice), now);
    context_.stats.icmp_soft_errors +=
        connection.state() != tcp::TcpState::kClosed;
  }
  flows_.Settle(*socket, now);
  return true;
}

}  // namespace tcpip
