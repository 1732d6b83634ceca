#include "client/stream_call.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "client/status.h"

namespace netstack {
namespace {

constexpr char kMethod[] = "/netstack.v1.Sockets/Stream";
// What the daemon takes in one message, and a size that streams well.
constexpr size_t kMaxMessageBytes = size_t{256} << 10;

grpc::ByteBuffer Encode(const v1::StreamRequest& request) {
  const grpc::Slice slice(request.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

// StreamRequest{data}: a tag and a length before one slice of payload.
grpc::ByteBuffer EncodeData(std::span<const uint8_t> data) {
  uint8_t header[1 + 5];
  size_t n = 0;
  header[n++] = v1::StreamRequest::kDataFieldNumber << 3 | 2;
  size_t length = data.size();
  for (; length >= 0x80; length >>= 7) {
    header[n++] = static_cast<uint8_t>(length | 0x80);
  }
  header[n++] = static_cast<uint8_t>(length);
  const grpc::Slice slices[2] = {grpc::Slice(header, n),
                                 grpc::Slice(data.data(), data.size())};
  return grpc::ByteBuffer(slices, 2);
}

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
  call->outgoing_ = Encode(request);
  call->writing_ = true;
  call->StartWrite(&call->outgoing_);
  call->ReadAhead();
  call->StartCall();
  const bool in_time = WaitFor(call->changed_, lock, timeout, [&] {
    return call->opened_ || call->done_.has_value();
  });
  if (!in_time) {
    return absl::DeadlineExceededError("the connection was not opened in time");
  }
  if (!call->opened_) return call->WhyEnded();
  return call;
}

StreamCall::~StreamCall() {
  std::unique_lock lock(mutex_);
  if (!closed_) context_.TryCancel();
  changed_.wait(lock, [this] { return done_.has_value(); });
}

absl::StatusOr<size_t> StreamCall::Read(std::span<uint8_t> to,
                                        Timeout timeout) {
  std::unique_lock lock(mutex_);
  const bool in_time = WaitFor(changed_, lock, timeout, [&] {
    return data_at_ < data_.size() || eof_ || reset_.has_value() ||
           done_.has_value();
  });
  if (!in_time) return absl::DeadlineExceededError("nothing to read in time");
  if (data_at_ < data_.size()) {
    const size_t n = std::min(to.size(), data_.size() - data_at_);
    std::memcpy(to.data(), data_.data() + data_at_, n);
    data_at_ += n;
    if (data_at_ == data_.size()) ReadAhead();
    return n;
  }
  if (reset_.has_value() || !eof_) return WhyEnded();
  return 0;
}

absl::Status StreamCall::WriteData(std::span<const uint8_t> data,
                                   Timeout timeout) {
  std::unique_lock lock(mutex_);
  while (!data.empty()) {
    const size_t n = std::min(data.size(), kMaxMessageBytes);
    absl::Status status =
        StartMessage(EncodeData(data.first(n)), timeout, lock);
    if (!status.ok()) return status;
    data = data.subspan(n);
  }
  return absl::OkStatus();
}

absl::Status StreamCall::CloseWrite(Timeout timeout) {
  v1::StreamRequest request;
  request.mutable_eof();
  std::unique_lock lock(mutex_);
  return StartMessage(Encode(request), timeout, lock);
}

absl::Status StreamCall::WaitClosed(Timeout timeout) {
  std::unique_lock lock(mutex_);
  const bool in_time = WaitFor(changed_, lock, timeout, [&] {
    if (data_at_ < data_.size()) {
      data_at_ = data_.size();
      ReadAhead();
    }
    return done_.has_value();
  });
  if (!in_time) return absl::DeadlineExceededError("not closed in time");
  return closed_ && !reset_.has_value() ? absl::OkStatus() : WhyEnded();
}

void StreamCall::Cancel() { context_.TryCancel(); }

absl::Status StreamCall::StartMessage(grpc::ByteBuffer message, Timeout timeout,
                                      std::unique_lock<std::mutex>& lock) {
  const bool in_time = WaitFor(changed_, lock, timeout, [&] {
    return !writing_ || reset_.has_value() || done_.has_value();
  });
  if (!in_time) {
    return absl::DeadlineExceededError("the peer takes no more data in time");
  }
  if (reset_.has_value() || done_.has_value()) return WhyEnded();
  outgoing_ = std::move(message);
  writing_ = true;
  StartWrite(&outgoing_);
  return absl::OkStatus();
}

void StreamCall::ReadAhead() {
  if (reading_ || done_.has_value()) return;
  data_.clear();
  data_at_ = 0;
  reading_ = true;
  StartRead(&incoming_);
}

void StreamCall::OnReadDone(bool ok) {
  std::lock_guard lock(mutex_);
  reading_ = false;
  if (ok) {
    TakeMessage(incoming_);
    incoming_.Clear();
    // Unread data stops the reading: that is the back-pressure.
    if (data_at_ == data_.size()) ReadAhead();
  }
  changed_.notify_all();
}

void StreamCall::TakeMessage(const grpc::ByteBuffer& message) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!message.Dump(&slices).ok()) return;
  bytes.reserve(message.Length());
  for (const grpc::Slice& s : slices) {
    bytes.append(reinterpret_cast<const char*>(s.begin()), s.size());
  }
  v1::StreamResponse response;
  if (!response.ParseFromString(bytes)) return;
  switch (response.message_case()) {
    case v1::StreamResponse::kOpened:
      local_ = response.opened().local();
      remote_ = response.opened().remote();
      opened_ = true;
      break;
    case v1::StreamResponse::kData:
      data_ = std::move(*response.mutable_data());
      data_at_ = 0;
      break;
    case v1::StreamResponse::kEof:
      eof_ = true;
      break;
    case v1::StreamResponse::kReset:
      reset_ = response.reset().reason();
      break;
    case v1::StreamResponse::kClosed:
      closed_ = true;
      break;
    case v1::StreamResponse::MESSAGE_NOT_SET:
      break;
  }
}

void StreamCall::OnWriteDone(bool) {
  std::lock_guard lock(mutex_);
  writing_ = false;
  outgoing_.Clear();
  changed_.notify_all();
}

void StreamCall::OnDone(const grpc::Status& status) {
  std::lock_guard lock(mutex_);
  done_ = status;
  changed_.notify_all();
}

absl::Status StreamCall::WhyEnded() const {
  if (reset_.has_value()) return ResetStatus(*reset_);
  if (done_.has_value() && !done_->ok()) return FromGrpc(*done_);
  return absl::AbortedError("the stream has ended");
}

}  // namespace netstack
