// Shard: one thread, one Stack, one link (and a loopback), one poller, one
// mailbox. The loop: poll, packets, commands, timers, output; nothing else.
//
// Everything but Post(), Stop() and the constructor runs on the shard's own
// thread. Payload bytes that cross by command are copied once, here.
#ifndef TCPIP_SHARD_SHARD_H_
#define TCPIP_SHARD_SHARD_H_

#include <memory>

#include "absl/status/status.h"
#include "tcpip/link/link.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/device_news.h"
#include "tcpip/shard/shard_config.h"

namespace tcpip {

struct SharedByShards;  // shard_loop.h

class Shard final : public CommandTarget {
 public:
  // Starts the thread. `app` and `observer` may be null and outlive the shard.
  Shard(const ShardConfig& config, std::unique_ptr<Link> link, ShardApp* app,
        DeviceObserver* observer = nullptr);
  // As one of a group, in the place that config.stack.steering gives it. What
  // is shared outlives the shard.
  Shard(const ShardConfig& config, std::unique_ptr<Link> link, ShardApp* app,
        SharedByShards& group);
  ~Shard() override;  // Stop() and join
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  absl::Status Post(Command&& command) override;

  // Resets every connection, answers what is pending with CANCELLED and ends
  // the thread.
  void Stop();

 private:
  void Start(const ShardConfig& config, std::unique_ptr<Link> link,
             ShardApp* app, SharedByShards& group);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_SHARD_H_
