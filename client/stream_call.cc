#include "client/stream_call.h"

#include <algorithm>
#include <utility>

#include "client/status.h"

namespace netstack {
namespace {

constexpr char kMethod[] = "/netstack.v1.Sockets/Stream";
// Less than the daemon takes in one message; a size that streams well.
constexpr size_t kMaxMessageBytes = size_t{256} << 10;

absl::Status ResetStatus(v1::Reset::Reason reason) {
  switch (reason) {
    case v1::Reset::TIMED_OUT:
      return absl::AbortedError("connection timed out");
    case v1::Reset::UNREACHABLE:
      return absl::AbortedError("peer became unreachable");
    case v1::Reset::SHUTDOWN:
      return absl::AbortedError("the daemon stopped");
    case v1::Reset::ABORTED:
      return absl::AbortedError("connection aborted");
    default:
      return absl::AbortedError("connection reset by peer");
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<StreamCall>> StreamCall::Open(
    const std::shared_ptr<grpc::Channel>& channel, const v1::Open& open,
    Timeout timeout) {
  std::unique_ptr<StreamCall> call(new StreamCall(channel));
  call->stub_.PrepareBidiStreamingCall(&call->context_, kMethod,
                                       grpc::StubOptions(), call.get());
  v1::StreamRequest request;
  *request.mutable_open() = open;
  std::unique_lock lock(call->mutex_);
  // Reads and writes are started by callers, not only by reactions. The hold
  // lasts until a read has failed: nothing is started after that.
  call->AddHold();
  call->outgoing_ = EncodeRequest(request);
  call->writing_ = true;
  call->StartWrite(&call->outgoing_);
  call->ReadAhead();
  call->StartCall();
  const bool in_time = WaitFor(call->changed_, lock, timeout, [&] {
    return call->heard_.opened || call->done_.has_value();
  });
  if (!in_time) {
    return absl::DeadlineExceededError("the connection was not opened in time");
  }
  if (!call->heard_.opened) return call->WhyEnded();
  return call;
}

StreamCall::~StreamCall() {
  Cancel();  // of no effect once the call has ended
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_.has_value(); });
}

absl::StatusOr<size_t> StreamCall::Read(std::span<uint8_t> to,
                                        Timeout timeout) {
  std::unique_lock lock(mutex_);
  const bool in_time = WaitFor(changed_, lock, timeout, [&] {
    return !payload_.empty() || heard_.eof || IsOver();
  });
  if (!in_time) return absl::DeadlineExceededError("nothing to read in time");
  if (!payload_.empty()) {
    const size_t n = payload_.Read(to);
    if (payload_.empty()) ReadAhead();
    return n;
  }
  if (heard_.reset.has_value() || !heard_.eof) return WhyEnded();
  return 0;
}

absl::Status StreamCall::WriteData(std::span<const uint8_t> data,
                                   Timeout timeout) {
  std::unique_lock lock(mutex_);
  while (!data.empty()) {
    const size_t n = std::min(data.size(), kMaxMessageBytes);
    absl::Status status =
        StartMessage(EncodeDataRequest(data.first(n)), timeout, lock);
    if (!status.ok()) return status;
    data = data.subspan(n);
  }
  return absl::OkStatus();
}

absl::Status StreamCall::CloseWrite(Timeout timeout) {
  v1::StreamRequest request;
  request.mutable_eof();
  std::unique_lock lock(mutex_);
  if (sending_ == Sending::kClosed) return absl::OkStatus();
  absl::Status status = StartMessage(EncodeRequest(request), timeout, lock);
  if (status.ok()) sending_ = Sending::kClosed;
  return status;
}

absl::Status StreamCall::WaitClosed(Timeout timeout) {
  std::unique_lock lock(mutex_);
  Discard();
  const bool in_time =
      WaitFor(changed_, lock, timeout, [&] { return done_.has_value(); });
  if (!in_time) return absl::DeadlineExceededError("not closed in time");
  return heard_.closed && !heard_.reset.has_value() ? absl::OkStatus()
                                                    : WhyEnded();
}

void StreamCall::Cancel() {
  context_.TryCancel();
  // Unread data would keep the end from being seen.
  std::lock_guard lock(mutex_);
  sending_ = Sending::kBroken;
  Discard();
}

absl::Status StreamCall::StartMessage(const grpc::ByteBuffer& message,
                                      Timeout timeout,
                                      std::unique_lock<std::mutex>& lock) {
  // After a write that failed, the reason is on its way.
  const bool in_time = WaitFor(changed_, lock, timeout, [&] {
    return IsOver() || sending_ == Sending::kClosed ||
           (sending_ == Sending::kOpen && !writing_);
  });
  if (!in_time) {
    return absl::DeadlineExceededError("the peer takes no more data in time");
  }
  if (IsOver()) return WhyEnded();
  if (sending_ == Sending::kClosed) {
    return absl::FailedPreconditionError("written after CloseWrite");
  }
  outgoing_ = message;
  writing_ = true;
  StartWrite(&outgoing_);
  return absl::OkStatus();
}

void StreamCall::Discard() {
  discard_ = true;
  payload_ = Payload();
  ReadAhead();
}

void StreamCall::ReadAhead() {
  if (reading_ != Reading::kIdle) return;
  reading_ = Reading::kBusy;
  StartRead(&incoming_);
}

void StreamCall::OnReadDone(bool ok) {
  std::lock_guard lock(mutex_);
  reading_ = Reading::kIdle;
  if (ok) {
    TakeMessage(incoming_);
    incoming_.Clear();
    if (discard_) payload_ = Payload();
    // Unread data stops the reading: that is the back-pressure.
    if (payload_.empty() || sending_ == Sending::kBroken) ReadAhead();
  } else {
    sending_ = Sending::kBroken;
    reading_ = Reading::kOver;
    RemoveHold();
  }
  changed_.notify_all();
}

void StreamCall::TakeMessage(const grpc::ByteBuffer& message) {
  std::optional<DecodedResponse> response = DecodeResponse(message);
  if (!response.has_value()) return;
  switch (response->message.message_case()) {
    case v1::StreamResponse::kOpened:
      local_ = response->message.opened().local();
      remote_ = response->message.opened().remote();
      heard_.opened = true;
      break;
    case v1::StreamResponse::kEof:
      heard_.eof = true;
      break;
    case v1::StreamResponse::kReset:
      heard_.reset = response->message.reset().reason();
      break;
    case v1::StreamResponse::kClosed:
      heard_.closed = true;
      break;
    case v1::StreamResponse::kData:
    case v1::StreamResponse::MESSAGE_NOT_SET:
      payload_.Append(std::move(response->payload));
      break;
  }
}

void StreamCall::OnWriteDone(bool ok) {
  std::lock_guard lock(mutex_);
  writing_ = false;
  outgoing_.Clear();
  if (!ok) {
    sending_ = Sending::kBroken;
    ReadAhead();
  }
  changed_.notify_all();
}

void StreamCall::OnDone(const grpc::Status& status) {
  std::lock_guard lock(mutex_);
  done_ = status;
  changed_.notify_all();
}

absl::Status StreamCall::WhyEnded() const {
  if (heard_.reset.has_value()) return ResetStatus(*heard_.reset);
  if (done_.has_value() && !done_->ok()) return FromGrpc(*done_);
  return absl::AbortedError("the stream has ended");
}

}  // namespace netstack
