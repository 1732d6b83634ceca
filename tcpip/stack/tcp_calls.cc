#include "tcpip/stack/tcp_calls.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "tcpip/transport/tcp/state.h"

namespace tcpip {
namespace {

bool MaySend(tcp::TcpState state) {
  switch (state) {
    case tcp::TcpState::kSynSent:
    case tcp::TcpState::kSynReceived:
    case tcp::TcpState::kEstablished:
    case tcp::TcpState::kCloseWait:
      return true;
    default:
      return false;
  }
}

absl::Status CheckMaySend(const TcpSocket& flow) {
  const tcp::TcpState state = flow.connection->state();
  if (MaySend(state)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "nothing can be sent in state ", std::string(tcp::ToString(state))));
}

}  // namespace

absl::StatusOr<size_t> TcpCalls::Send(Socket& socket, ViewChain& data,
                                      Instant now) {
  TcpSocket& flow = *socket.As<TcpSocket>();
  if (absl::Status status = CheckMaySend(flow); !status.ok()) return status;
  const size_t taken = flow.connection->Send(data);
  flows_.Settle(socket, now);
  return taken;
}

absl::StatusOr<size_t> TcpCalls::SendCopy(Socket& socket, ByteSpan data,
                                          Instant now) {
  TcpSocket& flow = *socket.As<TcpSocket>();
  if (absl::Status status = CheckMaySend(flow); !status.ok()) return status;
  const size_t taken = flow.connection->SendCopy(data);
  flows_.Settle(socket, now);
  return taken;
}

absl::Status TcpCalls::CloseWrite(Socket& socket, Instant now) {
  TcpSocket& flow = *socket.As<TcpSocket>();
  const tcp::TcpState state = flow.connection->state();
  if (!MaySend(state) && state != tcp::TcpState::kClosed) {
    return absl::OkStatus();  // done already
  }
  if (absl::Status status = CheckMaySend(flow); !status.ok()) return status;
  flow.connection->CloseWrite();
  flows_.Settle(socket, now);
  return absl::OkStatus();
}

ViewChain TcpCalls::Recv(Socket& socket, size_t max_bytes, Instant now) {
  ViewChain data = socket.As<TcpSocket>()->connection->Recv(max_bytes);
  flows_.Settle(socket, now);
  return data;
}

}  // namespace tcpip
