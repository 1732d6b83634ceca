#include "tcpip/network/icmp.h"

#include <algorithm>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/network/ip.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/tcp.h"

namespace tcpip::ip {
namespace {

// [RFC 1812 4.3.2.3], [RFC 4443 2.4(c)]: sizes of the whole error packet.
constexpr uint32_t kMaxErrorSizeV4 = 576;
constexpr uint32_t kMaxErrorSizeV6 = wire::kIpv6MinMtu;

// What the checksum of an ICMP message starts from: ICMPv6 covers a pseudo
// header, ICMPv4 nothing but the message. [RFC 4443 2.3]
PartialSum InitialSum(const IpAddress& source, const IpAddress& destination,
                      uint32_t length) {
  if (destination.IsIpv4()) return PartialSum();
  return wire::PseudoHeaderSum(source, destination, wire::kIcmpv6, length);
}

void StoreChecksum(Packet& message, const IpAddress& source,
                   const IpAddress& destination) {
  const PartialSum sum =
      InitialSum(source, destination, static_cast<uint32_t>(message.size()))
          .Combine(SumOf(message), 0);
  StoreBe16(&message.mutable_head()[wire::kIcmpChecksumOffset], sum.Checksum());
}

bool IsError(wire::IcmpKind kind) {
  switch (kind) {
    case wire::IcmpKind::kEchoRequest:
    case wire::IcmpKind::kEchoReply:
    case wire::IcmpKind::kOther:
      return false;
    default:
      return true;
  }
}

// True for types that report errors, known to us or not.
bool IsErrorMessage(ByteSpan icmp, IpFamily family) {
  if (icmp.empty()) return true;  // cannot tell: do not answer
  // [RFC 4443 2.1] ICMPv6 error types have the high bit clear
  if (family == IpFamily::kIpv6) return icmp[0] < 128;
  const auto message = wire::ParseIcmp(family, icmp);
  if (!message) return true;
  return IsError(message->kind) ||
         message->type == wire::icmp_type::kUnreachable ||
         message->type == wire::icmp_type::kSourceQuench ||
         message->type == wire::icmp_type::kRedirect;
}

// Finds the transport header of a quoted packet, which may be cut off.
struct Quoted {
  IpAddress source;
  IpAddress destination;
  uint8_t protocol = 0;
  ByteSpan transport;
};

std::optional<Quoted> ReadQuotedV4(ByteSpan quote) {
  // Length and checksum are as the reporting router left them, which is not
  // always as we sent them.
  if (quote.size() < wire::kIpv4HeaderSize || quote[0] >> 4 != 4) {
    return std::nullopt;
  }
  const size_t header_size = (quote[0] & 0xf) * size_t{4};
  if (header_size < wire::kIpv4HeaderSize || header_size > quote.size() ||
      (LoadBe16(&quote[wire::kIpv4FragmentOffset]) & wire::kIpv4FragmentMask) !=
          0) {
    return std::nullopt;
  }
  return Quoted{IpAddress::FromIpv4Bytes(&quote[wire::kIpv4SourceOffset]),
                IpAddress::FromIpv4Bytes(&quote[wire::kIpv4DestinationOffset]),
                quote[wire::kIpv4ProtocolOffset], quote.subspan(header_size)};
}

std::optional<Quoted> ReadQuotedV6(ByteSpan quote) {
  // The quote is cut, so the packet's own length cannot be checked against it.
  constexpr size_t kAnySize = wire::kIpv6HeaderSize + 0xffff;
  const auto parsed = wire::ParseIpv6(quote, kAnySize);
  if (parsed.error != wire::IpParseError::kNone ||
      parsed.walk != wire::Ipv6WalkResult::kTransport ||
      parsed.transport_offset > quote.size()) {
    return std::nullopt;
  }
  return Quoted{parsed.header.source, parsed.header.destination,
                parsed.transport_protocol,
                quote.subspan(parsed.transport_offset)};
}

}  // namespace

uint8_t IcmpProtocol(IpFamily family) {
  return family == IpFamily::kIpv4 ? wire::kIcmp : wire::kIcmpv6;
}

ParsedIcmp ParseIcmpPacket(const Packet& packet, const InboundIp& ip) {
  const auto message = wire::ParseIcmp(ip.family(), packet.head());
  if (!message) return {.drop = DropReason::kIcmpTruncated};
  const PartialSum sum =
      InitialSum(ip.source, ip.destination, ip.payload_size())
          .Combine(SumOf(packet), 0);
  if (!sum.IsValid()) return {.drop = DropReason::kIcmpBadChecksum};
  return {.message = *message};
}

Packet MakeEchoReply(SlabPool& pool, Packet request, const InboundIp& ip,
                     const wire::IcmpMessage& message, uint8_t ttl) {
  const IpFamily family = ip.family();
  Packet reply = Packet::WithHeadroom(pool);
  wire::EmitIcmpHeader(family,
                       {.kind = wire::IcmpKind::kEchoReply,
                        .echo_id = message.echo_id,
                        .echo_seq = message.echo_seq,
                        .payload = {}},
                       reply.Prepend(wire::kIcmpHeaderSize));
  // Only the type (and code) differ from the request, whose checksum was
  // right; exchanged addresses leave a sum as it is.
  const uint16_t from = LoadBe16(request.head().data());
  const uint16_t to = LoadBe16(reply.head().data());
  // Over nothing but zeros only this spelling of zero is accepted.
  StoreBe16(&reply.mutable_head()[wire::kIcmpChecksumOffset],
            NonZeroChecksum(UpdateChecksum(message.checksum, from, to)));

  request.TrimFront(wire::kIcmpHeaderSize);
  reply.SetBody(request.TakePayload());
  PrependIp(reply, {.source = ip.destination,
                    .destination = ip.source,
                    .protocol = IcmpProtocol(family),
                    .tos = ip.tos,
                    .ttl = ttl});
  return reply;
}

Packet MakeEchoRequest(SlabPool& pool, const IpAddress& source,
                       const IpAddress& destination, uint16_t id, uint16_t seq,
                       ViewChain payload, uint8_t ttl) {
  const IpFamily family = destination.family();
  Packet request = Packet::WithHeadroom(pool);
  wire::EmitIcmpHeader(family,
                       {.kind = wire::IcmpKind::kEchoRequest,
                        .echo_id = id,
                        .echo_seq = seq,
                        .payload = {}},
                       request.Prepend(wire::kIcmpHeaderSize));
  request.SetBody(std::move(payload));
  StoreChecksum(request, source, destination);
  PrependIp(request, {.source = source,
                      .destination = destination,
                      .protocol = IcmpProtocol(family),
                      .ttl = ttl});
  return request;
}

bool MayAnswerWithError(const Packet& packet, const InboundIp& ip) {
  if (ip.destination.IsMulticast() || ip.destination.IsIpv4Broadcast()) {
    return false;
  }
  if (ip.protocol != IcmpProtocol(ip.family())) return true;
  const ByteSpan head = packet.head();
  return ip.header_size < head.size() &&
         !IsErrorMessage(head.subspan(ip.header_size), ip.family());
}

Packet MakeIcmpError(SlabPool& pool, const IcmpError& error,
                     const Packet& packet, const InboundIp& ip,
                     const IpAddress& source, uint8_t ttl) {
  const IpFamily family = ip.family();
  const uint32_t room =
      (family == IpFamily::kIpv4 ? kMaxErrorSizeV4 : kMaxErrorSizeV6) -
      HeaderSize(family) - wire::kIcmpHeaderSize;
  const auto quoted =
      static_cast<uint32_t>(std::min<size_t>({room, ip.size, packet.size()}));

  Packet message = Packet::WithHeadroom(pool);
  const MutableByteSpan to = message.AppendToHead(quoted);
  const ByteSpan head =
      packet.head().first(std::min<size_t>(packet.head().size(), quoted));
  std::copy(head.begin(), head.end(), to.begin());
  packet.body().CopyTo(to.subspan(head.size()));

  wire::EmitIcmpHeader(family,
                       {.kind = error.kind,
                        .code = error.code,
                        .mtu = error.mtu,
                        .pointer = error.pointer,
                        .payload = {}},
                       message.Prepend(wire::kIcmpHeaderSize));
  StoreChecksum(message, source, ip.source);
  PrependIp(message, {.source = source,
                      .destination = ip.source,
                      .protocol = IcmpProtocol(family),
                      .ttl = ttl});
  return message;
}

std::optional<TransportNotice> ReadIcmpError(const wire::IcmpMessage& message,
                                             IpFamily family) {
  // [RFC 792] an error quotes at least 8 bytes beyond the IP header: ports and
  // TCP's sequence number
  constexpr size_t kQuotedTransport = 8;
  if (!IsError(message.kind)) return std::nullopt;
  const auto quoted = family == IpFamily::kIpv4 ? ReadQuotedV4(message.payload)
                                                : ReadQuotedV6(message.payload);
  if (!quoted || quoted->transport.size() < kQuotedTransport) {
    return std::nullopt;
  }
  TransportNotice notice = {.kind = message.kind,
                            .code = message.code,
                            .protocol = quoted->protocol,
                            .tuple = {.local = {quoted->source, 0},
                                      .remote = {quoted->destination, 0}},
                            .mtu = message.mtu};
  const uint8_t* const p = quoted->transport.data();
  if (quoted->protocol == wire::kTcp || quoted->protocol == wire::kUdp) {
    notice.tuple.local.port = LoadBe16(p);
    notice.tuple.remote.port = LoadBe16(p + 2);
    notice.seq = LoadBe32(p + wire::kTcpSeqOffset);
    return notice;
  }
  if (quoted->protocol != IcmpProtocol(family)) return std::nullopt;
  const auto echo = wire::ParseIcmp(family, quoted->transport);
  if (!echo || (echo->kind != wire::IcmpKind::kEchoRequest &&
                echo->kind != wire::IcmpKind::kEchoReply)) {
    return std::nullopt;
  }
  notice.tuple.local.port = echo->echo_id;
  notice.of_echo_reply = echo->kind == wire::IcmpKind::kEchoReply;
  return notice;
}

}  // namespace tcpip::ip
