#include "client/stream.h"

#include <utility>

#include "client/stream_call.h"

namespace netstack {

Stream::Stream(std::unique_ptr<StreamCall> call) : call_(std::move(call)) {}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

absl::StatusOr<size_t> Stream::Read(std::span<uint8_t> to, Timeout timeout) {
  return call_->Read(to, timeout);
}

absl::Status Stream::Write(std::span<const uint8_t> data, Timeout timeout) {
  return call_->WriteData(data, timeout);
}

absl::Status Stream::Write(std::string_view data, Timeout timeout) {
  return Write(
      std::span(reinterpret_cast<const uint8_t*>(data.data()), data.size()),
      timeout);
}

absl::Status Stream::CloseWrite(Timeout timeout) {
  return call_->CloseWrite(timeout);
}

absl::Status Stream::Finish(Timeout timeout) {
  return call_->WaitClosed(timeout);
}

void Stream::Abort() { call_->Cancel(); }

const std::string& Stream::local() const { return call_->local(); }
const std::string& Stream::remote() const { return call_->remote(); }

}  // namespace netstack
