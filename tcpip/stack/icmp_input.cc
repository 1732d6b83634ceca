#include "tcpip/stack/icmp_input.h"

#include <cstdint>
#include <utility>

#include "tcpip/network/drop_reason.h"
#include "tcpip/stack/steering.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip {
namespace {

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

void IcmpInput::OnPacket(Interface& ingress, Packet& packet,
                         const ip::InboundIp& ip, Instant now) {
  const ip::ParsedIcmp parsed = ip::ParseIcmpPacket(packet, ip);
  if (parsed.drop) {
    context_.Drop(*parsed.drop);
    return;
  }
  const uint32_t owner =
      OwnerOfIcmp(context_.group.steering(), parsed.message, ip.family());
  if (context_.group.HandOver(owner, ingress.id(), packet, ip.header_size)) {
    return;
  }
  ++context_.stats.icmp_in_msgs;
  switch (parsed.message.kind) {
    case wire::IcmpKind::kEchoRequest:
      return OnEchoRequest(ingress, packet, parsed.message, ip);
    case wire::IcmpKind::kEchoReply:
      if (const auto drop =
              datagrams_.OnEchoReply(packet, parsed.message, ip)) {
        context_.Drop(*drop);
      }
      return;
    default:
      return OnError(parsed.message, ip, now);
  }
}

void IcmpInput::OnEchoRequest(Interface& ingress, Packet& packet,
                              const wire::IcmpMessage& message,
                              const ip::InboundIp& ip) {
  // [fault I01] in any-address mode we do not speak for hosts that may be dead:
  // only our own addresses answer
  if (!context_.interfaces.Owns(ip.destination)) {
    context_.Drop(DropReason::kIcmpIgnored);
    return;
  }
  // [fault O01] what waits for a full link keeps its request's blocks
  if (context_.pool.IsSpent()) return context_.Drop(DropReason::kMemorySpent);
  ++context_.stats.icmp_out_msgs;
  context_.SendControl(
      ingress, ip::MakeEchoReply(context_.pool, std::move(packet), ip, message,
                                 context_.config.ttl));
}

void IcmpInput::OnError(const wire::IcmpMessage& message,
                        const ip::InboundIp& ip, Instant now) {
  const auto notice = ip::ReadIcmpError(message, ip.family());
  // An error is sent to whoever sent the packet that it quotes.
  const bool believed =
      notice && notice->tuple.local.address == ip.destination &&
      (notice->protocol == wire::kTcp ? tcp_.OnNotice(*notice, now)
                                      : datagrams_.OnNotice(*notice, now));
  if (!believed) context_.Drop(DropReason::kIcmpIgnored);
}

void IcmpInput::AnswerWithError(Interface& ingress, const ip::IcmpError& error,
                                const Packet& packet, const ip::InboundIp& ip,
                                Instant now) {
  if (!ip::MayAnswerWithError(packet, ip) ||
      !context_.MayAnswerUnowned(ip.source, now)) {
    return;
  }
  ++context_.stats.icmp_out_msgs;
  context_.SendControl(ingress,
                       ip::MakeIcmpError(context_.pool, error, packet, ip,
                                         ip.destination, context_.config.ttl));
}

}  // namespace tcpip
