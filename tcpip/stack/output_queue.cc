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
  // Of up to 64 KiB each: enough for their reader to be woken once instead of
  // each time, too little for another flow to notice.
  constexpr int kTurn = 4;
  if (socket.IsInSenderList()) return;
  if (&socket == last_sender_ && in_a_row_ < kTurn) {
    senders_.PushFront(socket);
  } else {
    senders_.PushBack(socket);
  }
}

OutputQueue::Turn OutputQueue::Next() {
  if (!control_.empty()) return {.packet = control_.Pop()};
  datagram_was_last_ =
      !datagrams_.empty() && (senders_.empty() || !datagram_was_last_);
  if (datagram_was_last_) return {.packet = datagrams_.Pop()};
  if (senders_.empty()) return {};
  Socket& sender = senders_.PopFront();
  in_a_row_ = &sender == last_sender_ ? in_a_row_ + 1 : 1;
  last_sender_ = &sender;
  return {.sender = &sender};
}

}  // namespace tcpip
