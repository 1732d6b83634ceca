// The states of RFC 9293 3.3.2 and the declared transition table.
//
// The table is data: NextState() is the only way a connection changes state,
// and a golden test prints the whole matrix. The table says which transitions
// exist; whether a segment causes one is decided in segment_arrives,
// handshake and closing.
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

// RFC 4022's tcpCurrEstab counts these two.
constexpr bool CountsAsEstablished(TcpState state) {
  return state == TcpState::kEstablished || state == TcpState::kCloseWait;
}

std::string_view ToString(TcpState state);  // as ss(8): "ESTAB", "FIN-WAIT-1"

// The labels on the arrows of RFC 9293 figure 5.
enum class TcpEvent : uint8_t {
  kPassiveOpen,
  kActiveOpen,
  kSyn,       // a SYN without an acceptable ACK
  kSynAck,    // a SYN that acknowledges ours
  kSynAcked,  // the ACK of our SYN
  kClose,     // the user has written everything
  kFinAcked,  // our FIN is acknowledged
  kFin,       // the peer's FIN is in order
  kTimeout,   // 2 MSL, or an orphan's FIN-WAIT-2
  kReset,     // RST either way, or retries used up
};
inline constexpr int kTcpEventCount = 10;

std::string_view ToString(TcpEvent event);

// nullopt: the event does not happen in this state.
std::optional<TcpState> NextState(TcpState state, TcpEvent event);

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_STATE_H_
