// Socket: one place of the socket table, whatever its kind, with everything an
// event needs to be queued about it: its timer, its places in the lists of
// senders and of ready sockets. Nothing is allocated per event.
//
// Plain data. Kinds are one struct each; what they do is in tcp_flows and
// datagrams. Places never move.
#ifndef TCPIP_STACK_SOCKET_H_
#define TCPIP_STACK_SOCKET_H_

#include <cstdint>
#include <memory>
#include <variant>

#include "tcpip/base/intrusive_list.h"
#include "tcpip/network/interface_id.h"
#include "tcpip/stack/demux.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/stack_timer.h"
#include "tcpip/transport/icmp/echo.h"
#include "tcpip/transport/tcp/connection.h"
#include "tcpip/transport/tcp/listen.h"
#include "tcpip/transport/tcp/state.h"
#include "tcpip/transport/udp/endpoint.h"
#include "tcpip/wire/address.h"

namespace tcpip {

// A TCP connection of any state.
struct TcpSocket {
  FourTuple tuple;
  bool reachable = true;  // the tuple leads here: not CLOSED, not TIME-WAIT
  // As the counters last saw it.
  tcp::TcpState state = tcp::TcpState::kClosed;
  std::unique_ptr<tcp::Connection> connection;
  SocketId listener;  // where it waits to be accepted
};

struct ListenSocket {
  IpEndpoint local;
  BindRules rules;
  std::unique_ptr<tcp::Listener> listener;
  uint32_t half_open = 0;  // as the counters last saw it
};

struct UdpSocket {
  // As its user wanted. Connected, it sends from the endpoint's local().
  IpEndpoint bound;
  BindRules rules;
  std::unique_ptr<udp::Endpoint> endpoint;
};

struct EchoSocket {
  std::unique_ptr<icmp::EchoEndpoint> endpoint;
};

// Who holds the socket's id.
enum class SocketOwner : uint8_t {
  kUser,
  kListener,  // established, waits to be accepted
  kNobody,    // closed by its user, finishes by itself
};

struct ReadyTag;
struct SenderTag;

struct Socket : ListNode<Socket, ReadyTag>,
                ListNode<Socket, SenderTag>,
                StackTimer {
  Socket() : StackTimer(TimerUse::kSocket) {}

  uint32_t index = 0;  // in the table of its shard
  uint32_t generation = 0;
  InterfaceId interface = 0;  // where its packets leave
  SocketOwner owner = SocketOwner::kUser;
  uint8_t ready_now = 0;       // bits of readiness.h
  uint8_t ready_reported = 0;  // and those the user knows to be set
  uint8_t shard = 0;
  std::variant<std::monostate, TcpSocket, ListenSocket, UdpSocket, EchoSocket>
      kind;

  template <typename Kind>
  Kind* As() {
    return std::get_if<Kind>(&kind);
  }
  template <typename Kind>
  const Kind* As() const {
    return std::get_if<Kind>(&kind);
  }
  bool IsFree() const { return std::holds_alternative<std::monostate>(kind); }
  SocketId id() const { return {SocketId::SlotOf(shard, index), generation}; }
  bool IsInReadyList() const { return ListNode<Socket, ReadyTag>::IsLinked(); }
  bool IsInSenderList() const {
    return ListNode<Socket, SenderTag>::IsLinked();
  }
};

}  // namespace tcpip

#endif  // TCPIP_STACK_SOCKET_H_
