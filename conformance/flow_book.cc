#include "conformance/flow_book.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "conformance/option_codec.h"
#include "tcpip/testing/packet_reader.h"

namespace conformance {

FlowBook::FlowBook(const FlowBookOptions& options) : options_(options) {
  listen_port_ = options_.bind_port;
  OnSocket();
}

void FlowBook::Begin(const tcpip::IpEndpoint& local, uint16_t remote_port) {
  FlowMap flow(options_.ticking_timestamps);
  flow.local = local;
  flow.remote = {options_.remote, remote_port};
  flows_.push_back(flow);
  current_ = flows_.size() - 1;
}

void FlowBook::OnSocket() {
  Begin({options_.local, options_.bind_port}, next_remote_port_++);
  listening_ = connecting_ = false;
}

void FlowBook::OnBind(const tcpip::IpEndpoint& local) {
  flow().local.port = local.port;
}

void FlowBook::OnListen() {
  listening_ = true;
  listen_port_ = flow().local.port;
}

void FlowBook::OnConnect(const tcpip::IpEndpoint& remote) {
  flow().remote.port = remote.port;
  connecting_ = true;
}

void FlowBook::OnAccept(const tcpip::IpEndpoint& peer) {
  for (size_t i = 0; i < flows_.size(); ++i) {
    if (flows_[i].remote.port == peer.port &&
        flows_[i].local.port == listen_port_) {
      current_ = i;
    }
  }
  listening_ = false;
}

const FlowMap& FlowBook::OnInbound(const PacketSpec& packet) {
  const auto* tcp = std::get_if<TcpSpec>(&packet.transport);
  if (tcp == nullptr) return flow();
  const bool syn = tcp->flags.syn();
  if (tcp->ports && (tcp->ports->source != flow().remote.port ||
                     tcp->ports->destination != flow().local.port)) {
    Begin({options_.local, tcp->ports->destination}, tcp->ports->source);
  } else if (listening_ && syn && !tcp->flags.ack() && !tcp->ports) {
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
  if (!read || !read->tcp) return flow();
  const tcpip::wire::TcpHeader& header = read->tcp->header;
  if (connecting_ && header.flags.syn() &&
      header.destination_port == flow().remote.port) {
    flow().local.port = header.source_port;
    connecting_ = false;
  }
  const auto same = std::find_if(
      flows_.begin(), flows_.end(), [&header](const FlowMap& flow) {
        return flow.local.port == header.source_port &&
               flow.remote.port == header.destination_port;
      });
  if (same != flows_.end() && !IsCurrent(read->flow())) {
    current_ = static_cast<size_t>(same - flows_.begin());
  }
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
  return flow == tcpip::FourTuple{current().local, current().remote};
}

}  // namespace conformance
