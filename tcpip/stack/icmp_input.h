// ICMP on its way in, and the errors that answer what cannot be delivered:
// echo requests are answered, echo replies go to their socket, errors to the
// transport whose packet they quote. RFC 792, RFC 1122 3.2.2, RFC 4443.
//
// Whether an error is about a packet of ours is judged by the transports.
#ifndef TCPIP_STACK_ICMP_INPUT_H_
#define TCPIP_STACK_ICMP_INPUT_H_

#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/network/icmp.h"
#include "tcpip/network/ip_facts.h"
#include "tcpip/stack/context.h"
#include "tcpip/stack/datagrams.h"
#include "tcpip/stack/echo_paths.h"
#include "tcpip/stack/interface.h"
#include "tcpip/stack/tcp_input.h"
#include "tcpip/wire/icmp.h"

namespace tcpip {

class IcmpInput {
 public:
  IcmpInput(StackContext& context, TcpInput& tcp, Datagrams& datagrams)
      : context_(context),
        tcp_(tcp),
        datagrams_(datagrams),
        echo_paths_(context.config.path_mtu) {}

  // `packet` starts with the ICMP header.
  void OnPacket(Interface& ingress, Packet& packet, const ip::InboundIp& ip,
                Instant now);

  // Reports what is wrong with `packet`, which starts with its IP header, if
  // it may be reported and the limit allows it.
  void AnswerWithError(Interface& ingress, const ip::IcmpError& error,
                       const Packet& packet, const ip::InboundIp& ip,
                       Instant now);

 private:
  // The shard a message is for, by what it answers or quotes.
  uint32_t OwnerOf(const wire::IcmpMessage& message,
                   const ip::InboundIp& ip) const;
  void OnEchoRequest(Interface& ingress, Packet& packet,
                     const wire::IcmpMessage& message, const ip::InboundIp& ip,
                     Instant now);
  void OnError(const wire::IcmpMessage& message, const ip::InboundIp& ip,
               Instant now);
  // Tells whoever may have sent what is quoted; false when nobody has.
  bool Tell(const ip::TransportNotice& notice, Instant now);
  bool OnEchoReplyNotice(const ip::TransportNotice& notice, Instant now);

  StackContext& context_;
  TcpInput& tcp_;
  Datagrams& datagrams_;
  EchoPaths echo_paths_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_ICMP_INPUT_H_
