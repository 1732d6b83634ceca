#include "tcpip/stack/socket_table.h"

#include <algorithm>
#include <cassert>

namespace tcpip {

SocketTable::SocketTable(uint32_t max_sockets, uint32_t shard)
    : max_sockets_(std::min(max_sockets, 1u << SocketId::kIndexBits)),
      shard_(shard) {
  assert(shard < SocketId::kMaxShards);
}

SocketTable::~SocketTable() {
  for (uint32_t index = 0; index < index_count(); ++index) {
    if (!at(index).IsFree()) Release(at(index));
  }
}

// 0 is the generation of no socket.
void SocketTable::Renew(uint32_t& generation) {
  if (++generation == 0) generation = 1;
}

absl::Status SocketTable::CheckRoom() const {
  if (HasRoom()) return absl::OkStatus();
  return absl::ResourceExhaustedError("too many sockets");
}

Socket* SocketTable::Allocate() {
  if (!HasRoom()) return nullptr;
  if (free_.empty()) {
    const uint32_t first = index_count();
    chunks_.push_back(std::make_unique<Chunk>());
    for (uint32_t i = kChunk; i-- > 0;) {
      at(first + i).index = first + i;
      at(first + i).shard = static_cast<uint8_t>(shard_);
      Renew(at(first + i).generation);
      free_.push_back(first + i);
    }
  }
  Socket& socket = at(free_.back());
  free_.pop_back();
  ++size_;
  return &socket;
}

void SocketTable::Release(Socket& socket) {
  assert(!socket.armed());
  socket.ListNode<Socket, ReadyTag>::Unlink();
  socket.ListNode<Socket, SenderTag>::Unlink();
  socket.kind.emplace<std::monostate>();
  socket.interface = 0;
  socket.owner = SocketOwner::kUser;
  socket.ready_now = socket.ready_reported = 0;
  Renew(socket.generation);
  free_.push_back(socket.index);
  --size_;
}

void SocketTable::Disown(Socket& socket) {
  socket.owner = SocketOwner::kNobody;
  socket.ListNode<Socket, ReadyTag>::Unlink();
  Renew(socket.generation);
}

Socket* SocketTable::Find(SocketId id) {
  const uint32_t index = SocketId::IndexOf(id.slot);
  if (!id.IsValid() || id.shard() != shard_ || index >= index_count()) {
    return nullptr;
  }
  Socket& socket = at(index);
  if (socket.generation != id.generation || socket.IsFree() ||
      socket.owner == SocketOwner::kNobody) {
    return nullptr;
  }
  return &socket;
}

}  // namespace tcpip
