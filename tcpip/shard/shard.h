// Shard: one thread, one Stack, one link (and a loopback), one poller, one
// mailbox. The loop: poll, packets, commands, timers, output; nothing else.
//
// Everything but Post(), Stop() and the constructor runs on the shard's own
// thread. Payload bytes that cross by command are copied once, here.
#ifndef TCPIP_SHARD_SHARD_H_
#define TCPIP_SHARD_SHARD_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "tcpip/link/link.h"
#include "tcpip/shard/command.h"
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
  uint32_t batch_packets = 64;
  uint32_t max_pending_commands = 65536;
  // Called once, on the shard's thread, when the link's device is gone for
  // good (deleted). The shard goes on with its loopback.
  std::function<void()> on_link_lost;
};

class Shard {
 public:
  // Starts the thread. `app` may be null and outlives the shard.
  Shard(const ShardConfig& config, std::unique_ptr<Link> link, ShardApp* app);
  ~Shard();  // Stop() and join
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  // From any thread. RESOURCE_EXHAUSTED when the mailbox is full, UNAVAILABLE
  // after Stop; the command is untouched then and no reply comes.
  absl::Status Post(Command&& command);

  // Resets every connection, answers what is pending with CANCELLED and ends
  // the thread.
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_SHARD_H_
