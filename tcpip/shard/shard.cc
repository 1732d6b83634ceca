#include "tcpip/shard/shard.h"

#include <mutex>
#include <thread>
#include <utility>

#include "tcpip/shard/shard_loop.h"

namespace tcpip {

struct Shard::State {
  std::unique_ptr<SharedByShards> alone;  // of a shard without a group
  ShardInbox* inbox = nullptr;
  std::unique_ptr<Link> link;
  std::mutex join_mutex;
  std::thread thread;  // joined under join_mutex
};

Shard::Shard(const ShardConfig& config, std::unique_ptr<Link> link,
             ShardApp* app, DeviceObserver* observer)
    : state_(std::make_unique<State>()) {
  state_->alone = std::make_unique<SharedByShards>(config, 1, observer);
  Start(config, std::move(link), app, *state_->alone);
}

Shard::Shard(const ShardConfig& config, std::unique_ptr<Link> link,
             ShardApp* app, SharedByShards& group)
    : state_(std::make_unique<State>()) {
  Start(config, std::move(link), app, group);
}

Shard::~Shard() { Stop(); }

void Shard::Start(const ShardConfig& config, std::unique_ptr<Link> link,
                  ShardApp* app, SharedByShards& group) {
  state_->inbox = group.inboxes[config.stack.steering.index()].get();
  state_->link = std::move(link);
  state_->thread = std::thread([config, app, &group, &link = *state_->link] {
    ShardLoop loop(config, link, group, app);
    loop.Run();
  });
}

absl::Status Shard::Post(Command&& command) {
  return state_->inbox->Post(std::move(command));
}

void Shard::Stop() {
  state_->inbox->commands.Close();
  std::lock_guard lock(state_->join_mutex);
  if (state_->thread.joinable()) state_->thread.join();
}

}  // namespace tcpip
