#include "tcpip/stack/output_queue.h"

#include <cassert>
#include <utility>

namespace tcpip {

bool PacketQueue::Push(Packet&& packet) {
  if (full()) return false;
  packets_.PushBack(std::move(packet));
  return true;
}

void PacketQueue::PushAll(PacketBatch& fragments) {
  assert(!full());
  for (Packet& fragment : fragments) packets_.PushBack(std::move(fragment));
  fragments.clear();
}

std::optional<Packet> PacketQueue::Pop() {
  if (empty()) return std::nullopt;
  return packets_.PopFront();
}

void OutputQueue::AddSender(Socket& socket) {
  if (!socket.IsInSenderList()) senders_.PushBack(socket);
}

OutputQueue::Turn OutputQueue::Next() {
  if (!control_.empty()) return {.packet = control_.Pop()};
  datagram_was_last_ =
      !datagrams_.empty() && (senders_.empty() || !datagram_was_last_);
  if (datagram_was_last_) return {.packet = datagrams_.Pop()};
  if (!senders_.empty()) return {.sender = &senders_.PopFront()};
  return {};
}

}  // namespace tcpip
