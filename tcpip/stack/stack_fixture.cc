#include "tcpip/stack/stack_fixture.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/base/require.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/wire/icmp.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/ipv6.h"

namespace tcpip {
namespace {

void Check(bool condition, const char* what) {
  Require(condition, "test fixture", what);
}

// Puts the checksum at `offset` of the transport bytes.
void Seal(const IpFields& ip, size_t offset, Bytes& transport) {
  StoreBe16(&transport[offset], sim::ComputeChecksum(ip.source, ip.destination,
                                                     ip.protocol, transport));
}

}  // namespace

Bytes ToBytes(std::string_view text) { return {text.begin(), text.end()}; }

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
  return sim::Build(sim::UdpPacket{
      .from = from.local, .to = from.remote, .payload = payload});
}

Bytes MakeIcmp(const IpFields& ip, uint8_t type, uint32_t word,
               const Bytes& payload, uint8_t code) {
  Bytes transport(wire::kIcmpHeaderSize);
  transport[0] = type;
  transport[1] = code;
  StoreBe32(&transport[4], word);
  transport.insert(transport.end(), payload.begin(), payload.end());
  Seal(ip, wire::kIcmpChecksumOffset, transport);
  return MakeIp(ip, transport);
}

Bytes MakeTooBig(const Bytes& packet, uint32_t mtu) {
  const bool v4 = packet[0] >> 4 == 4;
  const IpAddress sender = v4 ? IpAddress::FromIpv4Bytes(&packet[12])
                              : IpAddress::FromIpv6Bytes(&packet[8]);
  const IpFields ip = {Ip(v4 ? "10.0.0.254" : "2001:db8::fe"), sender,
                       v4 ? wire::kIcmp : wire::kIcmpv6};
  const Bytes quote(packet.begin(),
                    packet.begin() + std::min<size_t>(packet.size(), 500));
  return v4 ? MakeIcmp(ip, 3, mtu, quote, 4) : MakeIcmp(ip, 2, mtu, quote);
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
  const auto read = sim::Read(packet);
  Check(read.has_value(), "headers do not parse");
  return {.ip = {.source = read->source,
                 .destination = read->destination,
                 .protocol = read->protocol,
                 .tos = read->tos,
                 .ttl = read->ttl},
          .transport = {read->transport.begin(), read->transport.end()},
          .transport_checksum_good = read->checksum_valid};
}

Bytes Reassemble(const std::vector<Bytes>& fragments) {
  Bytes whole;
  std::optional<uint32_t> id;
  for (const Bytes& bytes : fragments) {
    const auto fragment = sim::ReadFragment(bytes);
    Check(fragment.has_value(), "not a fragment");
    Check(!id || *id == fragment->id, "fragments of two packets");
    Check(fragment->offset == whole.size(), "fragments that do not join");
    const bool last = &bytes == &fragments.back();
    Check(fragment->more != last, "the last fragment is not the last");
    id = fragment->id;
    whole.insert(whole.end(), fragment->data.begin(), fragment->data.end());
  }
  return whole;
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
