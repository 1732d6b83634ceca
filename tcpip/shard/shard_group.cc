#include "tcpip/shard/shard_group.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <utility>

#include "tcpip/shard/command_router.h"
#include "tcpip/shard/device_news.h"
#include "tcpip/shard/host.h"
#include "tcpip/shard/shard.h"
#include "tcpip/shard/shard_loop.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/steering.h"

namespace tcpip {
namespace {

SipHashKey SecretKey() {
  HostRng rng;
  return SipHashKey::FromRng(rng);
}

}  // namespace

struct ShardGroup::State {
  State(const ShardConfig& config, uint32_t count, const SipHashKey& key,
        DeviceObserver* observer)
      : shared(config, count, observer),
        router(shared.inboxes, key, config.max_pending_commands) {}

  SharedByShards shared;
  CommandRouter router;
  std::vector<std::unique_ptr<Shard>> shards;
};

ShardGroup::ShardGroup(const ShardConfig& config,
                       std::vector<std::unique_ptr<Link>> links,
                       const std::vector<ShardApp*>& apps,
                       const SipHashKey& key, DeviceObserver* observer)
    : state_(std::make_unique<State>(
          config, static_cast<uint32_t>(links.size()), key, observer)) {
  assert(!links.empty() && links.size() <= SocketId::kMaxShards);
  assert(apps.empty() || apps.size() == links.size());
  ShardConfig own = config;
  const auto count = static_cast<uint32_t>(links.size());
  for (uint32_t i = 0; i < count; ++i) {
    own.stack.steering = Steering(i, count, key);
    state_->shards.push_back(std::make_unique<Shard>(
        own, std::move(links[i]), apps.empty() ? nullptr : apps[i],
        state_->shared));
  }
}

ShardGroup::ShardGroup(const ShardConfig& config,
                       std::vector<std::unique_ptr<Link>> links,
                       const std::vector<ShardApp*>& apps,
                       DeviceObserver* observer)
    : ShardGroup(config, std::move(links), apps, SecretKey(), observer) {}

ShardGroup::~ShardGroup() { Stop(); }

absl::Status ShardGroup::Post(Command&& command) {
  if (state_->shards.size() == 1) {
    return state_->shards[0]->Post(std::move(command));
  }
  return state_->router.Post(std::move(command));
}

void ShardGroup::Stop() {
  // All at once, so that none waits for another's end.
  for (const auto& inbox : state_->shared.inboxes) inbox->commands.Close();
  for (const auto& shard : state_->shards) shard->Stop();
}

}  // namespace tcpip
