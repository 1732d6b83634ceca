#include "tcpip/stack/packet_input.h"

#include <optional>

#include "tcpip/buffer/view.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/network/icmp.h"
#include "tcpip/network/ip.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip {

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
  if (!context_.interfaces.IsCredible(ingress, ip.source)) {
    context_.stats.Drop(DropReason::kIpMartian);
    return;
  }
  packet.TrimToSize(ip.size);
  if (verdict.drop) {
    context_.stats.Drop(*verdict.drop);
    icmp_.AnswerWithError(ingress,
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
    icmp_.OnPacket(ingress, packet, ip, now);
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
  context_.stats.Drop(*drop);
  if (*drop == DropReason::kUdpNoSocket) {
    // [RFC 1122 4.1.3.1], [RFC 4443 3.1]
    packet.SetHead(head);
    icmp_.AnswerWithError(ingress, {.kind = wire::IcmpKind::kPortUnreachable},
                          packet, ip, now);
  }
}

void PacketInput::OnUnknownProtocol(Interface& ingress, const Packet& packet,
                                    const ip::InboundIp& ip, Instant now) {
  context_.stats.Drop(DropReason::kIpUnknownProtocol);
  // [RFC 1122 3.2.2.1], [RFC 4443 3.4]
  icmp_.AnswerWithError(ingress,
                        {.kind = wire::IcmpKind::kProtocolUnreachable,
                         .pointer = ip.protocol_offset},
                        packet, ip, now);
}

}  // namespace tcpip
