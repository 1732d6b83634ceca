#include "service/listen_reactor.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "service/convert.h"

namespace netstack::service {

namespace command = tcpip::command;

// Enough to keep claims coming while the next reports are under way.
constexpr uint32_t kMaxUnclaimed = 32;

ListenReactor* ListenReactor::Start(ShardClient& shard, ClaimDesk& desk,
                                    const v1::ListenRequest& request,
                                    OnEnded on_done) {
  std::shared_ptr<ListenReactor> self(
      new ListenReactor(shard, desk, std::move(on_done)));
  self->self_ = self;
  self->id_ = desk.NewListener([self] { self->OnClaimGone(); });
  absl::StatusOr<command::TcpListen> listen = ToListen(request);
  std::lock_guard lock(self->mutex_);
  if (!listen.ok()) {
    self->End(ToGrpc(listen.status()));
  } else {
    self->settings_ = listen->options.settings;
    self->max_unclaimed_ = std::min(listen->options.backlog, kMaxUnclaimed);
    shard.Call(*std::move(listen), [self](tcpip::Reply reply) {
      self->OnListening(std::move(reply));
    });
  }
  return self.get();
}

void ListenReactor::OnListening(tcpip::Reply reply) {
  std::lock_guard lock(mutex_);
  if (!reply.status.ok()) {
    if (!ended_) End(ToGrpc(reply.status));
    return;
  }
  const auto& opened = std::get<tcpip::reply::Opened>(reply.body);
  if (ended_) {
    shard_.Post(command::Close{opened.socket});
    return;
  }
  listener_ = opened.socket;
  event_.mutable_listening()->set_local(opened.tuple.local.ToString());
  StartWrite(&event_);
}

void ListenReactor::OnWriteDone(bool ok) {
  std::lock_guard lock(mutex_);
  if (!ok || ended_) return;
  if (unclaimed_ < max_unclaimed_) {
    Accept();
  } else {
    awaits_claim_ = true;
  }
}

void ListenReactor::OnClaimGone() {
  std::lock_guard lock(mutex_);
  --unclaimed_;
  if (std::exchange(awaits_claim_, false) && !ended_) Accept();
}

void ListenReactor::Accept() {
  shard_.Call(command::TcpAccept{*listener_},
              [self = shared_from_this()](tcpip::Reply reply) {
                self->OnAccepted(std::move(reply));
              });
}

void ListenReactor::OnAccepted(tcpip::Reply reply) {
  std::lock_guard lock(mutex_);
  if (!reply.status.ok()) {
    if (!ended_) End(ToGrpc(reply.status));
    return;
  }
  const auto& opened = std::get<tcpip::reply::Opened>(reply.body);
  if (ended_) {
    shard_.Post(command::Abort{opened.socket});
    return;
  }
  ++unclaimed_;
  v1::Incoming* incoming = event_.mutable_incoming();
  incoming->set_token(
      desk_.Issue({opened.socket, opened.tuple, settings_, id_}));
  incoming->set_local(opened.tuple.local.ToString());
  incoming->set_remote(opened.tuple.remote.ToString());
  incoming->set_claim_within_ms(
      static_cast<uint32_t>(desk_.lifetime().milliseconds()));
  StartWrite(&event_);
}

void ListenReactor::OnCancel() {
  std::lock_guard lock(mutex_);
  if (!ended_) End(grpc::Status::CANCELLED);
}

void ListenReactor::Stop() {
  std::lock_guard lock(mutex_);
  if (!ended_) {
    End({grpc::StatusCode::UNAVAILABLE, "the daemon is stopping"});
  }
}

void ListenReactor::End(const grpc::Status& why) {
  ended_ = true;
  if (listener_.has_value()) shard_.Post(command::Close{*listener_});
  desk_.Revoke(id_);
  Finish(why);
}

void ListenReactor::OnDone() {
  on_done_(this);
  const std::shared_ptr<ListenReactor> last = std::move(self_);
}

}  // namespace netstack::service
