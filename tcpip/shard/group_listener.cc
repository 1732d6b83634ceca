#include "tcpip/shard/group_listener.h"

#include <utility>
#include <variant>

#include "tcpip/shard/errors.h"

namespace tcpip {

GroupListener::GroupListener(const ShardInboxes& inboxes,
                             std::vector<SocketId> listeners,
                             size_t max_pending_commands)
    : inboxes_(inboxes),
      listeners_(std::move(listeners)),
      max_pending_commands_(max_pending_commands),
      asked_(listeners_.size()) {}

void GroupListener::AnswerAll(const absl::Status& status) {
  for (const ReplyTo& to : waiting_) to.Answer(status);
  waiting_.clear();
}

void GroupListener::Accept(Command&& command) {
  const ReplyTo to = std::move(command.reply_to);
  std::lock_guard lock(mutex_);
  if (closed_) {
    to.Answer(CancelledByClose());
    return;
  }
  if (waiting_.size() >= max_pending_commands_) {
    to.Answer(TooManyPending());
    return;
  }
  if (!surplus_.empty()) {
    if (to.Pass(std::move(surplus_.front()))) surplus_.pop_front();
    return;
  }
  waiting_.push_back(to);
  for (size_t shard = 0; shard < listeners_.size(); ++shard) {
    if (!asked_[shard]) Ask(shard);
  }
}

// Not to be refused, since a shard that is not asked keeps its connections;
// there is one question per listener and shard.
void GroupListener::Ask(size_t shard) {
  asked_[shard] = inboxes_[shard]->commands.Push(
      {.reply_to = {shared_from_this(), shard},
       .body = command::TcpAccept{listeners_[shard]}});
  if (!asked_[shard]) AnswerAll(CancelledByStop());
}

bool GroupListener::Push(Reply&& reply) {
  std::lock_guard lock(mutex_);
  const size_t shard = reply.cookie;
  asked_[shard] = false;
  if (closed_) return false;  // the shard resets the connection
  if (!reply.status.ok()) {
    AnswerAll(reply.status);
    return true;
  }
  bool given = false;
  while (!given && !waiting_.empty()) {
    // Moved only when given. NOLINTNEXTLINE(bugprone-use-after-move)
    given = waiting_.front().Pass(std::move(reply));
    waiting_.pop_front();
  }
  if (!given) surplus_.push_back(std::move(reply));
  if (!waiting_.empty()) Ask(shard);
  return true;
}

absl::Status GroupListener::Close(Command&& command) {
  std::lock_guard lock(mutex_);
  if (absl::Status s = inboxes_[0]->Post(std::move(command)); !s.ok()) return s;
  closed_ = true;
  AnswerAll(CancelledByClose());
  const auto post = [this](SocketId socket, command::Body body) {
    inboxes_[socket.shard()]->commands.Push(
        {.reply_to = {}, .body = std::move(body)});
  };
  for (size_t shard = 1; shard < listeners_.size(); ++shard) {
    post(listeners_[shard], command::Close{listeners_[shard]});
  }
  for (const Reply& reply : surplus_) {
    const SocketId socket = std::get<reply::Opened>(reply.body).socket;
    post(socket, command::Abort{socket});
  }
  surplus_.clear();
  return absl::OkStatus();
}

void GroupListeners::Add(std::shared_ptr<GroupListener> listener) {
  std::lock_guard lock(mutex_);
  const SocketId id = listener->id();
  by_id_[id] = std::move(listener);
}

std::shared_ptr<GroupListener> GroupListeners::Find(SocketId id) const {
  std::lock_guard lock(mutex_);
  const auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : it->second;
}

std::shared_ptr<GroupListener> GroupListeners::Remove(SocketId id) {
  std::lock_guard lock(mutex_);
  const auto it = by_id_.find(id);
  if (it == by_id_.end()) return nullptr;
  std::shared_ptr<GroupListener> listener = std::move(it->second);
  by_id_.erase(it);
  return listener;
}

}  // namespace tcpip
