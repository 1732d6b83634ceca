// ListenReactor: one Listen call. Opens the listener, then reports one accepted
// connection after another: the next is taken from the accept queue when the
// last was sent and few are unclaimed, so a slow client fills the backlog,
// where connections wait without a time limit, and no more.
#ifndef SERVICE_LISTEN_REACTOR_H_
#define SERVICE_LISTEN_REACTOR_H_

#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "absl/functional/any_invocable.h"
#include "service/claim_desk.h"
#include "service/netstack.pb.h"
#include "service/shard_client.h"
#include "tcpip/shard/command.h"

namespace netstack::service {

class ListenReactor final : public grpc::ServerWriteReactor<v1::ListenEvent>,
                            public std::enable_shared_from_this<ListenReactor> {
 public:
  using OnEnded = absl::AnyInvocable<void(ListenReactor*)>;

  // `shard` and `desk` outlive the call; `on_done` runs when it has ended.
  static ListenReactor* Start(ShardClient& shard, ClaimDesk& desk,
                              const v1::ListenRequest& request,
                              OnEnded on_done);

  // Ends the call because the daemon stops. Not after `on_done`.
  void Stop();

 private:
  ListenReactor(ShardClient& shard, ClaimDesk& desk, OnEnded on_done)
      : shard_(shard), desk_(desk), on_done_(std::move(on_done)) {}

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  void OnListening(tcpip::Reply reply);
  void OnAccepted(tcpip::Reply reply);
  void OnClaimGone();
  void Accept();                      // mutex_ held
  void End(const grpc::Status& why);  // mutex_ held; once

  ShardClient& shard_;
  ClaimDesk& desk_;
  uint64_t id_ = 0;  // at the desk; constant after Start
  OnEnded on_done_;
  std::mutex mutex_;
  tcpip::tcp::SocketSettings settings_;      // guarded by mutex_
  uint32_t max_unclaimed_ = 0;               // guarded by mutex_
  uint32_t unclaimed_ = 0;                   // guarded by mutex_
  bool awaits_claim_ = false;                // guarded by mutex_
  std::optional<tcpip::SocketId> listener_;  // guarded by mutex_
  bool ended_ = false;                       // guarded by mutex_
  v1::ListenEvent event_;  // gRPC's from StartWrite to OnWriteDone
  std::shared_ptr<ListenReactor> self_;  // until OnDone
};

}  // namespace netstack::service

#endif  // SERVICE_LISTEN_REACTOR_H_
