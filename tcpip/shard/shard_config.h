// What a shard is started with: its settings, and the program that may live
// inside it. Not its link, nor who is told of the device (device_news.h).
#ifndef TCPIP_SHARD_SHARD_CONFIG_H_
#define TCPIP_SHARD_SHARD_CONFIG_H_

#include <cstdint>

#include "tcpip/base/time.h"
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
  InterfaceConfig interface;            // capabilities are taken from the link
  uint32_t max_queued_commands = 4096;  // in the mailbox
  // Of packets on their way from all other shards; more are dropped as
  // owner_queue_full.
  uint32_t handed_over_bytes = 4 << 20;
  uint32_t batch_packets = 64;
  uint32_t max_pending_commands = 65536;  // begun; see command.h
  // How long it looks for work before it sleeps, while work comes that quickly;
  // zero: never. Not done where there is one processor only.
  Duration busy_poll = Duration::Microseconds(10);
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_SHARD_CONFIG_H_
