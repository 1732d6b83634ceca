// ICMP for both families: answers echo, reports what is wrong with a packet,
// and turns the errors of others into notices for our transports.
// RFC 792, RFC 1122 3.2.2, RFC 4443.
//
// Whole messages are made here, from the packet that asks for them; whether
// the rate limit allows one and where it goes is the stack's decision.
#ifndef TCPIP_NETWORK_ICMP_H_
#define TCPIP_NETWORK_ICMP_H_

#include <cstdint>
#include <optional>

#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/network/ip_facts.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/icmp.h"

namespace tcpip::ip {

// The IP protocol number of the family's ICMP.
uint8_t IcmpProtocol(IpFamily family);

struct ParsedIcmp {
  std::optional<DropReason> drop = std::nullopt;
  // Valid without a drop; looks into the packet.
  wire::IcmpMessage message = {};
};

// `packet` starts with the ICMP header, trimmed to ip.payload_size(). Verifies
// length and checksum.
ParsedIcmp ParseIcmpPacket(const Packet& packet, const InboundIp& ip);

// The answer to an echo request: same id, sequence number, payload and type of
// service, addresses exchanged. Takes over the request's payload; `request`
// starts with the ICMP header.
Packet MakeEchoReply(SlabPool& pool, Packet request, const InboundIp& ip,
                     const wire::IcmpMessage& message, uint8_t ttl);

// An echo request, complete.
Packet MakeEchoRequest(SlabPool& pool, const IpAddress& source,
                       const IpAddress& destination, uint16_t id, uint16_t seq,
                       ViewChain payload, uint8_t ttl);

// What an error message says; `message.payload` is not looked at.
struct IcmpError {
  wire::IcmpKind kind = wire::IcmpKind::kPortUnreachable;
  uint8_t code = 0;  // where the kind has several
  uint32_t pointer = 0;
  // kPacketTooBig: of the next hop. Nothing is forwarded, and what comes in has
  // passed the link already, so no packet is too big for us yet.
  uint32_t mtu = 0;
};

// False for packets that must never be answered with an error: those to or
// from anything but one host, and ICMP errors. Fragments are no packets yet.
// `packet` starts with the IP header. [RFC 1122 3.2.2, RFC 4443 2.4(e)]
bool MayAnswerWithError(const Packet& packet, const InboundIp& ip);

// The error about `packet` (which starts with its IP header), quoting as much
// of it as fits: 576 bytes for IPv4, 1280 for IPv6.
// [RFC 1812 4.3.2.3, RFC 4443 2.4(c)]
Packet MakeIcmpError(SlabPool& pool, const IcmpError& error,
                     const Packet& packet, const InboundIp& ip,
                     const IpAddress& source, uint8_t ttl);

// What an error message tells a transport about a packet it sent.
struct TransportNotice {
  wire::IcmpKind kind = wire::IcmpKind::kOther;
  uint8_t code = 0;
  uint8_t protocol = 0;
  // As the sender of the quoted packet sees it. Echo messages have their
  // identifier for a local port.
  FourTuple tuple;
  bool of_echo_reply = false;
  uint32_t seq = 0;  // TCP: sequence number of the quoted segment
  uint32_t mtu = 0;  // kPacketTooBig
};

// nullopt when the quoted packet is too short or nothing we send.
std::optional<TransportNotice> ReadIcmpError(const wire::IcmpMessage& message,
                                             IpFamily family);

}  // namespace tcpip::ip

#endif  // TCPIP_NETWORK_ICMP_H_
