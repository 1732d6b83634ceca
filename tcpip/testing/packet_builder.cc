#include "tcpip/testing/packet_builder.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/udp.h"

namespace tcpip::sim {
namespace {

// Fills in the checksum at `checksum_offset` of the transport bytes and puts
// the IP header before them.
Bytes Finish(const IpAddress& from, const IpAddress& to, uint8_t protocol,
             uint32_t checksum_offset, Bytes transport) {
  assert(from.family() == to.family());
  StoreBe16(&transport[checksum_offset],
            ComputeChecksum(from, to, protocol, transport));
  Bytes packet;
  if (to.IsIpv4()) {
    packet.resize(wire::kIpv4HeaderSize);
    wire::EmitIpv4({.total_length =
                        static_cast<uint16_t>(packet.size() + transport.size()),
                    .dont_fragment = true,
                    .protocol = protocol,
                    .source = from,
                    .destination = to,
                    .options = {}},
                   packet);
  } else {
    packet.resize(wire::kIpv6HeaderSize);
    wire::EmitIpv6({.payload_length = static_cast<uint16_t>(transport.size()),
                    .next_header = protocol,
                    .source = from,
                    .destination = to},
                   packet);
  }
  packet.insert(packet.end(), transport.begin(), transport.end());
  return packet;
}

}  // namespace

Bytes Build(const TcpPacket& packet) {
  std::array<uint8_t, wire::kTcpMaxHeaderSize - wire::kTcpHeaderSize> options;
  const uint32_t options_size = wire::EmitTcpOptions(packet.options, options);
  const wire::TcpHeader header = {
      .source_port = packet.from.port,
      .destination_port = packet.to.port,
      .seq = packet.seq,
      .ack = packet.ack,
      .flags = packet.flags,
      .window = packet.window,
      .options = ByteSpan(options).first(options_size)};
  Bytes transport(header.size());
  wire::EmitTcp(header, transport);
  transport.insert(transport.end(), packet.payload.begin(),
                   packet.payload.end());
  return Finish(packet.from.address, packet.to.address, wire::kTcp,
                wire::kTcpChecksumOffset, std::move(transport));
}

Bytes Build(const UdpPacket& packet) {
  Bytes transport(wire::kUdpHeaderSize);
  wire::EmitUdp({.source_port = packet.from.port,
                 .destination_port = packet.to.port,
                 .length = static_cast<uint16_t>(wire::kUdpHeaderSize +
                                                 packet.payload.size())},
                transport);
  transport.insert(transport.end(), packet.payload.begin(),
                   packet.payload.end());
  return Finish(packet.from.address, packet.to.address, wire::kUdp,
                wire::kUdpChecksumOffset, std::move(transport));
}

Bytes Build(const IcmpPacket& packet) {
  Bytes transport(wire::kIcmpHeaderSize);
  transport[0] = packet.type;
  transport[1] = packet.code;
  StoreBe32(&transport[4], packet.word);
  transport.insert(transport.end(), packet.payload.begin(),
                   packet.payload.end());
  return Finish(packet.from, packet.to,
                packet.to.IsIpv4() ? wire::kIcmp : wire::kIcmpv6,
                wire::kIcmpChecksumOffset, std::move(transport));
}

Bytes Build(const IpFragment& fragment) {
  Bytes packet;
  if (fragment.to.IsIpv4()) {
    packet.resize(wire::kIpv4HeaderSize);
    wire::EmitIpv4({.tos = fragment.tos,
                    .total_length = static_cast<uint16_t>(packet.size() +
                                                          fragment.data.size()),
                    .identification = static_cast<uint16_t>(fragment.id),
                    .more_fragments = fragment.more,
                    .fragment_offset = fragment.offset,
                    .protocol = fragment.protocol,
                    .source = fragment.from,
                    .destination = fragment.to,
                    .options = {}},
                   packet);
  } else {
    packet.resize(wire::kIpv6HeaderSize + wire::kIpv6FragmentHeaderSize);
    const MutableByteSpan header(packet);
    wire::EmitIpv6({.traffic_class = fragment.tos,
                    .payload_length = static_cast<uint16_t>(
                        wire::kIpv6FragmentHeaderSize + fragment.data.size()),
                    .next_header = wire::kIpv6FragmentHeader,
                    .source = fragment.from,
                    .destination = fragment.to},
                   header);
    wire::EmitIpv6Fragment(fragment.protocol,
                           {.offset = fragment.offset,
                            .more_fragments = fragment.more,
                            .identification = fragment.id},
                           header.subspan(wire::kIpv6HeaderSize));
  }
  packet.insert(packet.end(), fragment.data.begin(), fragment.data.end());
  return packet;
}

std::vector<Bytes> Cut(ByteSpan packet, size_t data_bytes, uint32_t id) {
  const auto read = Read(packet);
  assert(read && data_bytes % 8 == 0);
  std::vector<Bytes> fragments;
  const ByteSpan data = read->transport;
  for (size_t at = 0; at < data.size(); at += data_bytes) {
    const ByteSpan part =
        data.subspan(at, std::min(data_bytes, data.size() - at));
    fragments.push_back(Build(IpFragment{.from = read->source,
                                         .to = read->destination,
                                         .protocol = read->protocol,
                                         .id = id,
                                         .offset = static_cast<uint16_t>(at),
                                         .more = at + part.size() < data.size(),
                                         .tos = read->tos,
                                         .data = {part.begin(), part.end()}}));
  }
  return fragments;
}

}  // namespace tcpip::sim
