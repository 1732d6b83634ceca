#include "tcpip/shard/shard.h"

#include <mutex>
#include <thread>
#include <utility>

#include "tcpip/shard/shard_loop.h"

namespace tcpip {

struct Shard::State {
  // Of a shard without a group.
  ShardInboxes own_inboxes;
  std::unique_ptr<DeviceNews> own_news;

  ShardInbox* inbox = nullptr;
  std::unique_ptr<Link> link;
  std::mutex join_mutex;
  std::thread thread;  // joined under join_mutex
};

Shard::Shard(const ShardConfig& config, std::unique_ptr<Link> link,
             ShardApp* app, DeviceObserver* observer)
    : state_(std::make_unique<State>()) {
  state_->own_inboxes =
      MakeInboxes(1, config.mailbox_capacity, config.handed_over_bytes);
  state_->own_news = std::make_unique<DeviceNews>(1, observer);
  Start(config, std::move(link), app, state_->own_inboxes, *state_->own_news);
}

Shard::Shard(const ShardConfig& config, std::unique_ptr<Link> link,
             ShardApp* app, const ShardInboxes& inboxes, DeviceNews& news)
    : state_(std::make_unique<State>()) {
  Start(config, std::move(link), app, inboxes, news);
}

Shard::~Shard() { Stop(); }

void Shard::Start(const ShardConfig& config, std::unique_ptr<Link> link,
                  ShardApp* app, const ShardInboxes& inboxes,
                  DeviceNews& news) {
  state_->inbox = inboxes[config.stack.steering.index()].get();
  state_->link = std::move(link);
  state_->thread =
      std::thread([config, app, &inboxes, &news, &link = *state_->link] {
        ShardLoop loop(config, link, inboxes, news, app);
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
