#include "tcpip/testing/packet_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"

namespace tcpip::sim {
namespace {

uint32_t AddWords(uint32_t sum, ByteSpan bytes) {
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    sum += static_cast<uint32_t>(bytes[i] << 8 | bytes[i + 1]);
    if (sum > 0xffff) sum -= 0xffff;
  }
  if (bytes.size() % 2 == 1) sum += static_cast<uint32_t>(bytes.back() << 8);
  return sum > 0xffff ? sum - 0xffff : sum;
}

uint32_t SumWithPseudoHeader(const IpAddress& source,
                             const IpAddress& destination, uint8_t protocol,
                             ByteSpan bytes) {
  uint32_t sum = 0;
  if (protocol != wire::kIcmp) {
    const auto length = static_cast<uint32_t>(bytes.size());
    const uint8_t tail[] = {static_cast<uint8_t>(length >> 24),
                            static_cast<uint8_t>(length >> 16),
                            static_cast<uint8_t>(length >> 8),
                            static_cast<uint8_t>(length),
                            0,
                            protocol};
    sum = AddWords(sum, source.bytes());
    sum = AddWords(sum, destination.bytes());
    sum = AddWords(sum, tail);
  }
  return AddWords(sum, bytes);
}

// Fills all but what concerns the transport.
bool ReadIpv4(ByteSpan packet, ReadPacket& to) {
  const wire::ParsedIpv4 parsed = wire::ParseIpv4(packet, packet.size());
  if (parsed.error != wire::IpParseError::kNone ||
      parsed.header.total_length != packet.size() ||
      parsed.header.IsFragment()) {
    return false;
  }
  to.source = parsed.header.source;
  to.destination = parsed.header.destination;
  to.tos = parsed.header.tos;
  to.ttl = parsed.header.ttl;
  to.protocol = parsed.header.protocol;
  to.ip_header_size = parsed.header.header_size();
  to.checksum_valid = AddWords(0, packet.first(to.ip_header_size)) == 0xffff;
  return true;
}

bool ReadIpv6(ByteSpan packet, ReadPacket& to) {
  const wire::ParsedIpv6 parsed = wire::ParseIpv6(packet, packet.size());
  if (parsed.error != wire::IpParseError::kNone ||
      parsed.walk != wire::Ipv6WalkResult::kTransport || parsed.fragment ||
      wire::kIpv6HeaderSize + parsed.header.payload_length != packet.size()) {
    return false;
  }
  to.source = parsed.header.source;
  to.destination = parsed.header.destination;
  to.tos = parsed.header.traffic_class;
  to.ttl = parsed.header.hop_limit;
  to.protocol = parsed.transport_protocol;
  to.ip_header_size = parsed.transport_offset;
  to.checksum_valid = true;
  return true;
}

}  // namespace

std::optional<ReadPacket> Read(ByteSpan packet) {
  if (packet.empty()) return std::nullopt;
  ReadPacket read;
  const bool v4 = packet[0] >> 4 == 4;
  if (!(v4 ? ReadIpv4(packet, read) : ReadIpv6(packet, read))) {
    return std::nullopt;
  }
  read.transport = packet.subspan(read.ip_header_size);
  const bool udp_without_checksum = v4 && read.protocol == wire::kUdp &&
                                    read.transport.size() >= 8 &&
                                    LoadBe16(&read.transport[6]) == 0;
  read.checksum_valid =
      read.checksum_valid &&
      (udp_without_checksum ||
       SumWithPseudoHeader(read.source, read.destination, read.protocol,
                           read.transport) == 0xffff);
  if (read.protocol == wire::kTcp) {
    const auto header = wire::ParseTcp(read.transport);
    if (!header) return std::nullopt;
    read.tcp = {*header, wire::ParseTcpOptions(header->options),
                read.transport.subspan(header->size())};
  }
  return read;
}

std::optional<FragmentRead> ReadFragment(ByteSpan packet) {
  if (packet.empty()) return std::nullopt;
  if (packet[0] >> 4 == 4) {
    const wire::ParsedIpv4 parsed = wire::ParseIpv4(packet, packet.size());
    const wire::Ipv4Header& header = parsed.header;
    if (parsed.error != wire::IpParseError::kNone || !header.IsFragment()) {
      return std::nullopt;
    }
    return FragmentRead{.source = header.source,
                        .destination = header.destination,
                        .protocol = header.protocol,
                        .id = header.identification,
                        .offset = header.fragment_offset,
                        .more = header.more_fragments,
                        .data = packet.subspan(header.header_size())};
  }
  const wire::ParsedIpv6 parsed = wire::ParseIpv6(packet, packet.size());
  if (parsed.error != wire::IpParseError::kNone || !parsed.fragment) {
    return std::nullopt;
  }
  const wire::Ipv6Fragment& header = parsed.fragment->header;
  return FragmentRead{.source = parsed.header.source,
                      .destination = parsed.header.destination,
                      .protocol = parsed.fragment->next_header,
                      .id = header.identification,
                      .offset = header.offset,
                      .more = header.more_fragments,
                      .data = packet.subspan(parsed.fragment->offset +
                                             wire::kIpv6FragmentHeaderSize)};
}

uint16_t ComputeChecksum(const IpAddress& source, const IpAddress& destination,
                         uint8_t protocol, ByteSpan bytes) {
  return static_cast<uint16_t>(
      ~SumWithPseudoHeader(source, destination, protocol, bytes));
}

FourTuple ReadPacket::flow() const {
  return {{source, tcp ? tcp->header.source_port : uint16_t{0}},
          {destination, tcp ? tcp->header.destination_port : uint16_t{0}}};
}

std::string ReadPacket::ToString() const {
  if (!tcp) {
    return absl::StrCat(source.ToString(), " > ", destination.ToString(),
                        ": protocol ", protocol, " len ", transport.size());
  }
  const wire::TcpHeader& h = tcp->header;
  return absl::StrCat(flow().local.ToString(), " > ", flow().remote.ToString(),
                      ": ", h.flags.ToString(), " seq ", h.seq, " ack ", h.ack,
                      " win ", h.window, " len ", tcp->payload.size());
}

Bytes Flatten(const Packet& packet) {
  Bytes bytes(packet.size());
  std::copy(packet.head().begin(), packet.head().end(), bytes.begin());
  packet.body().CopyTo(MutableByteSpan(bytes).subspan(packet.head().size()));
  return bytes;
}

Bytes Flatten(const ViewChain& chain) {
  Bytes bytes(chain.size());
  chain.CopyTo(bytes);
  return bytes;
}

}  // namespace tcpip::sim
