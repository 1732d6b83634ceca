#include "tcpip/stack/stack_fixture.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tcpip/base/checksum.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"
#include "tcpip/wire/udp.h"

namespace tcpip {
namespace {

void Check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "test fixture: %s\n", what);
  std::abort();
}

PartialSum PseudoSum(const IpFields& ip, size_t length) {
  if (ip.protocol == wire::kIcmp) return PartialSum();
  return wire::PseudoHeaderSum(ip.source, ip.destination, ip.protocol,
                               static_cast<uint32_t>(length));
}

// Puts the checksum at `offset` of the transport bytes.
void Seal(const IpFields& ip, size_t offset, Bytes& transport) {
  const uint16_t field = PseudoSum(ip, transport.size())
                             .Combine(SumBytes(transport), 0)
                             .Checksum();
  StoreBe16(&transport[offset], field);
}

}  // namespace

Bytes ToBytes(std::string_view text) { return {text.begin(), text.end()}; }

Bytes Flatten(const ViewChain& chain) {
  Bytes bytes(chain.size());
  chain.CopyTo(bytes);
  return bytes;
}

Bytes Flatten(const Packet& packet) {
  Bytes bytes(packet.head().begin(), packet.head().end());
  const Bytes body = Flatten(packet.body());
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

Bytes MakeIp(const IpFields& ip, const Bytes& transport) {
  Bytes packet;
  if (ip.destination.IsIpv4()) {
    wire::Ipv4Header header = {.tos = ip.tos,
                               .dont_fragment = true,
                               .ttl = ip.ttl,
                               .protocol = ip.protocol,
                               .source = ip.source,
                               .destination = ip.destination,
                               .options = ip.options};
    packet.resize(header.header_size());
    header.total_length =
        static_cast<uint16_t>(packet.size() + transport.size());
    wire::EmitIpv4(header, packet);
  } else {
    packet.resize(wire::kIpv6HeaderSize);
    wire::EmitIpv6({.traffic_class = ip.tos,
                    .payload_length = static_cast<uint16_t>(transport.size()),
                    .next_header = ip.protocol,
                    .hop_limit = ip.ttl,
                    .source = ip.source,
                    .destination = ip.destination},
                   packet);
  }
  packet.insert(packet.end(), transport.begin(), transport.end());
  return packet;
}

Bytes MakeTcp(const FourTuple& from, wire::TcpHeader header,
              const Bytes& payload) {
  header.source_port = from.local.port;
  header.destination_port = from.remote.port;
  Bytes transport(header.size());
  wire::EmitTcp(header, transport);
  transport.insert(transport.end(), payload.begin(), payload.end());
  const IpFields ip = {from.local.address, from.remote.address, wire::kTcp};
  Seal(ip, wire::kTcpChecksumOffset, transport);
  return MakeIp(ip, transport);
}

Bytes MakeUdp(const FourTuple& from, const Bytes& payload) {
  Bytes transport(wire::kUdpHeaderSize);
  wire::EmitUdp({from.local.port, from.remote.port,
                 static_cast<uint16_t>(transport.size() + payload.size()), 0},
                transport);
  transport.insert(transport.end(), payload.begin(), payload.end());
  const IpFields ip = {from.local.address, from.remote.address, wire::kUdp};
  Seal(ip, wire::kUdpChecksumOffset, transport);
  return MakeIp(ip, transport);
}

Bytes MakeIcmp(const IpFields& ip, uint8_t type, uint32_t word,
               const Bytes& payload) {
  Bytes transport(wire::kIcmpHeaderSize);
  transport[0] = type;
  StoreBe32(&transport[4], word);
  transport.insert(transport.end(), payload.begin(), payload.end());
  Seal(ip, wire::kIcmpChecksumOffset, transport);
  return MakeIp(ip, transport);
}

wire::TcpHeader Opened::Tcp() const {
  Check(ip.protocol == wire::kTcp, "not a TCP packet");
  const auto header = wire::ParseTcp(transport);
  Check(header.has_value(), "bad TCP header");
  return *header;
}

Bytes Opened::TcpPayload() const {
  return {transport.begin() + Tcp().size(), transport.end()};
}

Opened Open(const Bytes& packet) {
  Opened opened;
  size_t offset = 0;
  if (packet[0] >> 4 == 4) {
    const auto parsed = wire::ParseIpv4(packet, packet.size());
    Check(parsed.error == wire::IpParseError::kNone, "bad IPv4 header");
    Check(parsed.header.total_length == packet.size(), "bad total length");
    const wire::Ipv4Header& h = parsed.header;
    opened.ip = {h.source,   h.destination,
                 h.protocol, h.tos,
                 h.ttl,      Bytes(h.options.begin(), h.options.end())};
    offset = h.header_size();
  } else {
    const auto parsed = wire::ParseIpv6(packet, packet.size());
    Check(parsed.error == wire::IpParseError::kNone, "bad IPv6 header");
    const wire::Ipv6Header& h = parsed.header;
    Check(wire::kIpv6HeaderSize + h.payload_length == packet.size(),
          "bad payload length");
    opened.ip = {h.source,        h.destination, parsed.transport_protocol,
                 h.traffic_class, h.hop_limit,   {}};
    offset = parsed.transport_offset;
  }
  opened.transport.assign(packet.begin() + static_cast<std::ptrdiff_t>(offset),
                          packet.end());
  opened.transport_checksum_good = PseudoSum(opened.ip, opened.transport.size())
                                       .Combine(SumBytes(opened.transport), 0)
                                       .IsValid();
  return opened;
}

Host::Host(uint64_t seed, const InterfaceConfig& interface,
           const std::vector<std::string_view>& addresses,
           const StackConfig& config)
    : rng_(seed), stack_(config, pool_, rng_, kTestStart) {
  link_ = stack_.AddInterface(interface);
  for (const std::string_view address : addresses) {
    Check(stack_.AddAddress(link_, Net(address)).ok(), "bad address");
  }
}

void Host::Receive(const Bytes& packet, Instant now) {
  Packet in = Packet::Copy(pool_, packet);
  in.set_ingress(now);
  stack_.OnPackets(link_, {&in, 1}, now);
}

std::vector<Bytes> Host::Drain(Instant now) {
  PacketBatch batch;
  stack_.DrainOutput(link_, batch, 1000, now);
  std::vector<Bytes> packets;
  for (const Packet& packet : batch) packets.push_back(Flatten(packet));
  return packets;
}

StackPair::StackPair(const InterfaceConfig& interface,
                     const StackConfig& config)
    : a_(1, interface, {"10.0.0.1/24", "2001:db8::1/64"}, config),
      b_(2, interface, {"10.0.0.2/24", "2001:db8::2/64"}, config) {}

void StackPair::Collect(Host& from, Host& to) {
  batch_.clear();
  from.stack().DrainOutput(from.link(), batch_, 1000, now_);
  for (const Packet& packet : batch_) {
    if (filter_ && !filter_(packet)) continue;
    Packet copy = Packet::Copy(to.pool(), Flatten(packet));
    copy.offload() = packet.offload();
    in_flight_.push_back({now_ + delay_, &to, std::move(copy)});
  }
  batch_.clear();
}

bool StackPair::Step(Instant limit) {
  Collect(a_, b_);
  Collect(b_, a_);
  Instant next = std::min(a_.stack().NextDeadline(), b_.stack().NextDeadline());
  if (!in_flight_.empty()) next = std::min(next, in_flight_.front().due);
  if (next > limit) return false;
  now_ = std::max(now_, next);
  while (!in_flight_.empty() && in_flight_.front().due <= now_) {
    InFlight arrived = std::move(in_flight_.front());
    in_flight_.pop_front();
    arrived.packet.set_ingress(now_);
    arrived.to->stack().OnPackets(arrived.to->link(), {&arrived.packet, 1},
                                  now_);
  }
  for (Host* host : {&a_, &b_}) {
    host->stack().OnTimers(now_);
    host->stack().CheckInvariants();
  }
  return true;
}

void StackPair::RunFor(Duration duration) {
  const Instant end = now_ + duration;
  while (Step(end)) {
  }
  now_ = end;
}

bool StackPair::RunUntil(const std::function<bool()>& done) {
  const Instant limit = now_ + Duration::Seconds(600);
  while (!done()) {
    if (!Step(limit)) return done();
  }
  return true;
}

StackPair::Ends StackPair::Connect(SocketId listener,
                                   const IpEndpoint& remote) {
  Ends ends;
  const auto client = a_.stack().TcpConnect({.remote = remote}, now_);
  Check(client.ok(), client.status().ToString().c_str());
  ends.client = *client;
  const bool accepted = RunUntil([this, listener, &ends] {
    const auto server = b_.stack().TcpAccept(listener);
    if (server.ok()) ends.server = *server;
    return server.ok();
  });
  Check(accepted, "no connection to accept");
  return ends;
}

}  // namespace tcpip
