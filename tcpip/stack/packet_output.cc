#include "tcpip/stack/packet_output.h"

#include <array>
#include <cassert>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/network/ip.h"
#include "tcpip/transport/udp/endpoint.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"
#include "tcpip/wire/udp.h"

namespace tcpip {
namespace {

// Fills in the checksum of a transport packet (header first) and puts the IP
// header before it.
void Finish(Packet& packet, const Interface& interface, const FourTuple& tuple,
            uint8_t protocol, uint32_t checksum_offset, uint8_t ttl) {
  const IpAddress& source = tuple.local.address;
  const IpAddress& destination = tuple.remote.address;
  PartialSum sum = wire::PseudoHeaderSum(source, destination, protocol,
                                         static_cast<uint32_t>(packet.size()));
  uint16_t field;
  if (interface.config().checksum_offload) {
    // The link adds the sum from checksum_start on and inverts: the field
    // holds the pseudo header's share, folded and not inverted, over the
    // length of the whole super-segment.
    field = sum.value();
    packet.offload().checksum = ChecksumState::kPartial;
    packet.offload().checksum_start =
        static_cast<uint16_t>(ip::HeaderSize(destination.family()));
    packet.offload().checksum_offset = static_cast<uint16_t>(checksum_offset);
  } else {
    sum.Combine(ip::SumPacket(packet), 0);
    field = protocol == wire::kUdp ? udp::ChecksumField(sum) : sum.Checksum();
  }
  StoreBe16(&packet.mutable_head()[checksum_offset], field);
  ip::PrependIp(packet, {.source = source,
                         .destination = destination,
                         .protocol = protocol,
                         .ttl = ttl});
}

}  // namespace

Packet WrapTcp(SlabPool& pool, const Interface& interface,
               const FourTuple& tuple, tcp::OutSegment segment, uint8_t ttl) {
  std::array<uint8_t, wire::kTcpMaxHeaderSize - wire::kTcpHeaderSize> options;
  const uint32_t options_size = wire::EmitTcpOptions(segment.options, options);
  const wire::TcpHeader header = {
      .source_port = tuple.local.port,
      .destination_port = tuple.remote.port,
      .seq = segment.seq.value(),
      .ack = segment.ack.value(),
      .flags = segment.flags,
      .window = segment.wnd.field(),
      .options = ByteSpan(options).first(options_size)};

  Packet packet = Packet::WithHeadroom(pool);
  wire::EmitTcp(header, packet.Prepend(header.size()));
  if (segment.gso_size != 0 && segment.payload.size() > segment.gso_size) {
    packet.offload().gso_type =
        tuple.remote.address.IsIpv4() ? GsoType::kTcp4 : GsoType::kTcp6;
    packet.offload().gso_size = static_cast<uint16_t>(segment.gso_size);
  }
  packet.SetBody(std::move(segment.payload));
  Finish(packet, interface, tuple, wire::kTcp, wire::kTcpChecksumOffset, ttl);
  return packet;
}

Packet WrapUdp(SlabPool& pool, const Interface& interface,
               const FourTuple& tuple, ViewChain payload, uint8_t ttl) {
  Packet packet = Packet::WithHeadroom(pool);
  const size_t length = wire::kUdpHeaderSize + payload.size();
  assert(length <= 0xffff);
  wire::EmitUdp({.source_port = tuple.local.port,
                 .destination_port = tuple.remote.port,
                 .length = static_cast<uint16_t>(length)},
                packet.Prepend(wire::kUdpHeaderSize));
  packet.SetBody(std::move(payload));
  Finish(packet, interface, tuple, wire::kUdp, wire::kUdpChecksumOffset, ttl);
  return packet;
}

}  // namespace tcpip
