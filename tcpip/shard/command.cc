#include "tcpip/shard/command.h"

#include <utility>

namespace tcpip {

bool ReplyTo::Answer(absl::StatusOr<reply::Body> answer) const {
  Reply reply;
  if (answer.ok()) {
    reply.body = *std::move(answer);
  } else {
    reply.status = std::move(answer).status();
  }
  return Pass(std::move(reply));
}

bool ReplyTo::Pass(Reply&& reply) const {
  if (sink_ == nullptr) return false;
  reply.cookie = cookie_;
  return sink_->Push(std::move(reply));
}

}  // namespace tcpip
