// SocketId: the name of a socket outside the stack. A slot and its generation,
// so that a stale id is an error and never another socket. The top bits of the
// slot name the shard, so that a command finds its way by the id alone; the
// others are the index within the shard, which is all its parts need.
#ifndef TCPIP_STACK_SOCKET_ID_H_
#define TCPIP_STACK_SOCKET_ID_H_

#include <compare>
#include <cstdint>
#include <utility>

namespace tcpip {

struct SocketId {
  uint32_t slot = 0;
  uint32_t generation = 0;  // 0 = no socket

  static constexpr uint32_t kIndexBits = 24;  // of its index within the shard
  static constexpr uint32_t kMaxShards = 1u << (32 - kIndexBits);

  static constexpr uint32_t SlotOf(uint32_t shard, uint32_t index) {
    return shard << kIndexBits | index;
  }
  static constexpr uint32_t ShardOf(uint32_t slot) {
    return slot >> kIndexBits;
  }
  static constexpr uint32_t IndexOf(uint32_t slot) {
    return slot & ((1u << kIndexBits) - 1);
  }

  uint32_t shard() const { return ShardOf(slot); }
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
