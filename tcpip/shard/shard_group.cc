#include "tcpip/shard/shard_group.h"

#include <atomic>
#include <cassert>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "tcpip/shard/device_news.h"
#include "tcpip/shard/group_listener.h"
#include "tcpip/shard/host.h"
#include "tcpip/shard/shard.h"
#include "tcpip/shard/shard_inbox.h"
#include "tcpip/shard/shard_loop.h"
#include "tcpip/shard/tour.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/steering.h"

namespace tcpip {
namespace {

template <typename C>
concept NamesASocket = requires(const C& c) {
  c.socket;
};

SipHashKey SecretKey() {
  HostRng rng;
  return SipHashKey::FromRng(rng);
}

}  // namespace

struct ShardGroup::State {
  State(const ShardConfig& config, uint32_t count, const SipHashKey& key,
        DeviceObserver* observer)
      : steering(0, count, key),
        shared(config, count, observer),
        tours{shared.inboxes, listeners, config.max_pending_commands} {}

  absl::Status Route(Command&& command) {
    if (Tour::IsFor(command.body)) return Tour::Begin(tours, command);
    if (const auto* const accept =
            std::get_if<command::TcpAccept>(&command.body)) {
      if (const auto listener = listeners.Find(accept->listener)) {
        listener->Accept(std::move(command));
        return absl::OkStatus();
      }
    }
    if (const auto listener = RemoveListener(command.body)) {
      return listener->Close(std::move(command));
    }
    const uint32_t shard = std::visit(
        [this](const auto& body) { return ShardFor(body); }, command.body);
    return shared.inboxes[shard]->Post(std::move(command));
  }

  // The group's listener that the command ends, if it does.
  std::shared_ptr<GroupListener> RemoveListener(const command::Body& body) {
    if (const auto* const close = std::get_if<command::Close>(&body)) {
      return listeners.Remove(close->socket);
    }
    if (const auto* const abort = std::get_if<command::Abort>(&body)) {
      return listeners.Remove(abort->socket);
    }
    return nullptr;
  }

  uint32_t ShardFor(const command::TcpDial& c) {
    // Shard 0 knows routes, and by them the owner. See ShardLoop::PassOn.
    const bool has_port = c.options.local && c.options.local->port != 0;
    return has_port ? 0 : NextShard();
  }
  uint32_t ShardFor(const command::UdpOpen& c) {
    const uint16_t port = c.options.local.port;
    return port == 0 ? NextShard() : steering.OwnerOfPort(port);
  }
  uint32_t ShardFor(const command::Ping&) { return NextShard(); }
  uint32_t ShardFor(const command::TcpAccept& c) {
    return Existing(c.listener.shard());
  }
  uint32_t ShardFor(const command::ListSockets& c) {
    return Existing(SocketId::ShardOf(c.cursor));
  }
  template <typename C>
  uint32_t ShardFor(const C& c) {
    if constexpr (NamesASocket<C>) return Existing(c.socket.shard());
    return 0;  // what is the same in all
  }

  // An invented id is nobody's: any shard can say so.
  uint32_t Existing(uint32_t shard) const {
    return shard < steering.count() ? shard : 0;
  }
  uint32_t NextShard() {
    return next_shard.fetch_add(1, std::memory_order_relaxed) %
           steering.count();
  }

  const Steering steering;  // to ask for owners
  SharedByShards shared;
  GroupListeners listeners;
  const Tour::Group tours;
  std::atomic<uint32_t> next_shard = 0;
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
  for (uint32_t i = 0; i < links.size(); ++i) {
    own.stack.steering = Steering(i, state_->steering.count(), key);
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
  return state_->Route(std::move(command));
}

void ShardGroup::Stop() {
  // All at once, so that none waits for another's end.
  for (const auto& inbox : state_->shared.inboxes) inbox->commands.Close();
  for (const auto& shard : state_->shards) shard->Stop();
}

}  // namespace tcpip
