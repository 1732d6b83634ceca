// User calls on one TCP connection: what a status says before the connection
// is asked, and what has to be settled after. Opening and closing are in
// tcp_flows.
#ifndef TCPIP_STACK_TCP_CALLS_H_
#define TCPIP_STACK_TCP_CALLS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/time.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/stack/socket.h"
#include "tcpip/stack/tcp_flows.h"

namespace tcpip {

class TcpCalls {
 public:
  explicit TcpCalls(TcpFlows& flows) : flows_(flows) {}

  // The socket must be a TcpSocket. FAILED_PRECONDITION once nothing can be
  // sent any more.
  absl::StatusOr<size_t> Send(Socket& socket, ViewChain& data, Instant now);
  absl::StatusOr<size_t> SendCopy(Socket& socket, ByteSpan data, Instant now);
  absl::Status CloseWrite(Socket& socket, Instant now);

  ViewChain Recv(Socket& socket, size_t max_bytes, Instant now);

 private:
  TcpFlows& flows_;
};

}  // namespace tcpip

#endif  // TCPIP_STACK_TCP_CALLS_H_
