#include "tcpip/shard/tour.h"

#include <cassert>
#include <utility>
#include <variant>

#include "tcpip/shard/errors.h"

namespace tcpip {
namespace {

// What shards have counted, or have in common.
void Join(const reply::Stats& other, reply::Stats& to) {
  to.stack += other.stack;
  to.link += other.link;
  to.turns += other.turns;
}

void Join(const LinkOffloads& other, LinkOffloads& to) {
  to.checksum &= other.checksum;
  to.tso4 &= other.tso4;
  to.tso6 &= other.tso6;
}

void Join(const reply::Network& other, reply::Network& to) {
  Join(other.offloads.rx, to.offloads.rx);
  Join(other.offloads.tx, to.offloads.tx);
}

}  // namespace

bool Tour::IsFor(const command::Body& body) {
  return std::visit([]<typename C>(const C&) { return kIsFor<C>; }, body);
}

absl::Status Tour::Begin(const Group& group, const Command& command) {
  const std::shared_ptr<Tour> tour(new Tour(group, command));
  return group.inboxes[0]->Post(tour->ForNextShard());
}

Command Tour::ForNextShard() {
  Command next = command_;
  next.reply_to = {shared_from_this(), command_.reply_to.cookie()};
  if (auto* const cancel = std::get_if<command::Cancel>(&next.body)) {
    cancel->sink = command_.reply_to.sink().get();
  }
  return next;
}

bool Tour::Push(Reply&& reply) {
  const bool goes_on = std::visit(
      [this, &reply]<typename C>(C& body) {
        if constexpr (kIsFor<C>) return Take(body, std::move(reply));
        assert(false);
        return false;
      },
      command_.body);
  if (!goes_on || ++visited_ == group_.inboxes.size()) return Finish();
  // Not to be refused half-way; no more tours are under way than shard 0 took.
  if (group_.inboxes[visited_]->commands.Push(ForNextShard())) return true;
  CloseListeners();
  result_.status = CancelledByStop();
  return Finish();
}

bool Tour::Take(command::TcpListen& c, Reply&& reply) {
  if (!reply.status.ok()) {
    CloseListeners();
    result_ = std::move(reply);
    return false;
  }
  const auto& opened = std::get<reply::Opened>(reply.body);
  listeners_.push_back(opened.socket);
  c.options.local.port = opened.tuple.local.port;  // one port for all
  if (listeners_.size() == 1) result_ = std::move(reply);
  return true;
}

bool Tour::Take(command::GetStats&, Reply&& reply) {
  return TakeJoined<reply::Stats>(std::move(reply));
}

bool Tour::Take(command::GetNetwork&, Reply&& reply) {
  return TakeJoined<reply::Network>(std::move(reply));
}

template <typename Body>
bool Tour::TakeJoined(Reply&& reply) {
  const bool ok = reply.status.ok();
  if (visited_ == 0 || !ok) {
    result_ = std::move(reply);
  } else {
    Join(std::get<Body>(reply.body), std::get<Body>(result_.body));
  }
  return ok;
}

bool Tour::Take(command::Cancel&, Reply&& reply) {
  result_ = std::move(reply);
  return !result_.status.ok();
}

template <NetworkChange C>
bool Tour::Take(C&, Reply&& reply) {
  result_ = std::move(reply);
  return result_.status.ok();
}

bool Tour::Finish() {
  std::shared_ptr<GroupListener> listener;
  if (!listeners_.empty()) {
    listener = std::make_shared<GroupListener>(group_.inboxes, listeners_,
                                               group_.max_pending_commands);
    group_.listeners.Add(listener);
  }
  const bool seen = command_.reply_to.Pass(std::move(result_));
  if (!seen && listener != nullptr) {
    group_.listeners.Remove(listener->id());
    CloseListeners();
  }
  return seen;
}

void Tour::CloseListeners() {
  for (const SocketId listener : listeners_) {
    group_.inboxes[listener.shard()]->commands.Push(
        {.reply_to = {}, .body = command::Close{listener}});
  }
  listeners_.clear();
}

}  // namespace tcpip
