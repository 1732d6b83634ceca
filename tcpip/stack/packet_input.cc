#include "tcpip/stack/packet_input.h"

#include <optional>
#include <utility>

#include "tcpip/buffer/view.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/network/ip.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/udp.h"

namespace tcpip {
namespace {

// Of a datagram with a good header.
uint32_t OwnerOfUdp(const Steering& steering, const Packet& packet) {
  const auto header = wire::ParseUdp(packet.head(), packet.size());
  return steering.OwnerOfPort(header->destination_port);
}

// By what a message answers or quotes; any shard may answer requests.
uint32_t OwnerOfIcmp(const Steering& steering, const wire::IcmpMessage& message,
                     IpFamily family) {
  if (steering.count() == 1) return steering.index();
  if (message.kind == wire::IcmpKind::kEchoReply) {
    return steering.OwnerOfPort(message.echo_id);
  }
  const auto notice = ip::ReadIcmpError(message, family);
  if (!notice) return steering.index();
  return notice->protocol == wire::kTcp
             ? steering.OwnerOfTcp(notice->tuple)
             : steering.OwnerOfPort(notice->tuple.local.port);
}

}  // namespace

void PacketInput::OnPacket(Interface& ingress, Packet packet, Instant now) {
  ++context_.stats.ip_in;
  context_.stats.ip_in_bytes += packet.size();
  const ip::InputVerdict verdict = ip::CheckIp(packet, ingress.ingress());
  const ip::InboundIp& ip = verdict.ip;
  if (verdict.drop && !verdict.problem) {
    context_.stats.Drop(*verdict.drop);
    return;
  }
  if (!context_.interfaces.Accepts(ingress, ip.destination)) {
    context_.stats.Drop(DropReason::kIpNotOurs);
    return;
  }
  // [RFC 1122 3.2.1.3] a broadcast address is no source; our own are, by the
  // loopback
  if (context_.interfaces.IsBroadcast(ip.source) ||
      (!ingress.config().loopback && context_.interfaces.Owns(ip.source))) {
    context_.stats.Drop(DropReason::kIpMartian);
    return;
  }
  packet.TrimToSize(ip.size);
  if (verdict.drop) {
    context_.stats.Drop(*verdict.drop);
    AnswerWithError(ingress,
                    {.kind = wire::IcmpKind::kParameterProblem,
                     .code = verdict.problem->code,
                     .pointer = verdict.problem->pointer},
                    packet, ip, now);
    return;
  }
  Deliver(ingress, packet, ip, now);
}

void PacketInput::Deliver(Interface& ingress, Packet& packet,
                          const ip::InboundIp& ip, Instant now) {
  if (ip.protocol == wire::kTcp) {
    packet.TrimFront(ip.header_size);
    tcp_.OnPacket(ingress, packet, ip, now);
  } else if (ip.protocol == wire::kUdp) {
    OnUdp(ingress, packet, ip, now);
  } else if (ip.protocol == ip::IcmpProtocol(ip.family())) {
    packet.TrimFront(ip.header_size);
    OnIcmp(ingress, packet, ip, now);
  } else {
    OnUnknownProtocol(ingress, packet, ip, now);
  }
}

void PacketInput::OnUdp(Interface& ingress, Packet& packet,
                        const ip::InboundIp& ip, Instant now) {
  const View head = packet.head_view();
  packet.TrimFront(ip.header_size);
  const std::optional<DropReason> drop = datagrams_.OnUdpPacket(packet, ip);
  if (!drop) return;
  if (*drop == DropReason::kUdpNoSocket &&
      context_.group.HandOver(OwnerOfUdp(context_.group.steering(), packet),
                              ingress.id(), packet, ip.header_size)) {
    return;
  }
  context_.stats.Drop(*drop);
  if (*drop == DropReason::kUdpNoSocket) {
    // [RFC 1122 4.1.3.1], [RFC 4443 3.1]
    packet.SetHead(head);
    AnswerWithError(ingress, {.kind = wire::IcmpKind::kPortUnreachable}, packet,
                    ip, now);
  }
}

void PacketInput::OnIcmp(Interface& ingress, Packet& packet,
                         const ip::InboundIp& ip, Instant now) {
  const ip::ParsedIcmp parsed = ip::ParseIcmpPacket(packet, ip);
  if (parsed.drop) {
    context_.stats.Drop(*parsed.drop);
    return;
  }
  GroupMember& group = context_.group;
  const uint32_t owner =
      OwnerOfIcmp(group.steering(), parsed.message, ip.family());
  if (group.HandOver(owner, ingress.id(), packet, ip.header_size)) return;
  ++context_.stats.icmp_in_msgs;
  if (parsed.message.kind == wire::IcmpKind::kEchoRequest) {
    // [fault I01] in any-address mode we do not speak for hosts that may be
    // dead: only our own addresses answer
    if (!context_.interfaces.Owns(ip.destination)) {
      context_.stats.Drop(DropReason::kIcmpIgnored);
      return;
    }
    ++context_.stats.icmp_out_msgs;
    context_.SendControl(
        ingress, ip::MakeEchoReply(context_.pool, std::move(packet), ip,
                                   parsed.message, context_.config.ttl));
    return;
  }
  if (parsed.message.kind == wire::IcmpKind::kEchoReply) {
    if (const auto drop = datagrams_.OnEchoReply(packet, parsed.message, ip)) {
      context_.stats.Drop(*drop);
    }
    return;
  }
  const auto notice = ip::ReadIcmpError(parsed.message, ip.family());
  if (notice && notice->protocol == wire::kTcp) {
    tcp_.OnNotice(*notice, now);
  } else {
    context_.stats.Drop(DropReason::kIcmpIgnored);
  }
}

void PacketInput::OnUnknownProtocol(Interface& ingress, const Packet& packet,
                                    const ip::InboundIp& ip, Instant now) {
  context_.stats.Drop(DropReason::kIpUnknownProtocol);
  // [RFC 1122 3.2.2.1], [RFC 4443 3.4]
  AnswerWithError(ingress,
                  {.kind = wire::IcmpKind::kProtocolUnreachable,
                   .pointer = ip.protocol_offset},
                  packet, ip, now);
}

void PacketInput::AnswerWithError(Interface& ingress,
                                  const ip::IcmpError& error,
                                  const Packet& packet, const ip::InboundIp& ip,
                                  Instant now) {
  if (!ip::MayAnswerWithError(packet, ip) || !context_.MayAnswerUnowned(now)) {
    return;
  }
  ++context_.stats.icmp_out_msgs;
  context_.SendControl(ingress,
                       ip::MakeIcmpError(context_.pool, error, packet, ip,
                                         ip.destination, context_.config.ttl));
}

}  // namespace tcpip
