// ShardClient: asynchronous calls into a shard, or into a group of them, for
// the threads of the service.
//
// Call() posts a command; its completion runs exactly once, on the client's one
// dispatcher thread, also when the shard's mailbox was full
// (RESOURCE_EXHAUSTED) or the shard stopped (CANCELLED). Completions must not
// block: they delay those of every other stream.
#ifndef SERVICE_SHARD_CLIENT_H_
#define SERVICE_SHARD_CLIENT_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "tcpip/shard/command.h"
#include "tcpip/shard/mailbox.h"

namespace netstack::service {

class ShardClient {
 public:
  using Completion = absl::AnyInvocable<void(tcpip::Reply)>;

  // `shard` outlives this.
  explicit ShardClient(tcpip::CommandTarget& shard);
  // Every call made has completed when this returns; make no new ones.
  ~ShardClient();
  ShardClient(const ShardClient&) = delete;
  ShardClient& operator=(const ShardClient&) = delete;

  // All from any thread.

  // Returns what Cancel takes.
  uint64_t Call(tcpip::command::Body body, Completion done);

  // A call whose reply nobody wants.
  void Post(tcpip::command::Body body);

  // Ends a TcpDial or Ping that still waits: it completes with CANCELLED. Of no
  // effect on one that has been answered.
  void Cancel(uint64_t call);

 private:
  void Dispatch();

  tcpip::CommandTarget& shard_;
  const std::shared_ptr<tcpip::ReplyQueue> replies_;
  std::mutex mutex_;
  uint64_t next_cookie_ = 1;                               // guarded by mutex_
  absl::flat_hash_map<uint64_t, Completion> outstanding_;  // guarded by mutex_
  std::thread dispatcher_;
};

}  // namespace netstack::service

#endif  // SERVICE_SHARD_CLIENT_H_
