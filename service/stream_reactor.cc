#include "service/stream_reactor.h"

#include <grpc/grpc.h>

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
  const std::shared_ptr<StreamReactor> last = std::move(self_);
}

void StreamReactor::OnReply(StreamMachine::ReplyTo to, tcpip::Reply reply) {
  std::lock_guard lock(mutex_);
  CarryOut(machine_.OnReply(to, std::move(reply)));
}

void StreamReactor::CarryOut(StreamMachine::Actions actions) {
  for (StreamMachine::Post& post : actions.posts) {
    const StreamMachine::ReplyTo to = post.reply_to;
    if (to == StreamMachine::ReplyTo::kNobody) {
      shard_.Post(std::move(post.body));
      continue;
    }
    shard_.Call(std::move(post.body),
                [self = shared_from_this(), to](tcpip::Reply reply) {
                  self->OnReply(to, std::move(reply));
                });
  }
  if (actions.write.has_value()) {
    outgoing_ = *std::move(actions.write);
    StartWrite(&outgoing_);
  }
  if (actions.read) StartRead(&incoming_);
  if (actions.finish.has_value()) Finish(*actions.finish);
  if (actions.redeem.has_value()) {
    CarryOut(machine_.OnClaimed(redeem_(*actions.redeem)));
  }
}

}  // namespace netstack::service
