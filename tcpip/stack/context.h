// What the parts of one stack share: settings, memory, counters, and the
// structures that every kind of socket goes through. The parts (tcp_flows,
// datagrams, packet_input) get a reference to it when they are made; it knows
// none of them.
#ifndef TCPIP_STACK_CONTEXT_H_
#define TCPIP_STACK_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "tcpip/base/rng.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/network/answer_limit.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/network/interface_id.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/group_member.h"
#include "tcpip/stack/interface.h"
#include "tcpip/stack/interfaces.h"
#include "tcpip/stack/output_queue.h"
#include "tcpip/stack/packet_watch.h"
#include "tcpip/stack/readiness.h"
#include "tcpip/stack/socket_table.h"
#include "tcpip/stack/stack_timer.h"
#include "tcpip/stack/stats.h"
#include "tcpip/timer/timer_wheel.h"
#include "tcpip/wire/address.h"

namespace tcpip {

struct StackContext {
  StackContext(const StackConfig& stack_config, SlabPool& slab_pool,
               Rng& stack_rng, Instant now)
      : config(stack_config),
        pool(slab_pool),
        rng(stack_rng),
        sockets(config.max_sockets, config.steering.index()),
        interfaces(config.max_control_packets, config.path_mtu),
        group(config.steering, stats),
        timers(now),
        unowned_answers(config.unowned_answers_per_second,
                        config.unowned_answers_burst, now),
        path_mtu_reports(config.path_mtu_reports_per_second,
                         config.path_mtu_reports_per_second, now) {}

  // The one door for drops of the packet that is being processed: counts it and
  // shows it to the tap.
  void Drop(DropReason reason) {
    ++stats.dropped[static_cast<size_t>(reason)];
    watch.OnDrop(reason);
  }

  // RESOURCE_EXHAUSTED when the memory budget is spent.
  absl::Status CheckMemory() const {
    if (!pool.IsSpent()) return absl::OkStatus();
    return absl::ResourceExhaustedError("the memory budget is spent");
  }
  // The same when there is no room for one more socket.
  absl::Status CheckRoom() const {
    absl::Status memory = CheckMemory();
    return memory.ok() ? sockets.CheckRoom() : memory;
  }

  // Puts a packet into a queue of the interface, in fragments where it exceeds
  // `mtu`. False when the queue is full: nothing of it is sent then.
  bool Send(PacketQueue& queue, Packet packet, uint32_t mtu) {
    if (packet.size() <= mtu) return queue.Push(std::move(packet));
    return SendFragments(queue, std::move(packet), mtu);
  }

  // Queues a packet that answers a packet, ahead of all else. A full queue
  // drops it, counted: whoever asked will ask again.
  void SendControl(Interface& interface, Packet packet) {
    SendControl(interface, std::move(packet), interface.config().link.mtu);
  }
  // The same by a way that takes `mtu` bytes, no more than the link does.
  void SendControl(Interface& interface, Packet packet, uint32_t mtu) {
    if (!Send(interface.output().control(), std::move(packet), mtu)) {
      Drop(DropReason::kControlQueueFull);
    }
  }

  // May one more answer to a packet nobody owns leave for `receiver`? Counts a
  // refusal.
  bool MayAnswerUnowned(const IpAddress& receiver, Instant now) {
    if (unowned_answers.Take(receiver, now)) return true;
    Drop(DropReason::kAnswerRateLimited);
    return false;
  }

  // A report about the path to `remote` that is believed: somebody on the way
  // takes no more than `mtu`.
  void OnTooBig(InterfaceId interface, const IpAddress& remote, uint32_t mtu,
                Instant now) {
    ++stats.icmp_path_mtu_reports;
    interfaces.OnTooBig(interface, remote, mtu, now);
    ArmPathMtuTimer();
  }
  // Forgets reports that are old.
  void OnPathMtuTimer(Instant now) {
    interfaces.path_mtus().OnTimer(now);
    ArmPathMtuTimer();
  }

  const StackConfig config;
  SlabPool& pool;
  Rng& rng;
  PacketWatch watch;
  StackStats stats;
  // Outlive the lists and the wheel they are in.
  SocketTable sockets;
  StackTimer path_mtu_timer{TimerUse::kPathMtus};
  Interfaces interfaces;
  GroupMember group;
  ReadyList ready;
  TimerWheel timers;
  AnswerLimits unowned_answers;
  AnswerLimit path_mtu_reports;  // about datagrams, which show no sequence

 private:
  void ArmPathMtuTimer() {
    timers.Set(path_mtu_timer, interfaces.path_mtus().NextDeadline());
  }
  bool SendFragments(PacketQueue& queue, Packet packet, uint32_t mtu);

  PacketBatch fragments_;  // empty between calls
};

}  // namespace tcpip

#endif  // TCPIP_STACK_CONTEXT_H_
