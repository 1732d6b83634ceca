#include "tcpip/stack/output_queue.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tcpip {

bool PacketQueue::Push(Packet&& packet) {
  if (full()) return false;
  Append(std::move(packet));
  return true;
}

void PacketQueue::PushAll(PacketBatch& fragments) {
  assert(!full());
  for (Packet& fragment : fragments) Append(std::move(fragment));
  fragments.clear();
}

void PacketQueue::Append(Packet&& packet) {
  if (count_ == ring_.size()) Grow();
  ring_[(head_ + count_++) % ring_.size()] = std::move(packet);
}

std::optional<Packet> PacketQueue::Pop() {
  if (empty()) return std::nullopt;
  std::optional<Packet> packet = std::move(ring_[head_]);
  head_ = (head_ + 1) % ring_.size();
  --count_;
  return packet;
}

void PacketQueue::Grow() {
  std::vector<Packet> larger(std::max<size_t>(8, 2 * ring_.size()));
  for (size_t i = 0; i < count_; ++i) {
    larger[i] = std::move(ring_[(head_ + i) % ring_.size()]);
  }
  ring_ = std::move(larger);
  head_ = 0;
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
