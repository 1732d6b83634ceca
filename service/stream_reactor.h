// StreamReactor: one Stream call. Carries events from gRPC and the shard to a
// StreamMachine and carries out the actions it returns, both under one mutex,
// so that no write can be started after the call was finished. gRPC never runs
// a reaction inside StartRead, StartWrite or Finish. Deletes itself when gRPC
// is done and no reply is outstanding.
#ifndef SERVICE_STREAM_REACTOR_H_
#define SERVICE_STREAM_REACTOR_H_

#include <grpcpp/alarm.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "service/claims.h"
#include "service/shard_client.h"
#include "service/stream_machine.h"

namespace netstack::service {

class StreamReactor final
    : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
      public std::enable_shared_from_this<StreamReactor> {
 public:
  using Redeem = absl::AnyInvocable<std::optional<Claimed>(const std::string&)>;

  // `shard` outlives the call. `redeem` is asked at most once; `on_done` runs
  // when the call has ended.
  static StreamReactor* Start(grpc::CallbackServerContext& context,
                              ShardClient& shard, Redeem redeem,
                              absl::AnyInvocable<void()> on_done);

 private:
  StreamReactor(grpc::CallbackServerContext& context, ShardClient& shard,
                Redeem redeem, absl::AnyInvocable<void()> on_done)
      : context_(context),
        shard_(shard),
        redeem_(std::move(redeem)),
        on_done_(std::move(on_done)) {}

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  void OnReply(StreamMachine::ReplyTo to, tcpip::Reply reply);
  void OnAlarm();

  // All with mutex_ held.
  void CarryOut(StreamMachine::Actions actions);
  void PostAll(std::vector<StreamMachine::Post> posts);
  void Watch();

  grpc::CallbackServerContext& context_;  // until done_
  ShardClient& shard_;
  Redeem redeem_;
  absl::AnyInvocable<void()> on_done_;
  std::mutex mutex_;
  StreamMachine machine_;             // guarded by mutex_
  uint64_t opening_ = 0;              // guarded by mutex_; the call of kOpen
  bool done_ = false;                 // guarded by mutex_
  std::optional<grpc::Alarm> alarm_;  // guarded by mutex_; while it runs
  grpc::ByteBuffer incoming_;         // gRPC's from StartRead to OnReadDone
  grpc::ByteBuffer outgoing_;         // gRPC's from StartWrite to OnWriteDone
  // Holds this object until OnDone; completions hold it beyond.
  std::shared_ptr<StreamReactor> self_;
};

}  // namespace netstack::service

#endif  // SERVICE_STREAM_REACTOR_H_
