#include "tcpip/stack/packet_output.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/network/ip.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"
#include "tcpip/wire/udp.h"

namespace tcpip {
namespace {

// Fills in the checksum of a transport packet (header first) and puts the IP
// header before it.
void Finish(Packet& packet, const Interface& interface, const FourTuple& tuple,
            uint8_t protocol, uint32_t checksum_offset, IpMarks marks) {
  const IpAddress& source = tuple.local.address;
  const IpAddress& destination = tuple.remote.address;
  PartialSum sum = wire::PseudoHeaderSum(source, destination, protocol,
                                         static_cast<uint32_t>(packet.size()));
  uint16_t field;
  if (interface.config().link.tx.checksum) {
    // The link adds the sum from checksum_start on and inverts: the field
    // holds the pseudo header's share, folded and not inverted, over the
    // length of the whole super-segment. That share is never zero, which
    // UDP over IPv4 would take for no checksum.
    field = sum.value();
    packet.offload().checksum = ChecksumState::kPartial;
    packet.offload().checksum_start =
        static_cast<uint16_t>(ip::HeaderSize(destination.family()));
    packet.offload().checksum_offset = static_cast<uint16_t>(checksum_offset);
  } else {
    field = sum.Combine(SumOf(packet), 0).Checksum();
    if (protocol == wire::kUdp) field = NonZeroChecksum(field);
  }
  StoreBe16(&packet.mutable_head()[checksum_offset], field);
  ip::PrependIp(packet, {.source = source,
                         .destination = destination,
                         .protocol = protocol,
                         .tos = marks.tos,
                         .ttl = marks.ttl});
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
  Finish(packet, interface, tuple, wire::kTcp, wire::kTcpChecksumOffset,
         {.ttl = ttl, .tos = segment.ect ? wire::kEct0 : wire::kNotEct});
  return packet;
}

Packet WrapUdp(SlabPool& pool, const Interface& interface,
               const FourTuple& tuple, ByteSpan payload, IpMarks marks) {
  Packet packet = Packet::WithHeadroom(pool);
  const size_t length = wire::kUdpHeaderSize + payload.size();
  assert(length <= 0xffff);
  const size_t in_head =
      std::min<size_t>(payload.size(), packet.head_view().tailroom());
  std::copy_n(payload.data(), in_head,
              packet.AppendToHead(static_cast<uint32_t>(in_head)).data());
  if (in_head < payload.size()) {
    ViewChain rest;
    rest.AppendCopy(pool, payload.subspan(in_head));
    packet.SetBody(std::move(rest));
  }
  wire::EmitUdp({.source_port = tuple.local.port,
                 .destination_port = tuple.remote.port,
                 .length = static_cast<uint16_t>(length)},
                packet.Prepend(wire::kUdpHeaderSize));
  Finish(packet, interface, tuple, wire::kUdp, wire::kUdpChecksumOffset, marks);
  return packet;
}

}  // namespace tcpip
