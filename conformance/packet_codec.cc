#include "conformance/packet_codec.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/icmp_names.h"
#include "conformance/icmp_reader.h"
#include "conformance/option_codec.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/udp.h"

namespace conformance {
namespace {

using tcpip::ByteSpan;
using tcpip::IpEndpoint;
using tcpip::IpFamily;
using tcpip::MutableByteSpan;
using tcpip::StoreBe16;
using tcpip::StoreBe32;
using tcpip::wire::TcpFlags;
using Bytes = std::vector<uint8_t>;

// --- To the wire.

uint8_t TrafficClass(const IpSpec& ip) {
  if (ip.tos) return *ip.tos;
  switch (ip.ecn.value_or(IpSpec::Ecn::kNone)) {
    case IpSpec::Ecn::kNone:
      return 0;
    case IpSpec::Ecn::kEct1:
      return 1;
    case IpSpec::Ecn::kEct0:
    case IpSpec::Ecn::kEither:
      return 2;
    case IpSpec::Ecn::kCe:
      return 3;
  }
  return 0;
}

Bytes WithIpHeader(const IpSpec& ip, const IpEndpoint& from,
                   const IpEndpoint& to, uint8_t protocol, ByteSpan transport) {
  Bytes packet;
  if (to.address.IsIpv4()) {
    packet.resize(tcpip::wire::kIpv4HeaderSize);
    tcpip::wire::EmitIpv4({.tos = TrafficClass(ip),
                           .total_length = static_cast<uint16_t>(
                               packet.size() + transport.size()),
                           .dont_fragment = true,
                           .ttl = ip.ttl.value_or(255),
                           .protocol = protocol,
                           .source = from.address,
                           .destination = to.address,
                           .options = {}},
                          packet);
  } else {
    packet.resize(tcpip::wire::kIpv6HeaderSize);
    tcpip::wire::EmitIpv6(
        {.traffic_class = TrafficClass(ip),
         .flow_label = ip.flow_label.value_or(0),
         .payload_length = static_cast<uint16_t>(transport.size()),
         .next_header = protocol,
         .hop_limit = ip.ttl.value_or(255),
         .source = from.address,
         .destination = to.address},
        packet);
  }
  packet.insert(packet.end(), transport.begin(), transport.end());
  return packet;
}

void FillChecksum(const IpEndpoint& from, const IpEndpoint& to,
                  uint8_t protocol, uint32_t offset, Bytes& transport) {
  StoreBe16(&transport[offset],
            tcpip::sim::ComputeChecksum(from.address, to.address, protocol,
                                        transport));
}

// The options with sequence numbers and echoes as the host knows them.
absl::StatusOr<std::vector<OptionSpec>> ToLiveOptions(
    std::vector<OptionSpec> options, bool in_syn, bool has_ack,
    const FlowMap& flow) {
  for (OptionSpec& option : options) {
    if (auto* sack = std::get_if<option::Sack>(&option)) {
      for (auto& [left, right] : sack->blocks) {
        left = flow.local_seq.ToLive(left, in_syn);
        right = flow.local_seq.ToLive(right, in_syn);
      }
    } else if (auto* times = std::get_if<option::Timestamps>(&option)) {
      if (!has_ack) continue;
      const std::optional<uint32_t> live = flow.timestamps.ToLive(times->ecr);
      if (!live) {
        return absl::InvalidArgumentError(
            absl::StrCat("ecr ", times->ecr,
                         " echoes a TS val that was never "
                         "sent"));
      }
      times->ecr = *live;
    }
  }
  return options;
}

absl::StatusOr<Bytes> TcpToWire(const PacketSpec& packet, const TcpSpec& tcp,
                                const FlowMap& flow) {
  const bool syn = tcp.flags.syn();
  auto options = ToLiveOptions(tcp.options.value_or(std::vector<OptionSpec>()),
                               syn, tcp.ack.has_value(), flow);
  if (!options.ok()) return options.status();
  const Bytes option_bytes = EmitOptions(*options);

  const tcpip::wire::TcpHeader header = {
      .source_port = flow.remote.port,
      .destination_port = flow.local.port,
      .seq = flow.remote_seq.ToLive(tcp.start, syn),
      .ack = tcp.ack ? flow.local_seq.ToLive(*tcp.ack, syn) : 0,
      .flags = tcp.flags.With(tcp.ace.value_or(0) % 4 * TcpFlags::kEce),
      .window = tcp.window.value_or(0),
      .urgent_pointer = tcp.urgent.value_or(0),
      .options = option_bytes};
  Bytes transport(header.size() + tcp.length);
  tcpip::wire::EmitTcp(header, transport);
  // Two of AccECN's bits are ECE and CWR, the third is the reserved one next to
  // them. [RFC 9768 3.1]
  if (tcp.ace && (*tcp.ace & 4) != 0) transport[12] |= 1;
  FillChecksum(flow.remote, flow.local, tcpip::wire::kTcp,
               tcpip::wire::kTcpChecksumOffset, transport);
  return WithIpHeader(packet.ip, flow.remote, flow.local, tcpip::wire::kTcp,
                      transport);
}

Bytes UdpToWire(const PacketSpec& packet, const UdpSpec& udp,
                const FlowMap& flow) {
  Bytes transport(tcpip::wire::kUdpHeaderSize + udp.length);
  tcpip::wire::EmitUdp({.source_port = flow.remote.port,
                        .destination_port = flow.local.port,
                        .length = static_cast<uint16_t>(transport.size())},
                       transport);
  FillChecksum(flow.remote, flow.local, tcpip::wire::kUdp,
               tcpip::wire::kUdpChecksumOffset, transport);
  return WithIpHeader(packet.ip, flow.remote, flow.local, tcpip::wire::kUdp,
                      transport);
}

// The packet of the host under test that an error quotes: its headers.
Bytes QuotedPacket(const IcmpSpec& icmp, const FlowMap& flow) {
  if (const auto* tcp = std::get_if<EchoedTcp>(&icmp.echoed)) {
    const tcpip::wire::TcpHeader header = {
        .source_port = flow.local.port,
        .destination_port = flow.remote.port,
        .seq = flow.local_seq.ToLive(tcp->start, false),
        .flags = {},
        .options = {}};
    Bytes transport(header.size());
    tcpip::wire::EmitTcp(header, transport);
    return WithIpHeader({.ttl = 64}, flow.local, flow.remote, tcpip::wire::kTcp,
                        transport);
  }
  Bytes transport(tcpip::wire::kUdpHeaderSize);
  const auto* udp = std::get_if<EchoedUdp>(&icmp.echoed);
  tcpip::wire::EmitUdp(
      {.source_port = flow.local.port,
       .destination_port = flow.remote.port,
       .length = static_cast<uint16_t>(tcpip::wire::kUdpHeaderSize +
                                       (udp ? udp->length : 0))},
      transport);
  return WithIpHeader({.ttl = 64}, flow.local, flow.remote, tcpip::wire::kUdp,
                      transport);
}

absl::StatusOr<Bytes> IcmpToWire(const PacketSpec& packet, const IcmpSpec& icmp,
                                 const FlowMap& flow) {
  const IpFamily family = flow.local.address.family();
  const auto numbers = IcmpNumbers(family, icmp.type, icmp.code);
  if (!numbers) {
    return absl::InvalidArgumentError(
        absl::StrCat("no ICMP message is called ", icmp.type,
                     icmp.code.empty() ? "" : " ", icmp.code));
  }
  Bytes transport(tcpip::wire::kIcmpHeaderSize);
  transport[0] = numbers->type;
  transport[1] = numbers->code;
  // The MTU is the low half of the word in IPv4. [RFC 1191 4]
  if (icmp.mtu) StoreBe32(&transport[4], *icmp.mtu);
  if (icmp.id) StoreBe16(&transport[4], *icmp.id);
  if (const auto* raw = std::get_if<EchoedRaw>(&icmp.echoed)) {
    transport.resize(transport.size() + raw->length);
  } else if (!std::holds_alternative<std::monostate>(icmp.echoed)) {
    const Bytes quoted = QuotedPacket(icmp, flow);
    transport.insert(transport.end(), quoted.begin(), quoted.end());
  }
  const uint8_t protocol =
      family == IpFamily::kIpv4 ? tcpip::wire::kIcmp : tcpip::wire::kIcmpv6;
  FillChecksum(flow.remote, flow.local, protocol,
               tcpip::wire::kIcmpChecksumOffset, transport);
  return WithIpHeader(packet.ip, flow.remote, flow.local, protocol, transport);
}

// --- From the wire.

IpSpec ReadIp(const tcpip::sim::ReadPacket& read, ByteSpan packet) {
  constexpr IpSpec::Ecn kEcn[] = {IpSpec::Ecn::kNone, IpSpec::Ecn::kEct1,
                                  IpSpec::Ecn::kEct0, IpSpec::Ecn::kCe};
  IpSpec ip = {.ecn = kEcn[read.tos & tcpip::wire::kEcnMask],
               .tos = read.tos,
               .ttl = read.ttl,
               .flow_label = std::nullopt};
  if (read.source.IsIpv6()) {
    ip.flow_label = tcpip::LoadBe32(packet.data()) & 0xfffff;
  }
  return ip;
}

std::vector<OptionSpec> ToScriptOptions(std::vector<OptionSpec> options,
                                        bool in_syn, const FlowMap& flow) {
  for (OptionSpec& option : options) {
    if (auto* sack = std::get_if<option::Sack>(&option)) {
      for (auto& [left, right] : sack->blocks) {
        left = flow.remote_seq.ToScript(left, in_syn);
        right = flow.remote_seq.ToScript(right, in_syn);
      }
    } else if (auto* times = std::get_if<option::Timestamps>(&option)) {
      times->val = flow.timestamps.ToScript(times->val);
    }
  }
  return options;
}

bool IsZero(ByteSpan bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](uint8_t b) { return b == 0; });
}

