#include "tcpip/testing/app.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tcpip/testing/pattern.h"

namespace tcpip::sim {
namespace {

constexpr size_t kChunk = size_t{64} << 10;

bool ReachedFin(const Stack& stack, SocketId socket) {
  const auto readiness = stack.GetReadiness(socket);
  return readiness.ok() && readiness->read_closed;
}

// Reads and forgets up to `max_bytes`.
size_t Discard(Stack& stack, SocketId socket, size_t max_bytes, Instant now) {
  size_t total = 0;
  while (total < max_bytes) {
    const auto data = stack.TcpRecv(socket, max_bytes - total, now);
    if (!data.ok() || data->empty()) break;
    total += data->size();
  }
  return total;
}

}  // namespace

std::string ProblemOf(const char* who, const App* app) {
  const std::string problem =
      app == nullptr ? "no connection; " : app->Problem();
  return problem.empty() ? "" : absl::StrCat(who, ": ", problem);
}

bool App::EndIfDead(Stack& stack, SocketId socket, Instant now) {
  const auto error = stack.TcpGetError(socket);
  if (error.ok() && *error == tcp::TcpError::kNone) return false;
  End(error.ok() ? *error : tcp::TcpError::kAborted);
  stack.Close(socket, now).IgnoreError();
  return true;
}

std::string App::Problem() const {
  std::string problem;
  if (error_ != tcp::TcpError::kNone) {
    absl::StrAppend(&problem, "error ", static_cast<int>(error_), "; ");
  }
  if (!done_) absl::StrAppend(&problem, "not done; ");
  return problem;
}

Talker::Talker(const TalkPlan& plan) : plan_(plan), buffer_(kChunk) {}

Instant Talker::Step(Stack& stack, SocketId socket, Instant now) {
  if (EndIfDead(stack, socket, now)) return Instant::Never();
  if (!started_at_) {
    started_at_ = now;
    next_read_ = now + plan_.read_after;
  }
  const Instant next_read = Read(stack, socket, now);
  Write(stack, socket, now);
  if (fin_ != Fin::kBoth) return std::min(next_read, NextBurst(now));
  if (const auto info = stack.TcpGetInfo(socket); info.ok()) last_info_ = *info;
  stack.Close(socket, now).IgnoreError();
  End();
  return Instant::Never();
}

uint64_t Talker::DueBytes(Instant now) const {
  if (plan_.write_interval == Duration::Zero()) return plan_.send_bytes;
  const auto bursts = static_cast<uint64_t>((now - *started_at_).nanoseconds() /
                                            plan_.write_interval.nanoseconds());
  return std::min(plan_.send_bytes, (bursts + 1) * plan_.write_bytes);
}

Instant Talker::NextBurst(Instant now) const {
  const uint64_t due = DueBytes(now);
  if (due == plan_.send_bytes) return Instant::Never();
  const auto bursts = static_cast<int64_t>(due / plan_.write_bytes);
  return *started_at_ + bursts * plan_.write_interval;
}

void Talker::Write(Stack& stack, SocketId socket, Instant now) {
  if (fin_ == Fin::kSent || fin_ == Fin::kBoth) return;
  const Pattern pattern(plan_.send_pattern);
  const uint64_t due = DueBytes(now);
  while (sent_ < due) {
    const auto part = MutableByteSpan(buffer_).first(
        std::min<uint64_t>(buffer_.size(), due - sent_));
    pattern.Fill(sent_, part);
    const auto taken = stack.TcpSendCopy(socket, part, now);
    sent_ += taken.value_or(0);
    if (taken.value_or(0) < part.size()) return;
  }
  if (due < plan_.send_bytes) return;
  if (plan_.fin_after_peer && fin_ != Fin::kReceived) return;
  if (stack.TcpCloseWrite(socket, now).ok()) {
    fin_ = fin_ == Fin::kReceived ? Fin::kBoth : Fin::kSent;
  }
}

Instant Talker::Read(Stack& stack, SocketId socket, Instant now) {
  if (fin_ == Fin::kReceived || fin_ == Fin::kBoth) return Instant::Never();
  const bool slow = plan_.read_interval > Duration::Zero();
  if (now < next_read_) return next_read_;
  const Pattern pattern(plan_.expect_pattern);
  size_t room = plan_.read_bytes;
  while (room > 0) {
    const auto data =
        stack.TcpRecv(socket, std::min(room, buffer_.size()), now);
    if (!data.ok() || data->empty()) break;
    const size_t n = data->CopyTo(buffer_);
    intact_ =
        intact_ && pattern.Mismatch(received_, ByteSpan(buffer_).first(n)) ==
                       received_ + n;
    received_ += n;
    last_received_at_ = now;
    if (slow) room -= n;
  }
  if (room > 0 && ReachedFin(stack, socket)) {
    last_received_at_ = now;
    fin_ = fin_ == Fin::kSent ? Fin::kBoth : Fin::kReceived;
    return Instant::Never();
  }
  if (slow) next_read_ = now + plan_.read_interval;
  return slow ? next_read_ : Instant::Never();
}

std::string Talker::Problem() const {
  std::string problem = App::Problem();
  if (!intact_) absl::StrAppend(&problem, "bytes are wrong; ");
  if (sent_ != plan_.send_bytes) {
    absl::StrAppend(&problem, "sent ", sent_, " of ", plan_.send_bytes, "; ");
  }
  if (received_ != plan_.expect_bytes) {
    absl::StrAppend(&problem, "received ", received_, " of ",
                    plan_.expect_bytes, "; ");
  }
  return problem;
}

Instant Echo::Step(Stack& stack, SocketId socket, Instant now) {
  if (EndIfDead(stack, socket, now)) return Instant::Never();
  while (true) {
    if (pending_.empty()) {
      auto data = stack.TcpRecv(socket, kChunk, now);
      if (!data.ok() || data->empty()) break;
      pending_ = *std::move(data);
    }
    if (!stack.TcpSend(socket, pending_, now).ok() || !pending_.empty()) {
      return Instant::Never();
    }
  }
  if (ReachedFin(stack, socket)) {
    stack.Close(socket, now).IgnoreError();
    End();
  }
  return Instant::Never();
}

Asker::Asker(const TurnPlan& plan)
    : plan_(plan), request_(plan.request_bytes) {}

Instant Asker::Step(Stack& stack, SocketId socket, Instant now) {
  if (EndIfDead(stack, socket, now)) return Instant::Never();
  const auto readiness = stack.GetReadiness(socket);
  if (!readiness.ok() || !readiness->connected) return Instant::Never();
  while (latencies_.size() < plan_.rounds) {
    if (written_ == 0) asked_at_ = now;
    if (written_ < request_.size()) {
      written_ +=
          stack.TcpSendCopy(socket, ByteSpan(request_).subspan(written_), now)
              .value_or(0);
    }
    read_ += Discard(stack, socket, plan_.response_bytes - read_, now);
    if (read_ < plan_.response_bytes) return Instant::Never();
    latencies_.push_back(now - asked_at_);
    written_ = read_ = 0;
  }
  stack.Close(socket, now).IgnoreError();
  End();
  return Instant::Never();
}

Answerer::Answerer(const TurnPlan& plan)
    : plan_(plan), response_(plan.response_bytes) {}

Instant Answerer::Step(Stack& stack, SocketId socket, Instant now) {
  if (EndIfDead(stack, socket, now)) return Instant::Never();
  while (true) {
    const size_t n = Discard(stack, socket, plan_.request_bytes - read_, now);
    read_ += n;
    if (read_ < plan_.request_bytes) break;
    read_ = 0;
    owed_ += response_.size();
  }
  while (owed_ > 0) {
    const auto part =
        ByteSpan(response_).first(std::min(owed_, response_.size()));
    const size_t taken = stack.TcpSendCopy(socket, part, now).value_or(0);
    owed_ -= taken;
    if (taken < part.size()) return Instant::Never();
  }
  if (ReachedFin(stack, socket)) {
    stack.Close(socket, now).IgnoreError();
    End();
  }
  return Instant::Never();
}

}  // namespace tcpip::sim
