#include "tcpip/shard/shard.h"

#include <mutex>
#include <thread>
#include <utility>
#include <variant>

#include "tcpip/shard/mailbox.h"
#include "tcpip/shard/shard_loop.h"

namespace tcpip {
namespace {

// Refused, these would leave a socket behind that nobody knows; they are no
// more than sockets and waiting commands.
bool GivesUp(const command::Body& body) {
  return std::holds_alternative<command::Close>(body) ||
         std::holds_alternative<command::Abort>(body) ||
         std::holds_alternative<command::Cancel>(body);
}

}  // namespace

struct Shard::State {
  State(const ShardConfig& config, std::unique_ptr<Link> link)
      : link(std::move(link)), mailbox(config.mailbox_capacity) {}

  std::unique_ptr<Link> link;
  Mailbox<Command> mailbox;
  std::mutex join_mutex;
  std::thread thread;  // joined under join_mutex
};

Shard::Shard(const ShardConfig& config, std::unique_ptr<Link> link,
             ShardApp* app)
    : state_(std::make_unique<State>(config, std::move(link))) {
  State& state = *state_;
  state.thread = std::thread([config, app, &state] {
    ShardLoop loop(config, *state.link, state.mailbox, app);
    loop.Run();
  });
}

Shard::~Shard() { Stop(); }

absl::Status Shard::Post(Command&& command) {
  const bool taken = GivesUp(command.body)
                         ? state_->mailbox.Push(std::move(command))
                         : state_->mailbox.TryPush(std::move(command));
  if (taken) return absl::OkStatus();
  if (state_->mailbox.closed()) {
    return absl::UnavailableError("the shard has stopped");
  }
  return absl::ResourceExhaustedError("the shard's mailbox is full");
}

void Shard::Stop() {
  state_->mailbox.Close();
  std::lock_guard lock(state_->join_mutex);
  if (state_->thread.joinable()) state_->thread.join();
}

}  // namespace tcpip
