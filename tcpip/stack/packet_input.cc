#include "tcpip/stack/packet_input.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "tcpip/buffer/view.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/network/icmp.h"
#include "tcpip/network/ip.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip {
namespace {

// [fault X19] [fault O01] What may never become whole leaves room for the rest,
// however small the budget.
ip::ReassemblyConfig ReassemblyOf(const StackConfig& config) {
  ip::ReassemblyConfig reassembly = config.reassembly;
  if (config.memory_budget) {
    reassembly.max_bytes =
        std::min(reassembly.max_bytes, *config.memory_budget / 8);
  }
  return reassembly;
}

}  // namespace

PacketInput::PacketInput(StackContext& context, TcpFlows& flows,
                         Datagrams& datagrams, Rng& rng)
    : context_(context),
      tcp_(context, flows),
      datagrams_(datagrams),
      icmp_(context, tcp_, datagrams),
      reassembly_(ReassemblyOf(context.config), context.pool, rng) {}

void PacketInput::OnPacket(Interface& ingress, Packet packet, Instant now) {
  const size_t size = packet.size();
  const size_t set_aside = context_.group.waiting();
  Take(ingress, std::move(packet), now);
  if (context_.group.waiting() != set_aside) return;  // its owner counts it
  ++context_.stats.ip_in;
  context_.stats.ip_in_bytes += size;
}

void PacketInput::Take(Interface& ingress, Packet packet, Instant now) {
  const ip::InputVerdict verdict = ip::CheckIp(packet, ingress.ingress());
  const ip::InboundIp& ip = verdict.ip;
  if (verdict.drop && !verdict.problem) {
    context_.Drop(*verdict.drop);
    return;
  }
  if (!context_.interfaces.IsCredible(ingress, ip.source)) {
    context_.Drop(DropReason::kIpMartian);
    return;
  }
  if (!context_.interfaces.Accepts(ingress, ip.destination)) {
    OnPacketNotForUs(ingress, std::move(packet), verdict, now);
    return;
  }
  packet.TrimToSize(ip.size);
  if (verdict.drop) {
    context_.Drop(*verdict.drop);
    icmp_.AnswerWithError(ingress,
                          {.kind = wire::IcmpKind::kParameterProblem,
                           .code = verdict.problem->code,
                           .pointer = verdict.problem->pointer},
                          packet, ip, now);
    return;
  }
  if (verdict.fragment) {
    OnFragment(ingress, std::move(packet), verdict, now);
    return;
  }
  Deliver(ingress, packet, ip, now);
}

void PacketInput::OnPacketNotForUs(Interface& ingress, Packet packet,
                                   const ip::InputVerdict& verdict,
                                   Instant now) {
  const ip::InboundIp& ip = verdict.ip;
  if (!context_.interfaces.IsGroup(ip.destination)) {
    return context_.Drop(DropReason::kIpNotOurs);
  }
  // [fault U11] dropped by default: tunnels are flooded with discovery
  if (!ingress.config().group_datagrams || !ingress.Carries(ip.family())) {
    return context_.Drop(DropReason::kIpGroup);
  }
  // [RFC 1122 3.2.2] no error answers what was sent to many
  if (verdict.drop) return context_.Drop(*verdict.drop);
  packet.TrimToSize(ip.size);
  if (verdict.fragment) {
    return OnFragment(ingress, std::move(packet), verdict, now);
  }
  DeliverToGroup(ingress, packet, ip);
}

void PacketInput::DeliverToGroup(Interface& ingress, Packet& packet,
                                 const ip::InboundIp& ip) {
  std::optional<DropReason> drop = DropReason::kIpGroup;
  if (ip.protocol == wire::kUdp) {
    packet.TrimFront(ip.header_size);
    drop = datagrams_.OnUdpPacket(ingress, packet, ip);
  }
  if (drop) context_.Drop(*drop);
}

void PacketInput::OnFragment(Interface& ingress, Packet packet,
                             const ip::InputVerdict& verdict, Instant now) {
  // [fault I06] all parts meet in one shard, whichever queues they came by;
  // what becomes of them then goes on to its owner as any other packet
  const uint32_t owner = context_.group.steering().OwnerOfFragments(
      verdict.ip.source, verdict.ip.destination);
  if (context_.group.HandOver(owner, ingress.id(), packet, 0)) return;
  ++context_.stats.ip_reasm_reqds;
  ip::Reassembly::Outcome outcome = reassembly_.OnFragment(
      std::move(packet), verdict.ip, *verdict.fragment, now);
  context_.timers.Set(reassembly_timer_, reassembly_.NextDeadline());
  if (outcome.drop) context_.Drop(*outcome.drop);
  if (!outcome.whole) return;
  ++context_.stats.ip_reasm_oks;
  const ip::InputVerdict whole = ip::CheckIp(*outcome.whole, ingress.ingress());
  if (whole.drop) return context_.Drop(*whole.drop);
  if (context_.interfaces.Accepts(ingress, whole.ip.destination)) {
    Deliver(ingress, *outcome.whole, whole.ip, now);
  } else {
    DeliverToGroup(ingress, *outcome.whole, whole.ip);
  }
}

void PacketInput::OnReassemblyTimer(Instant now) {
  while (const auto expired = reassembly_.PopExpired(now)) {
    // [RFC 792], [RFC 4443 3.3] nobody is told unless the first was there,
    // [RFC 1122 3.2.2] nor of what was sent to many
    if (expired->first.size() == 0 ||
        context_.interfaces.IsGroup(expired->ip.destination)) {
      continue;
    }
    const auto egress = context_.interfaces.Towards(expired->ip.source);
    if (!egress.ok()) continue;
    icmp_.AnswerWithError(**egress,
                          {.kind = wire::IcmpKind::kTimeExceeded,
                           .code = wire::icmp_code::kReassemblyTime},
                          expired->first, expired->ip, now);
  }
  context_.timers.Set(reassembly_timer_, reassembly_.NextDeadline());
}

void PacketInput::AddReassemblyStats(StackStats& stats) const {
  stats.ip_reasm_fails += reassembly_.fails();
  for (size_t i = 0; i < stats.dropped.size(); ++i) {
    stats.dropped[i] += reassembly_.dropped()[i];
  }
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
  const std::optional<DropReason> drop =
      datagrams_.OnUdpPacket(ingress, packet, ip);
  if (!drop) return;
  context_.Drop(*drop);
  if (*drop == DropReason::kUdpNoSocket) {
    // [RFC 1122 4.1.3.1], [RFC 4443 3.1]
    packet.SetHead(head);
    icmp_.AnswerWithError(ingress, {.kind = wire::IcmpKind::kPortUnreachable},
                          packet, ip, now);
  }
}

void PacketInput::OnUnknownProtocol(Interface& ingress, const Packet& packet,
                                    const ip::InboundIp& ip, Instant now) {
  context_.Drop(DropReason::kIpUnknownProtocol);
  // [RFC 1122 3.2.2.1], [RFC 4443 3.4]
  icmp_.AnswerWithError(ingress,
                        {.kind = wire::IcmpKind::kProtocolUnreachable,
                         .pointer = ip.protocol_offset},
                        packet, ip, now);
}

}  // namespace tcpip
