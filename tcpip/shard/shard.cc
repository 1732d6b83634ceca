#include "tcpip/shard/shard.h"

#include <mutex>
#include <thread>
#include <utility>

#include "tcpip/shard/shard_loop.h"

namespace tcpip {

struct Shard::State {
  ShardInboxes alone;  // of a shard without a group
  ShardInbox* inbox = nullptr;
  std::unique_ptr<Link> link;
  std::mutex join_mutex;
  std::thread thread;  // joined under join_mutex
};

Shard::Shard(const ShardConfig& config, std::unique_ptr<Link> link,
             ShardApp* app)
    : state_(std::make_unique<State>()) {
  state_->alone =
      MakeInboxes(1, config.mailbox_capacity, config.max_packet_bytes);
  Start(config, std::move(link), app, state_->alone);
}

Shard::Shard(const ShardConfig& config, std::unique_ptr<Link> link,
             ShardApp* app, const ShardInboxes& inboxes)
    : state_(std::make_unique<State>()) {
  Start(config, std::move(link), app, inboxes);
}

Shard::~Shard() { Stop(); }

void Shard::Start(const ShardConfig& config, std::unique_ptr<Link> link,
                  ShardApp* app, const ShardInboxes& inboxes) {
  state_->inbox = inboxes[config.stack.steering.index()].get();
  state_->link = std::move(link);
  state_->thread = std::thread([config, app, &inboxes, &link = *state_->link] {
    ShardLoop loop(config, link, inboxes, app);
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