TcpSpec ReadTcp(const tcpip::sim::ReadTcp& tcp, const FlowMap& flow,
                std::vector<std::string>& faults) {
  const tcpip::wire::TcpHeader& header = tcp.header;
  const bool syn = header.flags.syn();
  TcpSpec spec;
  spec.ports = {header.source_port, header.destination_port};
  spec.flags = header.flags;
  spec.start = flow.local_seq.ToScript(header.seq, syn);
  spec.length = static_cast<uint16_t>(tcp.payload.size());
  spec.end = spec.start + spec.length;
  if (header.flags.ack()) {
    spec.ack = flow.remote_seq.ToScript(header.ack, syn);
  } else if (header.ack != 0) {
    faults.push_back("an acknowledgment number without ACK");
  }
  spec.window = header.window;
  if (header.flags.urg()) {
    spec.urgent = header.urgent_pointer;
  } else if (header.urgent_pointer != 0) {
    faults.push_back("an urgent pointer without URG");
  }
  spec.options = ToScriptOptions(ReadOptions(header.options), syn, flow);
  if (!IsZero(tcp.payload)) faults.push_back("payload that is not zeros");
  return spec;
}

}  // namespace

absl::StatusOr<Bytes> ToWire(const PacketSpec& packet, const FlowMap& flow) {
  if (!packet.encapsulation.empty()) {
    return absl::UnimplementedError("packets in tunnels");
  }
  if (const auto* tcp = std::get_if<TcpSpec>(&packet.transport)) {
    return TcpToWire(packet, *tcp, flow);
  }
  if (const auto* udp = std::get_if<UdpSpec>(&packet.transport)) {
    return UdpToWire(packet, *udp, flow);
  }
  return IcmpToWire(packet, std::get<IcmpSpec>(packet.transport), flow);
}

