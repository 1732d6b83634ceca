#include "bench/idle_stack.h"

#include <array>

#include "tcpip/base/bytes.h"
#include "tcpip/base/require.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/tcp.h"
#include "tcpip/wire/tcp_options.h"

namespace bench {
namespace {

using tcpip::ByteSpan;
using tcpip::IpAddress;
using tcpip::IpEndpoint;
namespace wire = tcpip::wire;

const IpEndpoint kServer = {IpAddress::Ipv4(10, 0, 0, 2), 7};
constexpr uint32_t kPeerSeq = 1000;
constexpr uint32_t kPortsPerPeer = 1u << 14;

void Check(bool holds, const char* rule) {
  tcpip::Require(holds, "IdleStack", rule);
}

}  // namespace

IdleStack::IdleStack() : stack_({}, pool_, rng_, now_) {
  link_ = stack_.AddInterface(
      {.name = "canned", .link = {.tx = {.checksum = true}}});
  Check(stack_.AddAddress(link_, {kServer.address, 8}).ok(), "has an address");
  tcpip::TcpListenOptions options = {.local = kServer};
  options.settings.keepalive = true;
  listener_ = *stack_.TcpListen(options);
}

tcpip::FourTuple IdleStack::FlowOf(uint32_t i) {
  const uint32_t peer = i / kPortsPerPeer;
  const auto port = static_cast<uint16_t>(1024 + i % kPortsPerPeer);
  return {kServer,
          {IpAddress::Ipv4(10, 1, static_cast<uint8_t>(peer >> 8),
                           static_cast<uint8_t>(peer)),
           port}};
}

void IdleStack::Open() {
  const uint32_t i = connections();
  now_ += tcpip::Duration::Microseconds(1);
  Deliver(i, kPeerSeq, 0, true);
  stack_.DrainOutput(link_, out_, 1, now_);
  Check(out_.size() == 1, "a SYN is answered");
  const auto syn_ack =
      wire::ParseTcp(out_[0].head().subspan(wire::kIpv4HeaderSize));
  next_seqs_.push_back(syn_ack->seq + 1);
  out_.clear();
  Touch(i);
  Check(stack_.TcpAccept(listener_).ok(), "a handshake is accepted");
  while (stack_.NextReady()) {
  }
}

void IdleStack::Touch(uint32_t i) {
  Deliver(i, kPeerSeq + 1, next_seqs_[i], false);
}

tcpip::Instant IdleStack::StepTimers() {
  now_ += tcpip::Duration::Microseconds(1);
  stack_.OnTimers(now_);
  return stack_.NextDeadline();
}

void IdleStack::Deliver(uint32_t i, uint32_t seq, uint32_t ack, bool syn) {
  const tcpip::FourTuple flow = FlowOf(i);
  wire::TcpOptions options;
  if (syn) {
    options.mss = 1460;
    options.window_scale = 7;
    options.sack_permitted = true;
  }
  options.timestamps = wire::TcpTimestamps{.tsval = 1, .tsecr = 0};
  std::array<uint8_t, 40> option_bytes;
  const uint32_t options_size = wire::EmitTcpOptions(options, option_bytes);
  const wire::TcpHeader tcp = {
      .source_port = flow.remote.port,
      .destination_port = flow.local.port,
      .seq = seq,
      .ack = ack,
      .flags =
          wire::TcpFlags(syn ? wire::TcpFlags::kSyn : wire::TcpFlags::kAck),
      .window = 65535,
      .options = ByteSpan(option_bytes).first(options_size)};
  std::array<uint8_t, wire::kIpv4HeaderSize + wire::kTcpMaxHeaderSize> bytes;
  const size_t size = wire::kIpv4HeaderSize + tcp.size();
  wire::EmitIpv4({.total_length = static_cast<uint16_t>(size),
                  .dont_fragment = true,
                  .ttl = 64,
                  .protocol = wire::kTcp,
                  .source = flow.remote.address,
                  .destination = flow.local.address,
                  .options = {}},
                 bytes);
  wire::EmitTcp(tcp,
                tcpip::MutableByteSpan(bytes).subspan(wire::kIpv4HeaderSize));
  tcpip::Packet packet =
      tcpip::Packet::Copy(pool_, ByteSpan(bytes).first(size));
  packet.offload().checksum = tcpip::ChecksumState::kVerified;
  packet.set_ingress(now_);
  stack_.OnPackets(link_, {&packet, 1}, now_);
}

}  // namespace bench
