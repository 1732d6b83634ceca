#include "tcpip/shard/errors.h"

namespace tcpip {

absl::Status StatusOf(tcp::TcpError error) {
  switch (error) {
    case tcp::TcpError::kNone:
      return absl::OkStatus();
    case tcp::TcpError::kRefused:
      return absl::UnavailableError("connection refused");
    case tcp::TcpError::kReset:
      return absl::AbortedError("connection reset by peer");
    case tcp::TcpError::kTimedOut:
      return absl::DeadlineExceededError("timed out");
    case tcp::TcpError::kNetUnreachable:
      return absl::UnavailableError("network unreachable");
    case tcp::TcpError::kUnreachable:
      return absl::UnavailableError("destination unreachable");
    case tcp::TcpError::kProtocol:
      return absl::UnavailableError("protocol error reported on the way");
    case tcp::TcpError::kAborted:
      return absl::CancelledError("connection aborted");
  }
  return absl::InternalError("unknown TCP error");
}

absl::Status NotTakenAfterStop() {
  return absl::UnavailableError("the shard has stopped");
}

absl::Status CancelledByStop() {
  return absl::CancelledError("the shard has stopped");
}

absl::Status CancelledByClose() {
  return absl::CancelledError("the socket was closed");
}

absl::Status TooManyPending() {
  return absl::ResourceExhaustedError("too many pending commands");
}

}  // namespace tcpip
