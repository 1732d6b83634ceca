// What the parts of one stack share: settings, memory, counters, and the
// structures that every kind of socket goes through. The parts (tcp_flows,
// datagrams, packet_input) get a reference to it when they are made; it knows
// none of them.
#ifndef TCPIP_STACK_CONTEXT_H_
#define TCPIP_STACK_CONTEXT_H_

#include <utility>

#include "tcpip/base/time.h"
#include "tcpip/buffer/packet.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/network/answer_limit.h"
#include "tcpip/network/drop_reason.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/interface.h"
#include "tcpip/stack/interfaces.h"
#include "tcpip/stack/packet_watch.h"
#include "tcpip/stack/readiness.h"
#include "tcpip/stack/socket_table.h"
#include "tcpip/timer/timer_wheel.h"

namespace tcpip {

struct StackContext {
  StackContext(const StackConfig& stack_config, SlabPool& slab_pool,
               Instant now)
      : config(stack_config),
        pool(slab_pool),
        stats(watch),
        sockets(config.max_sockets),
        interfaces(config.max_control_packets),
        timers(now),
        unowned_answers(config.unowned_answers_per_second,
                        config.unowned_answers_burst, now) {}

  // Queues a packet that answers a packet, ahead of all else. A full queue
  // drops it, counted: whoever asked will ask again.
  void SendControl(Interface& interface, Packet packet) {
    if (!interface.output().control().Push(std::move(packet))) {
      stats.Drop(DropReason::kControlQueueFull);
    }
  }

  // May one more answer to a packet nobody owns leave? Counts a refusal.
  bool MayAnswerUnowned(Instant now) {
    if (unowned_answers.Take(now)) return true;
    stats.Drop(DropReason::kAnswerRateLimited);
    return false;
  }

  const StackConfig config;
  SlabPool& pool;
  PacketWatch watch;
  WatchedStats stats;
  SocketTable sockets;  // outlive the lists and the wheel they are in
  Interfaces interfaces;
  ReadyList ready;
  TimerWheel timers;
  AnswerLimit unowned_answers;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_CONTEXT_H_
