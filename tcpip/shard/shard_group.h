// ShardGroup: several shards that look like one. A shard for each link (each
// queue of a TUN device), which all have the same addresses and routes.
//
//                     +-- inbox 0 --> shard 0 -- link 0
//   Post --> router --+      ^ packets of flows that shard 0 owns
//                     +-- inbox 1 --> shard 1 -- link 1
//
// Where a command goes is CommandRouter's to say, what becomes of the device
// DeviceNews'. A group of one shard is that shard: nothing is looked up or
// hashed.
#ifndef TCPIP_SHARD_SHARD_GROUP_H_
#define TCPIP_SHARD_SHARD_GROUP_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "tcpip/base/siphash.h"
#include "tcpip/link/link.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/device_news.h"
#include "tcpip/shard/shard_config.h"

namespace tcpip {

class ShardGroup final : public CommandTarget {
 public:
  // Starts the threads: one shard per link, at least one and at most
  // SocketId::kMaxShards. `config` is every shard's, but for its place in the
  // group. `apps` is empty or has one for each, as for Shard; a listener or
  // port they open is their own shard's alone. `key` decides which shard owns
  // which flow. `observer` is told of the device whose queues the links are; it
  // may be null and outlives the group.
  ShardGroup(const ShardConfig& config,
             std::vector<std::unique_ptr<Link>> links,
             const std::vector<ShardApp*>& apps, const SipHashKey& key,
             DeviceObserver* observer = nullptr);
  // With a key that nobody knows.
  ShardGroup(const ShardConfig& config,
             std::vector<std::unique_ptr<Link>> links,
             const std::vector<ShardApp*>& apps = {},
             DeviceObserver* observer = nullptr);
  ~ShardGroup() override;  // Stop()
  ShardGroup(const ShardGroup&) = delete;
  ShardGroup& operator=(const ShardGroup&) = delete;

  absl::Status Post(Command&& command) override;

  // As Shard::Stop, of all.
  void Stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_SHARD_GROUP_H_
