// What a shard is started with: its settings, and the program that may live
// inside it.
#ifndef TCPIP_SHARD_SHARD_CONFIG_H_
#define TCPIP_SHARD_SHARD_CONFIG_H_

#include <cstdint>
#include <functional>

#include "tcpip/base/time.h"
#include "tcpip/link/link.h"
#include "tcpip/stack/config.h"
#include "tcpip/stack/stack.h"

namespace tcpip {

// A program that lives inside the shard (a benchmark server, an embedder's
// service): called on the shard's thread for sockets it opened itself.
class ShardApp {
 public:
  virtual ~ShardApp() = default;
  virtual void OnStart(Stack& stack, Instant now) = 0;
  virtual void OnReady(Stack& stack, const ReadyEvent& event, Instant now) = 0;
};

struct ShardConfig {
  StackConfig stack;
  InterfaceConfig interface;  // capabilities are taken from the link
  uint32_t mailbox_capacity = 4096;
  uint32_t max_packet_bytes = 4 << 20;  // on their way from other shards
  uint32_t batch_packets = 64;
  uint32_t max_pending_commands = 65536;
  // How long it looks for work before it sleeps, while work comes that quickly;
  // zero: never. Not done where there is one processor only.
  Duration busy_poll = Duration::Microseconds(10);
  // Of a group, all three are called once for the device and not for each of
  // its queues, on the thread of whichever shard sees it.
  //
  // Called on the shard's thread when the link's device is gone (deleted), and
  // when there is one of its name again; must not call Stop(). In between the
  // shard goes on with its loopback, and what is to be sent waits.
  std::function<void()> on_link_lost;
  std::function<void()> on_link_back;
  // Called there, too, when the device keeps refusing what it had said it would
  // do, with all it has refused since somebody last switched offloads: from now
  // on we do it ourselves. [fault L01]
  std::function<void(const LinkOffloads&)> on_offloads_refused;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_SHARD_CONFIG_H_
