#include "tcpip/shard/group_listener.h"

#include <utility>
#include <variant>

namespace tcpip {
namespace {

absl::Status Closed() { return absl::CancelledError("the socket was closed"); }

}  // namespace

GroupListener::GroupListener(const ShardInboxes& inboxes,
                             std::vector<SocketId> listeners,
                             size_t max_waiting)
    : inboxes_(inboxes),
      listeners_(std::move(listeners)),
      max_waiting_(max_waiting),
      asked_(listeners_.size()) {}

bool GroupListener::Answer(const Client& client, Reply& reply) {
  reply.cookie = client.cookie;
  return client.queue != nullptr && client.queue->Push(std::move(reply));
}

void GroupListener::AnswerAll(const absl::Status& status) {
  for (const Client& client : waiting_) {
    Reply reply{.cookie = 0, .status = status, .body = {}};
    Answer(client, reply);
  }
  waiting_.clear();
}

void GroupListener::Accept(Command&& command) {
  const Client client{command.cookie, std::move(command.reply_to)};
  std::lock_guard lock(mutex_);
  Reply refusal;
  if (closed_) {
    refusal.status = Closed();
  } else if (waiting_.size() >= max_waiting_) {
    refusal.status = absl::ResourceExhaustedError("too many pending commands");
  }
  if (!refusal.status.ok()) {
    Answer(client, refusal);
    return;
  }
  if (!surplus_.empty()) {
    if (Answer(client, surplus_.front())) surplus_.pop_front();
    return;
  }
  waiting_.push_back(client);
  for (size_t shard = 0; shard < listeners_.size(); ++shard) {
    if (!asked_[shard]) Ask(shard);
  }
}

// Not to be refused, since a shard that is not asked keeps its connections;
// there is one question per listener and shard.
void GroupListener::Ask(size_t shard) {
  Command question{.cookie = shard,
                   .reply_to = shared_from_this(),
                   .body = command::TcpAccept{listeners_[shard]}};
  asked_[shard] = inboxes_[shard]->commands.Push(std::move(question));
  if (!asked_[shard]) AnswerAll(absl::CancelledError("the shard has stopped"));
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
    given = Answer(waiting_.front(), reply);
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
  AnswerAll(Closed());
  const auto post = [this](SocketId socket, command::Body body) {
    inboxes_[socket.shard()]->commands.Push(
        {.cookie = 0, .reply_to = nullptr, .body = std::move(body)});
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
