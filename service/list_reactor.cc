#include "service/list_reactor.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "service/convert.h"

namespace netstack::service {

constexpr uint32_t kPageSize = 256;

ListReactor* ListReactor::Start(ShardClient& shard,
                                const v1::ListConnectionsRequest& request) {
  std::shared_ptr<ListReactor> self(new ListReactor(shard, request));
  self->self_ = self;
  std::lock_guard lock(self->mutex_);
  self->Ask();
  return self.get();
}

void ListReactor::Ask() {
  shard_.Call(tcpip::command::ListSockets{.cursor = cursor_,
                                          .max = std::min(left_, kPageSize),
                                          .with_info = with_info_},
              [self = shared_from_this()](tcpip::Reply reply) {
                self->OnPage(std::move(reply));
              });
}

void ListReactor::OnPage(tcpip::Reply reply) {
  std::lock_guard lock(mutex_);
  if (ended_) return;
  if (!reply.status.ok()) return End(ToGrpc(reply.status));
  const auto& sockets = std::get<tcpip::reply::Sockets>(reply.body);
  page_.clear();
  next_ = 0;
  for (const auto& entry : sockets.entries) page_.push_back(ToProto(entry));
  left_ -= std::min<uint32_t>(left_, static_cast<uint32_t>(page_.size()));
  cursor_ = sockets.next_cursor;
  Continue();
}

void ListReactor::Continue() {
  if (next_ < page_.size()) {
    StartWrite(&page_[next_++]);
  } else if (cursor_ != 0 && left_ > 0) {
    Ask();
  } else {
    End(grpc::Status::OK);
  }
}

void ListReactor::OnWriteDone(bool ok) {
  std::lock_guard lock(mutex_);
  if (ok && !ended_) Continue();
}

void ListReactor::OnCancel() {
  std::lock_guard lock(mutex_);
  if (!ended_) End(grpc::Status::CANCELLED);
}

void ListReactor::End(const grpc::Status& why) {
  ended_ = true;
  Finish(why);
}

void ListReactor::OnDone() {
  const std::shared_ptr<ListReactor> last = std::move(self_);
}

}  // namespace netstack::service
