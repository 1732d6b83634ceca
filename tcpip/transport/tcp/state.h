// The states of RFC 9293 3.3.2 and the declared transition table.
//
// The table is data: NextState() is the only way a connection changes state,
// and a golden test prints the whole matrix.
#ifndef TCPIP_TRANSPORT_TCP_STATE_H_
#define TCPIP_TRANSPORT_TCP_STATE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace tcpip::tcp {

enum class TcpState : uint8_t {
  kClosed,
  kListen,
  kSynSent,
  kSynReceived,
  kEstablished,
  kFinWait1,
  kFinWait2,
  kCloseWait,
  kClosing,
  kLastAck,
  kTimeWait,
};
inline constexpr int kTcpStateCount = 11;

std::string_view ToString(TcpState state);  // as ss(8): "ESTAB", "FIN-WAIT-1"

// States in which both sides have seen each other's SYN. [RFC 9293 3.3.2]
constexpr bool IsSynchronized(TcpState s) { return s >= TcpState::kEstablished; }

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_STATE_H_
