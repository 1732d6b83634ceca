// GroupListener: one listener to its user, in truth one on every shard of a
// group, since a connection is opened by the shard that owns it.
//
// Every shard is asked for at most one connection ahead: whichever has one
// answers, and who waits longest gets it. What a shard answers when nobody
// waits any more is kept for the next. So no connection is lost or given twice,
// and each shard's backlog is its own. Any thread; a mutex that is held for a
// few steps.
#ifndef TCPIP_SHARD_GROUP_LISTENER_H_
#define TCPIP_SHARD_GROUP_LISTENER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/shard_inbox.h"
#include "tcpip/stack/socket_id.h"

namespace tcpip {

// As a ReplySink it takes the answers of the shards; a cookie is the index of
// the shard.
class GroupListener final : public ReplySink,
                            public std::enable_shared_from_this<GroupListener> {
 public:
  // `listeners[i]` is shard i's; the first one's id stands for all. At most
  // `max_pending_commands` TcpAccept commands wait.
  GroupListener(const ShardInboxes& inboxes, std::vector<SocketId> listeners,
                size_t max_pending_commands);

  // Takes a TcpAccept command, in the end.
  void Accept(Command&& command);

  // Takes a Close or an Abort: ends all listeners and what nobody has taken
  // from them, and answers who waits. UNAVAILABLE when the shards have stopped.
  absl::Status Close(Command&& command);

  bool Push(Reply&& reply) override;

  SocketId id() const { return listeners_.front(); }

 private:
  // All with mutex_ held.
  void Ask(size_t shard);
  void AnswerAll(const absl::Status& status);

  const ShardInboxes& inboxes_;
  const std::vector<SocketId> listeners_;
  const size_t max_pending_commands_;
  std::mutex mutex_;
  std::deque<ReplyTo> waiting_;  // guarded by mutex_
  std::deque<Reply> surplus_;    // accepted for nobody; guarded by mutex_
  std::vector<bool> asked_;      // by shard; guarded by mutex_
  bool closed_ = false;          // guarded by mutex_
};

// The open ones, by the id their users know. Any thread.
class GroupListeners {
 public:
  void Add(std::shared_ptr<GroupListener> listener);
  // nullptr when it is not there.
  std::shared_ptr<GroupListener> Find(SocketId id) const;
  std::shared_ptr<GroupListener> Remove(SocketId id);

 private:
  mutable std::mutex mutex_;
  absl::flat_hash_map<SocketId, std::shared_ptr<GroupListener>>
      by_id_;  // guarded by mutex_
};

}  // namespace tcpip

#endif  // TCPIP_SHARD_GROUP_LISTENER_H_
