#include "service/call_gate.h"

#include "absl/strings/str_cat.h"

namespace netstack::service {

absl::Status CallGate::Enter() {
  std::lock_guard lock(mutex_);
  if (closed_) {
    ++refused_;
    return absl::UnavailableError("the daemon is stopping");
  }
  if (inside_ >= limit_) {
    ++refused_;
    return absl::ResourceExhaustedError(absl::StrCat(
        "all ", limit_, " streams are in use; --max-streams raises the limit"));
  }
  ++inside_;
  return absl::OkStatus();
}

void CallGate::Leave() {
  std::lock_guard lock(mutex_);
  if (--inside_ == 0) emptied_.notify_all();
}

void CallGate::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
}

bool CallGate::WaitEmpty(std::chrono::nanoseconds at_most) {
  std::unique_lock lock(mutex_);
  return emptied_.wait_for(lock, at_most, [this] { return inside_ == 0; });
}

uint32_t CallGate::inside() const {
  std::lock_guard lock(mutex_);
  return inside_;
}

uint64_t CallGate::refused() const {
  std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace netstack::service
