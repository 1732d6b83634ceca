// The parts of one stack, made in the order in which they need each other, and
// the steps that go through several of them. Stack is the door in front of it;
// nobody else uses it.
#ifndef TCPIP_STACK_STACK_PARTS_H_
#define TCPIP_STACK_STACK_PARTS_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/context.h"
#include "tcpip/stack/datagrams.h"
#include "tcpip/stack/interface.h"
#include "tcpip/stack/output_queue.h"
#include "tcpip/stack/packet_input.h"
#include "tcpip/stack/socket.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/stats.h"
#include "tcpip/stack/tcp_calls.h"
#include "tcpip/stack/tcp_flows.h"

namespace tcpip {

struct StackParts {
  StackParts(const StackConfig& config, SlabPool& pool, Rng& rng, Instant now)
      : context(config, pool, rng, now),
        flows(context, rng),
        calls(flows),
        datagrams(context, rng),
        input(context, flows, datagrams, rng) {
    if (config.memory_budget) pool.SetBudget(*config.memory_budget);
  }

  // The socket of an id. NOT_FOUND when the id is stale, FAILED_PRECONDITION
  // when it is of another kind.
  absl::StatusOr<Socket*> FindAny(SocketId id);
  template <typename Kind>
  absl::StatusOr<Socket*> Find(SocketId id) {
    absl::StatusOr<Socket*> socket = FindAny(id);
    if (socket.ok() && (*socket)->As<Kind>() == nullptr) {
      return absl::FailedPreconditionError("wrong kind of socket");
    }
    return socket;
  }

  // Steps what is due, each timer that is armed now at most once.
  void OnTimers(Instant now);

  // The next packet that should leave by `egress`, counted, or nullopt.
  std::optional<Packet> NextOutput(Interface& egress, Instant now);

  // The counters of all parts.
  StackStats Stats() const;

  StackContext context;
  TcpFlows flows;
  TcpCalls calls;
  Datagrams datagrams;
  PacketInput input;

 private:
  std::optional<Packet> NextPacket(OutputQueue& output, Instant now);
};

}  // namespace tcpip

#endif  // TCPIP_STACK_STACK_PARTS_H_
