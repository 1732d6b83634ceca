#include "conformance/icmp_reader.h"

#include <cstdint>
#include <tuple>

#include "conformance/icmp_names.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/udp.h"

namespace conformance {
namespace {

using tcpip::ByteSpan;
using tcpip::IpFamily;
using tcpip::wire::IcmpKind;

// What an error quotes: the start of a packet. It may be cut anywhere behind
// the first 8 bytes of its transport, so that lengths are what headers say.
struct Quoted {
  uint8_t protocol = 0;
  size_t length = 0;  // of the transport, uncut
  ByteSpan transport;
};

Quoted ReadQuoted(IpFamily family, ByteSpan packet) {
  size_t header = tcpip::wire::kIpv6HeaderSize;
  if (family == IpFamily::kIpv4) {
    header = packet.empty() ? tcpip::wire::kIpv4HeaderSize
                            : size_t{4} * (packet[0] & 0x0f);
  }
  constexpr size_t kLeast = 8;  // ports and sequence number, or UDP's header
  if (header < tcpip::wire::kIpv4HeaderSize ||
      packet.size() < header + kLeast) {
    return {};
  }
  if (family == IpFamily::kIpv4) {
    const size_t total =
        tcpip::LoadBe16(&packet[tcpip::wire::kIpv4LengthOffset]);
    return {packet[tcpip::wire::kIpv4ProtocolOffset],
            total > header ? total - header : 0, packet.subspan(header)};
  }
  // [RFC 8200 3] payload length and next header
  return {packet[6], tcpip::LoadBe16(&packet[4]), packet.subspan(header)};
}

// "[1:101(100)]" of a segment; the flags that say whether a SYN is quoted stand
// behind what an error has to quote.
EchoedTcp ReadQuotedTcp(const Quoted& quoted, const FlowMap& flow) {
  constexpr size_t kSeqOffset = 4;
  constexpr size_t kDataOffset = 12;
  size_t header = tcpip::wire::kTcpHeaderSize;
  bool syn = false;
  if (quoted.transport.size() > kDataOffset + 1) {
    header = size_t{4} * (quoted.transport[kDataOffset] >> 4);
    syn = tcpip::wire::TcpFlags(quoted.transport[kDataOffset + 1]).syn();
  }
  EchoedTcp echoed;
  echoed.start = flow.remote_seq.ToScript(
      tcpip::LoadBe32(&quoted.transport[kSeqOffset]), syn);
  echoed.length = static_cast<uint16_t>(
      quoted.length > header ? quoted.length - header : 0);
  echoed.end = echoed.start + echoed.length;
  return echoed;
}

Echoed ReadEchoed(IpFamily family, ByteSpan packet, const FlowMap& flow) {
  const Quoted quoted = ReadQuoted(family, packet);
  if (quoted.protocol == tcpip::wire::kTcp) return ReadQuotedTcp(quoted, flow);
  if (quoted.protocol == tcpip::wire::kUdp &&
      quoted.length >= tcpip::wire::kUdpHeaderSize) {
    return EchoedUdp{
        static_cast<uint16_t>(quoted.length - tcpip::wire::kUdpHeaderSize)};
  }
  return EchoedRaw{static_cast<uint16_t>(packet.size())};
}

}  // namespace

IcmpSpec ReadIcmp(IpFamily family, ByteSpan message, const FlowMap& flow) {
  IcmpSpec spec;
  const auto read = tcpip::wire::ParseIcmp(family, message);
  if (!read) {
    spec.type = "cut_short";
    return spec;
  }
  std::tie(spec.type, spec.code) = IcmpName(family, read->type, read->code);
  if (read->kind == IcmpKind::kPacketTooBig) spec.mtu = read->mtu;
  if (read->kind == IcmpKind::kEchoReply ||
      read->kind == IcmpKind::kEchoRequest) {
    spec.id = read->echo_id;
    spec.echoed = EchoedRaw{static_cast<uint16_t>(read->payload.size())};
  } else {
    spec.echoed = ReadEchoed(family, read->payload, flow);
  }
  return spec;
}

IcmpSpec WithUsualNames(IpFamily family, IcmpSpec icmp) {
  if (const auto numbers = IcmpNumbers(family, icmp.type, icmp.code)) {
    std::tie(icmp.type, icmp.code) =
        IcmpName(family, numbers->type, numbers->code);
  }
  return icmp;
}

}  // namespace conformance
