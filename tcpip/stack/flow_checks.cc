#include "tcpip/stack/flow_checks.h"

#include <cstddef>
#include <cstdint>

#include "tcpip/base/require.h"
#include "tcpip/stack/socket.h"
#include "tcpip/transport/tcp/state.h"
#include "tcpip/wire/address.h"

namespace tcpip {
namespace {

void Require(bool holds, const char* rule, const FourTuple& tuple) {
  if (!holds) tcpip::Require(false, tuple.ToString().c_str(), rule);
}

void CheckFlow(const StackContext& context, const TcpFlows& flows,
               const Socket& socket, const TcpSocket& flow) {
  flow.connection->CheckInvariants();
  Require(flow.connection->state() == flow.state, "state is counted",
          flow.tuple);
  if (flow.reachable) {
    Require(context.group.steering().OwnsTcp(flow.tuple),
            "the flow is this shard's", flow.tuple);
    Require(flows.FindFlow(flow.tuple) == &socket,
            "the tuple leads to its slot", flow.tuple);
    Require(socket.deadline() == flow.connection->NextDeadline(),
            "the timer is armed", flow.tuple);
  } else {
    Require(!socket.armed(), "no timer after the end", flow.tuple);
    Require(socket.owner != SocketOwner::kListener,
            "the dead leave the accept queue", flow.tuple);
  }
}

}  // namespace

void CheckFlows(const StackContext& context, const TcpFlows& flows) {
  uint64_t established = 0;
  uint64_t half_open = 0;
  size_t reachable = 0;
  for (uint32_t index = 0; index < context.sockets.index_count(); ++index) {
    const Socket& socket = context.sockets.at(index);
    if (const auto* listen = socket.As<ListenSocket>()) {
      half_open += listen->listener->half_open();
      Require(socket.deadline() == listen->listener->NextDeadline(),
              "the listener's timer is armed", {listen->local, {}});
    } else if (const auto* flow = socket.As<TcpSocket>()) {
      CheckFlow(context, flows, socket, *flow);
      established += tcp::CountsAsEstablished(flow->state);
      reachable += flow->reachable;
    }
  }
  Require(reachable == flows.flow_count(), "no stale tuples", {});
  Require(established == context.stats.tcp_curr_estab, "CurrEstab is exact",
          {});
  Require(half_open == context.stats.tcp_half_open, "half-open is exact", {});
}

}  // namespace tcpip
