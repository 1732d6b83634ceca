#include "service/shard_client.h"

#include <utility>
#include <vector>

namespace netstack::service {

using tcpip::Reply;

ShardClient::ShardClient(tcpip::CommandTarget& shard)
    : shard_(shard),
      replies_(std::make_shared<tcpip::ReplyQueue>()),
      dispatcher_([this] { Dispatch(); }) {}

ShardClient::~ShardClient() {
  replies_->Close();
  dispatcher_.join();
  // A completion may post once more; nobody answers that.
  absl::flat_hash_map<uint64_t, Completion> left = std::move(outstanding_);
  outstanding_.clear();
  for (auto& [cookie, done] : left) {
    done(Reply{.cookie = cookie,
               .status = absl::CancelledError("the service is stopping"),
               .body = {}});
  }
}

uint64_t ShardClient::Call(tcpip::command::Body body, Completion done) {
  uint64_t cookie;
  {
    std::lock_guard lock(mutex_);
    cookie = next_cookie_++;
    outstanding_.emplace(cookie, std::move(done));
  }
  absl::Status status =
      shard_.Post({.reply_to = {replies_, cookie}, .body = std::move(body)});
  if (!status.ok()) {
    replies_->Push(
        Reply{.cookie = cookie, .status = std::move(status), .body = {}});
  }
  return cookie;
}

void ShardClient::Post(tcpip::command::Body body) {
  Call(std::move(body), [](const Reply&) {});
}

void ShardClient::Cancel(uint64_t call) { Post(tcpip::command::Cancel{call}); }

void ShardClient::Dispatch() {
  std::vector<Reply> batch;
  while (replies_->WaitPopAll(batch)) {
    for (Reply& reply : batch) {
      Completion done;
      {
        std::lock_guard lock(mutex_);
        const auto found = outstanding_.find(reply.cookie);
        if (found == outstanding_.end()) continue;
        done = std::move(found->second);
        outstanding_.erase(found);
      }
      done(std::move(reply));
    }
    batch.clear();
  }
}

}  // namespace netstack::service
