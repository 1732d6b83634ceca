#include "client/listener.h"

#include <utility>

#include "client/status.h"
#include "client/stream_call.h"

namespace netstack {

// Claims expire: do not take more than the program is likely to accept soon.
constexpr size_t kReadAhead = 16;

absl::StatusOr<std::unique_ptr<Listener>> Listener::Open(
    std::shared_ptr<grpc::Channel> channel, const v1::ListenRequest& request,
    Timeout timeout) {
  std::unique_ptr<Listener> listener(new Listener(std::move(channel)));
  listener->reader_ = listener->stub_->Listen(&listener->context_, request);
  listener->reading_ = std::thread([raw = listener.get()] { raw->ReadLoop(); });
  absl::Status status = listener->WaitListening(timeout);
  if (!status.ok()) return status;
  return listener;
}

absl::Status Listener::WaitListening(Timeout timeout) {
  std::unique_lock lock(mutex_);
  const bool in_time = WaitFor(changed_, lock, timeout, [this] {
    return !local_.empty() || ended_.has_value();
  });
  if (!in_time) return absl::DeadlineExceededError("the daemon is silent");
  return local_.empty() ? *ended_ : absl::OkStatus();
}

Listener::~Listener() {
  Close();
  if (reading_.joinable()) reading_.join();
}

void Listener::ReadLoop() {
  v1::ListenEvent event;
  while (reader_->Read(&event)) {
    std::unique_lock lock(mutex_);
    if (event.has_listening()) {
      local_ = event.listening().local();
      changed_.notify_all();
    }
    if (!event.has_incoming()) continue;
    waiting_.push_back(event.incoming());
    changed_.notify_all();
    changed_.wait(lock, [this] {
      return waiting_.size() < kReadAhead || ended_.has_value();
    });
  }
  const absl::Status status = FromGrpc(reader_->Finish());
  std::lock_guard lock(mutex_);
  if (!ended_.has_value()) {
    ended_ =
        status.ok() ? absl::UnavailableError("the listener ended") : status;
  }
  changed_.notify_all();
}

absl::StatusOr<Stream> Listener::Accept(Timeout timeout) {
  for (;;) {
    v1::Incoming incoming;
    {
      std::unique_lock lock(mutex_);
      const bool in_time = WaitFor(changed_, lock, timeout, [&] {
        return !waiting_.empty() || ended_.has_value();
      });
      if (!in_time) return absl::DeadlineExceededError("nobody connected");
      if (waiting_.empty()) return *ended_;
      incoming = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
    }
    v1::Open open;
    open.mutable_claim()->set_token(incoming.token());
    auto call = StreamCall::Open(channel_, open, timeout);
    if (call.ok()) return Stream(*std::move(call));
    // Claimed too late: the peer was reset, the next one may wait already.
    if (call.status().code() != absl::StatusCode::kNotFound) {
      return call.status();
    }
  }
}

void Listener::Close() {
  {
    std::lock_guard lock(mutex_);
    if (!ended_.has_value()) ended_ = absl::CancelledError("listener closed");
    waiting_.clear();
  }
  changed_.notify_all();
  context_.TryCancel();
}

}  // namespace netstack
