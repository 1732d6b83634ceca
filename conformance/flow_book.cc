#include "conformance/flow_book.h"

#include <optional>
#include <variant>

#include "conformance/option_codec.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/ipv4.h"
#include "tcpip/wire/udp.h"

namespace conformance {
namespace {

// The ports a script gives, if any.
std::optional<PortsSpec> PortsOf(const PacketSpec& packet) {
  if (const auto* tcp = std::get_if<TcpSpec>(&packet.transport)) {
    return tcp->ports;
  }
  const auto* udp = std::get_if<UdpSpec>(&packet.transport);
  return udp != nullptr ? udp->ports : std::nullopt;
}

// The ports a packet has, if any.
std::optional<PortsSpec> PortsOf(const tcpip::sim::ReadPacket& read) {
  if (read.tcp) {
    return PortsSpec{read.tcp->header.source_port,
                     read.tcp->header.destination_port};
  }
  const auto udp = tcpip::wire::ParseUdp(read.transport, read.transport.size());
  if (read.protocol != tcpip::wire::kUdp || !udp) return std::nullopt;
  return PortsSpec{udp->source_port, udp->destination_port};
}

}  // namespace

FlowBook::FlowBook(const FlowBookOptions& options) : options_(options) {
  listen_port_ = options_.bind_port;
  OnSocket(false);
}

void FlowBook::Begin(const tcpip::IpEndpoint& local, uint16_t remote_port) {
  FlowMap flow(options_.ticking_timestamps);
  flow.local = local;
  flow.remote = {options_.remote, remote_port};
  flows_.push_back(flow);
  current_ = flows_.size() - 1;
}

bool FlowBook::Select(uint16_t local_port, uint16_t remote_port) {
  // Of several over time, the latest.
  for (size_t i = flows_.size(); i > 0; --i) {
    const FlowMap& flow = flows_[i - 1];
    if (flow.local.port != local_port || flow.remote.port != remote_port) {
      continue;
    }
    current_ = i - 1;
    return true;
  }
  return false;
}

void FlowBook::OnSocket(bool datagrams) {
  Begin({options_.local, options_.bind_port}, next_remote_port_++);
  datagrams_ = datagrams;
  listening_ = bound_ = connecting_ = false;
}

void FlowBook::OnBind(const tcpip::IpEndpoint& local) {
  flow().local.port = local.port;
  bound_ = local.port != 0;
}

void FlowBook::OnListen() {
  listening_ = true;
  listen_port_ = flow().local.port;
}

void FlowBook::OnConnect(const tcpip::IpEndpoint& remote) {
  flow().remote.port = remote.port;
  // A mapped address is not what its packets have.
  if (remote.address.family() == options_.remote.family()) {
    flow().remote.address = remote.address;
  }
  connecting_ = !bound_;
}

void FlowBook::OnSendTo(const tcpip::IpEndpoint& remote) {
  if (datagrams_) OnConnect(remote);
}

void FlowBook::OnAccept(const tcpip::IpEndpoint& peer) {
  Select(listen_port_, peer.port);
  datagrams_ = listening_ = false;
}

const FlowMap& FlowBook::OnInbound(const PacketSpec& packet) {
  const auto* tcp = std::get_if<TcpSpec>(&packet.transport);
  const bool syn = tcp != nullptr && tcp->flags.syn();
  const bool first = syn && !tcp->flags.ack();
  if (const std::optional<PortsSpec> ports = PortsOf(packet)) {
    const auto [remote_port, local_port] = *ports;
    const bool same =
        remote_port == flow().remote.port && local_port == flow().local.port;
    // The SYN may be of a connection that has the ports of an older one.
    if (!same && (first || !Select(local_port, remote_port))) {
      Begin({options_.local, local_port}, remote_port);
    }
  } else if (listening_ && first) {
    Begin({options_.local, listen_port_}, next_remote_port_++);
    listening_ = false;
  }
  if (syn && !flow().remote_seq.known()) {
    flow().remote_seq.Learn(tcp->start, tcp->start + options_.remote_isn_shift);
  }
  return flow();
}

void FlowBook::LearnSequence(const PacketSpec& expected, bool syn,
                             uint32_t live) {
  if (!syn || flow().local_seq.known()) return;
  const auto* tcp = std::get_if<TcpSpec>(&expected.transport);
  flow().local_seq.Learn(tcp != nullptr ? tcp->start : 0, live);
}

const FlowMap& FlowBook::OnOutbound(const PacketSpec& expected,
                                    tcpip::ByteSpan packet) {
  const auto read = tcpip::sim::Read(packet);
  if (!read) return flow();
  const std::optional<PortsSpec> live = PortsOf(*read);
  const bool first = !read->tcp || read->tcp->header.flags.syn();
  if (connecting_ && first && live && live->destination == flow().remote.port) {
    flow().local.port = live->source;
    connecting_ = false;
  }
  if (const std::optional<PortsSpec> named = PortsOf(expected)) {
    Select(named->source, named->destination);
  }
  if (!read->tcp) return flow();
  const tcpip::wire::TcpHeader& header = read->tcp->header;
  LearnSequence(expected, header.flags.syn(), header.seq);

  const auto* tcp = std::get_if<TcpSpec>(&expected.transport);
  if (tcp == nullptr || !tcp->options || !read->tcp->options.timestamps) {
    return flow();
  }
  for (const OptionSpec& option : *tcp->options) {
    if (const auto* times = std::get_if<option::Timestamps>(&option)) {
      flow().timestamps.Learn(times->val, read->tcp->options.timestamps->tsval);
    }
  }
  return flow();
}

bool FlowBook::IsCurrent(const tcpip::FourTuple& flow) const {
  const tcpip::FourTuple under_test = {current().local, current().remote};
  const bool has_ports = flow.local.port != 0 || flow.remote.port != 0;
  return has_ports ? flow == under_test
                   : flow.local.address == under_test.local.address &&
                         flow.remote.address == under_test.remote.address;
}

}  // namespace conformance
