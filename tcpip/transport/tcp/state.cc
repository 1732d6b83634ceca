#include "tcpip/transport/tcp/state.h"

namespace tcpip::tcp {
namespace {

using enum TcpState;
using enum TcpEvent;

struct Transition {
  TcpState from;
  TcpEvent event;
  TcpState to;
};

// [RFC 9293 3.3.2] figure 5. A FIN that is asked for before the handshake is
// over waits for ESTABLISHED (3.10.4 allows it), so SYN-SENT and SYN-RECEIVED
// have no arrow for it.
constexpr Transition kTransitions[] = {
    {kClosed, kPassiveOpen, kListen},  {kClosed, kActiveOpen, kSynSent},
    {kListen, kSyn, kSynReceived},     {kListen, kClose, kClosed},
    {kSynSent, kSyn, kSynReceived},    {kSynSent, kSynAck, kEstablished},
    {kSynSent, kReset, kClosed},       {kSynReceived, kSynAcked, kEstablished},
    {kSynReceived, kReset, kClosed},   {kEstablished, kClose, kFinWait1},
    {kEstablished, kFin, kCloseWait},  {kEstablished, kReset, kClosed},
    {kFinWait1, kFinAcked, kFinWait2}, {kFinWait1, kFin, kClosing},
    {kFinWait1, kReset, kClosed},      {kFinWait2, kFin, kTimeWait},
    {kFinWait2, kTimeout, kClosed},    {kFinWait2, kReset, kClosed},
    {kCloseWait, kClose, kLastAck},    {kCloseWait, kReset, kClosed},
    {kClosing, kFinAcked, kTimeWait},  {kClosing, kReset, kClosed},
    {kLastAck, kFinAcked, kClosed},    {kLastAck, kReset, kClosed},
    {kTimeWait, kSyn, kSynReceived},   {kTimeWait, kTimeout, kClosed},
    {kTimeWait, kReset, kClosed},
};

constexpr std::string_view kStateNames[kTcpStateCount] = {
    "UNCONN",  "LISTEN",     "SYN-SENT",   "SYN-RECV",
    "ESTAB",   "FIN-WAIT-1", "FIN-WAIT-2", "CLOSE-WAIT",
    "CLOSING", "LAST-ACK",   "TIME-WAIT",
};

constexpr std::string_view kEventNames[kTcpEventCount] = {
    "passive-open", "active-open", "syn", "syn-ack", "syn-acked",
    "close",        "fin-acked",   "fin", "timeout", "reset",
};

}  // namespace

std::string_view ToString(TcpState state) {
  return kStateNames[static_cast<int>(state)];
}

std::string_view ToString(TcpEvent event) {
  return kEventNames[static_cast<int>(event)];
}

std::optional<TcpState> NextState(TcpState state, TcpEvent event) {
  for (const Transition& t : kTransitions) {
    if (t.from == state && t.event == event) return t.to;
  }
  return std::nullopt;
}

}  // namespace tcpip::tcp
