#include "service/stream_reactor.h"

#include <grpc/grpc.h>
#include <grpc/support/time.h>

#include <utility>

#include "service/stream_codec.h"

namespace netstack::service {

StreamReactor* StreamReactor::Start(grpc::CallbackServerContext& context,
                                    ShardClient& shard, Redeem redeem,
                                    absl::AnyInvocable<void()> on_done) {
  std::shared_ptr<StreamReactor> self(
      new StreamReactor(context, shard, std::move(redeem), std::move(on_done)));
  self->self_ = self;
  std::lock_guard lock(self->mutex_);
  self->CarryOut(self->machine_.OnStart());
  return self.get();
}

void StreamReactor::OnReadDone(bool ok) {
  absl::StatusOr<DecodedRequest> request;
  if (ok) request = DecodeStreamRequest(incoming_);
  incoming_.Clear();
  // A read fails for a half-closed call and for one that was cancelled, and in
  // the latter case before OnCancel: FIN or RST hangs on telling them apart.
  const bool cancelled =
      !ok && grpc_call_failed_before_recv_message(context_.c_call()) != 0;
  std::lock_guard lock(mutex_);
  CarryOut(ok          ? machine_.OnRequest(std::move(request))
           : cancelled ? machine_.OnCancel()
                       : machine_.OnNoMoreRequests());
}

void StreamReactor::OnWriteDone(bool ok) {
  outgoing_.Clear();
  std::lock_guard lock(mutex_);
  CarryOut(machine_.OnWritten(ok));
}

void StreamReactor::OnCancel() {
  std::lock_guard lock(mutex_);
  CarryOut(machine_.OnCancel());
}

void StreamReactor::OnDone() {
  on_done_();
  {
    std::lock_guard lock(mutex_);
    done_ = true;
    if (alarm_.has_value()) alarm_->Cancel();
  }
  const std::shared_ptr<StreamReactor> last = std::move(self_);
}

void StreamReactor::OnReply(StreamMachine::ReplyTo to, tcpip::Reply reply) {
  std::lock_guard lock(mutex_);
  CarryOut(machine_.OnReply(to, std::move(reply)));
}

void StreamReactor::Watch() {
  alarm_.emplace();
  constexpr int64_t kGrace = StreamMachine::kUnreadGrace.nanoseconds();
  alarm_->Set(gpr_time_from_nanos(kGrace, GPR_TIMESPAN),
              [self = shared_from_this()](bool) { self->OnAlarm(); });
}

// Also when it was stopped. The alarm holds this object, and must be let go.
void StreamReactor::OnAlarm() {
  std::lock_guard lock(mutex_);
  alarm_.reset();
  if (!done_) CarryOut(machine_.OnWatched());
}

void StreamReactor::PostAll(std::vector<StreamMachine::Post> posts) {
  for (StreamMachine::Post& post : posts) {
    const StreamMachine::ReplyTo to = post.reply_to;
    if (to == StreamMachine::ReplyTo::kNobody) {
      shard_.Post(std::move(post.body));
      continue;
    }
    const uint64_t call =
        shard_.Call(std::move(post.body),
                    [self = shared_from_this(), to](tcpip::Reply reply) {
                      self->OnReply(to, std::move(reply));
                    });
    if (to == StreamMachine::ReplyTo::kOpen) opening_ = call;
  }
}

void StreamReactor::CarryOut(StreamMachine::Actions actions) {
  PostAll(std::move(actions.posts));
  if (actions.cancel_open) shard_.Cancel(opening_);
  if (actions.watch) Watch();
  if (actions.write.has_value()) {
    outgoing_ = *std::move(actions.write);
    StartWrite(&outgoing_);
  }
  if (actions.read) StartRead(&incoming_);
  if (actions.cut.has_value()) {
    // Finish would come after what is unread. That a server sends this status
    // is no promise of gRPC's header; stream_test.cc relies on it, too.
    grpc_call_cancel_with_status(
        context_.c_call(),
        static_cast<grpc_status_code>(actions.cut->error_code()),
        actions.cut->error_message().c_str(), nullptr);
  }
  if (actions.finish.has_value()) Finish(*actions.finish);
  if (actions.redeem.has_value()) {
    CarryOut(machine_.OnClaimed(redeem_(*actions.redeem)));
  }
}

}  // namespace netstack::service
