#include "tcpip/stack/summary.h"

#include "tcpip/network/icmp.h"
#include "tcpip/transport/tcp/observe.h"

namespace tcpip {
namespace {

IpEndpoint AnyOf(const IpEndpoint& local) {
  return {IpAddress::Any(local.address.family()), 0};
}

void Describe(const TcpSocket& flow, SocketSummary& summary) {
  const tcp::TcpInfo info = flow.connection->Info();
  summary.state = info.state;
  summary.send_queue = info.unsent_bytes + info.unacked_bytes;
  summary.receive_queue = info.readable_bytes;
}

void Describe(const ListenSocket& listen, SocketSummary& summary) {
  summary.is_listener = true;
  summary.state = tcp::TcpState::kListen;
  summary.send_queue = listen.listener->backlog();
  summary.receive_queue = listen.listener->accept_queue_length();
}

}  // namespace

FourTuple TupleOf(const Socket& socket) {
  if (const auto* flow = socket.As<TcpSocket>()) return flow->tuple;
  if (const auto* listen = socket.As<ListenSocket>()) {
    return {listen->local, AnyOf(listen->local)};
  }
  if (const auto* udp = socket.As<UdpSocket>()) {
    const IpEndpoint& local = udp->endpoint->local();
    return {local, udp->endpoint->remote().value_or(AnyOf(local))};
  }
  if (const auto* echo = socket.As<EchoSocket>()) {
    return {{echo->endpoint->local(), echo->endpoint->id()},
            {echo->endpoint->remote(), 0}};
  }
  return {};
}

SocketSummary Summarize(const Socket& socket) {
  SocketSummary summary;
  if (socket.owner != SocketOwner::kNobody) summary.socket = socket.id();
  summary.tuple = TupleOf(socket);
  if (const auto* flow = socket.As<TcpSocket>()) {
    Describe(*flow, summary);
  } else if (const auto* listen = socket.As<ListenSocket>()) {
    Describe(*listen, summary);
  } else if (const auto* udp = socket.As<UdpSocket>()) {
    summary.protocol = wire::kUdp;
    summary.receive_queue = udp->endpoint->charged_bytes();
  } else {
    summary.protocol = ip::IcmpProtocol(summary.tuple.remote.address.family());
  }
  return summary;
}

std::vector<SocketSummary> ListSummaries(const SocketTable& table,
                                         uint32_t& cursor, size_t max) {
  std::vector<SocketSummary> page;
  for (uint32_t index = SocketId::IndexOf(cursor); index < table.index_count();
       ++index) {
    if (table.at(index).IsFree()) continue;
    if (page.size() == max) {
      cursor = table.at(index).id().slot;
      return page;
    }
    page.push_back(Summarize(table.at(index)));
  }
  cursor = 0;
  return page;
}

}  // namespace tcpip
