// The receive side of explicit congestion notification: a mark (CE) that a
// router has set is echoed in every ACK until the peer's CWR answers it.
// RFC 3168 6.1.3.
//
// Owned by Receiver, called with data that is accepted. The other side is
// congestion/ecn_signal.
#ifndef TCPIP_TRANSPORT_TCP_RECEIVE_ECN_ECHO_H_
#define TCPIP_TRANSPORT_TCP_RECEIVE_ECN_ECHO_H_

#include <cstdint>

namespace tcpip::tcp {

class EcnEcho {
 public:
  // `agreed`: by both ends, in the handshake; else marks mean nothing.
  explicit EcnEcho(bool agreed)
      : state_(agreed ? State::kQuiet : State::kOff) {}

  // True when this is news, of which the peer should hear at once.
  bool OnData(bool marked, bool cwr) {
    if (state_ == State::kOff) return false;
    const State before = state_;
    // CWR ends the echo of older marks, not of one beside it.
    if (cwr) state_ = State::kQuiet;
    const State answered = state_;
    if (marked) state_ = State::kEchoes;
    return answered != before || state_ != answered;
  }
  // Whether an ACK that leaves now has ECE.
  bool echoes() const { return state_ == State::kEchoes; }

 private:
  enum class State : uint8_t { kOff, kQuiet, kEchoes };

  State state_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECEIVE_ECN_ECHO_H_
