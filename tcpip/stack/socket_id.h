// SocketId: the name of a socket outside the stack. A slot number and the
// slot's generation, so that a stale id is an error and never another socket.
#ifndef TCPIP_STACK_SOCKET_ID_H_
#define TCPIP_STACK_SOCKET_ID_H_

#include <compare>
#include <cstdint>
#include <utility>

namespace tcpip {

struct SocketId {
  uint32_t slot = 0;
  uint32_t generation = 0;  // 0 = no socket

  bool IsValid() const { return generation != 0; }
  uint64_t ToU64() const { return uint64_t{generation} << 32 | slot; }
  static SocketId FromU64(uint64_t v) {
    return {static_cast<uint32_t>(v), static_cast<uint32_t>(v >> 32)};
  }
  friend auto operator<=>(const SocketId&, const SocketId&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const SocketId& id) {
    return H::combine(std::move(h), id.slot, id.generation);
  }
};

}  // namespace tcpip

#endif  // TCPIP_STACK_SOCKET_ID_H_
