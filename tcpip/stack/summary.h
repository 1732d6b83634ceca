// What an operator sees of the socket table: one line per socket, in the
// order of slots, a page at a time. Names and columns follow ss(8).
#ifndef TCPIP_STACK_SUMMARY_H_
#define TCPIP_STACK_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tcpip/stack/socket.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/socket_table.h"
#include "tcpip/transport/tcp/state.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip {

struct SocketSummary {
  SocketId socket;  // not valid when its user has gone
  bool is_listener = false;
  uint8_t protocol = wire::kTcp;  // IP protocol number
  FourTuple tuple;
  tcp::TcpState state = tcp::TcpState::kClosed;
  // Bytes unacknowledged or unsent; listener: backlog.
  uint64_t send_queue = 0;
  // Bytes readable; listener: accept queue length; UDP: memory held.
  uint64_t receive_queue = 0;
};

// Both ends as far as the socket has them; echo sockets show their identifier
// as the local port.
FourTuple TupleOf(const Socket& socket);

// The socket must not be free.
SocketSummary Summarize(const Socket& socket);

// Up to `max` sockets from slot `cursor` on, which may name the shard as an id
// does; sets cursor to where to go on, or 0 at the end. O(slots looked at).
std::vector<SocketSummary> ListSummaries(const SocketTable& table,
                                         uint32_t& cursor, size_t max);

}  // namespace tcpip

#endif  // TCPIP_STACK_SUMMARY_H_
