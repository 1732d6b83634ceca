#include "tcpip/stack/stack_parts.h"

#include <cstddef>
#include <utility>

#include "tcpip/network/drop_reason.h"
#include "tcpip/network/ip.h"
#include "tcpip/stack/stack_timer.h"
#include "tcpip/timer/timer_heap.h"

namespace tcpip {

absl::StatusOr<Socket*> StackParts::FindAny(SocketId id) {
  Socket* const socket = context.sockets.Find(id);
  if (socket != nullptr) return socket;
  return absl::NotFoundError("no such socket; it may have been closed");
}

void StackParts::OnTimers(Instant now) {
  // So that one that keeps expiring cannot hold us here.
  for (size_t left = context.timers.armed(); left > 0; --left) {
    TimerNode* const expired = context.timers.PopExpired(now);
    if (expired == nullptr) return;
    StackTimer& timer = static_cast<StackTimer&>(*expired);
    switch (timer.use) {
      case TimerUse::kSocket:
        flows.OnTimer(static_cast<Socket&>(timer), now);
        break;
      case TimerUse::kTimeWait:
        flows.OnTimeWaitTimer(now);
        break;
      case TimerUse::kReassembly:
        input.OnReassemblyTimer(now);
        break;
      case TimerUse::kPathMtus:
        context.OnPathMtuTimer(now);
        break;
    }
  }
}

std::optional<Packet> StackParts::NextPacket(OutputQueue& output, Instant now) {
  while (true) {
    OutputQueue::Turn turn = output.Next();
    if (turn.packet) return std::move(turn.packet);
    if (turn.sender == nullptr) return std::nullopt;
    if (auto packet = flows.PollSend(*turn.sender, now)) return packet;
  }
}

std::optional<Packet> StackParts::NextOutput(Interface& egress, Instant now) {
  std::optional<Packet> packet = NextPacket(egress.output(), now);
  // [fault L14] what was queued, and connections that were open, before the
  // link shrank; these wait as for any path that is dead
  while (packet && !egress.Carries(ip::FamilyOf(*packet))) {
    context.Drop(DropReason::kNoRoute);
    packet = NextPacket(egress.output(), now);
  }
  if (packet) {
    ++context.stats.ip_out;
    context.stats.ip_out_bytes += packet->size();
    context.watch.OnPacketOut(egress.id(), *packet, now);
  }
  return packet;
}

StackStats StackParts::Stats() const {
  StackStats stats = context.stats;
  stats.tcp_time_wait = flows.time_wait().size();
  stats.tcp_time_wait_overflows = flows.time_wait().evicted();
  stats.tcp_listen_overflows = stats.Dropped(DropReason::kTcpAcceptQueueFull);
  input.AddReassemblyStats(stats);
  stats.sockets = context.sockets.size();
  const SlabStats memory = context.pool.stats();
  stats.pinned_bytes = memory.live_bytes;
  stats.memory_budget_bytes = context.config.memory_budget.value_or(0);
  // Those of connections: only a part of a packet is dropped there.
  stats.dropped[static_cast<size_t>(DropReason::kMemorySpent)] +=
      memory.refusals;
  return stats;
}

}  // namespace tcpip
