#include "tcpip/stack/icmp_input.h"

#include <cstdint>
#include <utility>

#include "tcpip/network/drop_reason.h"
#include "tcpip/stack/steering.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip {

uint32_t IcmpInput::OwnerOf(const wire::IcmpMessage& message,
                            const ip::InboundIp& ip) const {
  const Steering& steering = context_.group.steering();
  if (steering.count() == 1) return steering.index();
  if (message.kind == wire::IcmpKind::kEchoReply) {
    return steering.OwnerOfPort(message.echo_id);
  }
  if (message.kind == wire::IcmpKind::kEchoRequest) {
    // Any shard may answer, but one must hear that the answer was too big.
    return echo_paths_.PassesAnywhere(ip.size, ip.family())
               ? steering.index()
               : steering.OwnerOfPort(message.echo_id);
  }
  const auto notice = ip::ReadIcmpError(message, ip.family());
  if (!notice) return steering.index();
  return notice->protocol == wire::kTcp
             ? steering.OwnerOfTcp(notice->tuple)
             : steering.OwnerOfPort(notice->tuple.local.port);
}

void IcmpInput::OnPacket(Interface& ingress, Packet& packet,
                         const ip::InboundIp& ip, Instant now) {
  const ip::ParsedIcmp parsed = ip::ParseIcmpPacket(packet, ip);
  if (parsed.drop) {
    context_.Drop(*parsed.drop);
    return;
  }
  if (context_.group.HandOver(OwnerOf(parsed.message, ip), ingress.id(), packet,
                              ip.header_size)) {
    return;
  }
  ++context_.stats.icmp_in_msgs;
  switch (parsed.message.kind) {
    case wire::IcmpKind::kEchoRequest:
      return OnEchoRequest(ingress, packet, parsed.message, ip, now);
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
                              const ip::InboundIp& ip, Instant now) {
  // [fault I01] in any-address mode we do not speak for hosts that may be dead:
  // only our own addresses answer
  if (!context_.interfaces.Owns(ip.destination)) {
    context_.Drop(DropReason::kIcmpIgnored);
    return;
  }
  // [fault O01] what waits for a full link keeps its request's blocks
  if (context_.pool.IsSpent()) return context_.Drop(DropReason::kMemorySpent);
  ++context_.stats.icmp_out_msgs;
  const uint32_t mtu = echo_paths_.OnAnswer(
      message.echo_id, ip.source,
      context_.interfaces.MtuTowards(ingress, ip.source), now);
  context_.SendControl(ingress,
                       ip::MakeEchoReply(context_.pool, std::move(packet), ip,
                                         message, context_.config.ttl),
                       mtu);
}

void IcmpInput::OnError(const wire::IcmpMessage& message,
                        const ip::InboundIp& ip, Instant now) {
  const auto notice = ip::ReadIcmpError(message, ip.family());
  // An error is sent to whoever sent the packet that it quotes.
  const bool believed = notice &&
                        notice->tuple.local.address == ip.destination &&
                        Tell(*notice, now);
  if (!believed) context_.Drop(DropReason::kIcmpIgnored);
}

bool IcmpInput::Tell(const ip::TransportNotice& notice, Instant now) {
  if (notice.protocol == wire::kTcp) return tcp_.OnNotice(notice, now);
  if (notice.of_echo_reply) return OnEchoReplyNotice(notice, now);
  return datagrams_.OnNotice(notice, now);
}

bool IcmpInput::OnEchoReplyNotice(const ip::TransportNotice& notice,
                                  Instant now) {
  const IpEndpoint& local = notice.tuple.local;
  const IpAddress& remote = notice.tuple.remote.address;
  if (notice.kind != wire::IcmpKind::kPacketTooBig ||
      !echo_paths_.HasAnswered(local.port, remote) ||
      !context_.path_mtu_reports.Take(now)) {
    return false;
  }
  const auto interface = context_.interfaces.Towards(remote);
  if (!interface.ok()) return false;
  ++context_.stats.icmp_path_mtu_reports;
  echo_paths_.OnTooBig(remote, notice.mtu, (*interface)->config().link.mtu,
                       now);
  return true;
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
                                         ip.destination, context_.config.ttl),
                       context_.interfaces.MtuTowards(ingress, ip.source));
}

}  // namespace tcpip