SeenPacket FromWire(ByteSpan packet, const FlowMap& flow) {
  SeenPacket seen;
  seen.packet.direction = Direction::kOutbound;
  const std::optional<tcpip::sim::ReadPacket> read = tcpip::sim::Read(packet);
  if (!read) {
    seen.faults.push_back(
        absl::StrCat("headers that make no sense, or a fragment; ",
                     packet.size(), " bytes"));
    return seen;
  }
  if (!read->checksum_valid) seen.faults.push_back("a wrong checksum");
  seen.packet.ip = ReadIp(*read, packet);
  seen.flow = {{read->source, 0}, {read->destination, 0}};
  if (read->tcp) {
    seen.flow = read->flow();
    // The four reserved bits. [RFC 9293 3.1]
    if ((read->transport[12] & 0x0f) != 0) {
      seen.faults.push_back("reserved bits that are set");
    }
    seen.packet.transport = ReadTcp(*read->tcp, flow, seen.faults);
  } else if (const auto udp =
                 tcpip::wire::ParseUdp(read->transport, read->transport.size());
             read->protocol == tcpip::wire::kUdp && udp) {
    seen.flow.local.port = udp->source_port;
    seen.flow.remote.port = udp->destination_port;
    seen.packet.transport = UdpSpec{
        .ports = PortsSpec{udp->source_port, udp->destination_port},
        .length =
            static_cast<uint16_t>(udp->length - tcpip::wire::kUdpHeaderSize)};
  } else {
    seen.packet.transport =
        ReadIcmp(read->source.family(), read->transport, flow);
  }
  return seen;
}

}  // namespace conformance
