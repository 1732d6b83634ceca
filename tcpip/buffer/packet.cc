#include "tcpip/buffer/packet.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tcpip {

Packet Packet::WithHeadroom(SlabPool& pool) {
  Packet packet;
  packet.head_ = View(pool.Allocate(SlabClass::kSmall), kPacketHeadroom, 0);
  return packet;
}

Packet Packet::Copy(SlabPool& pool, ByteSpan bytes) {
  Packet packet = WithHeadroom(pool);
  const auto head_bytes = static_cast<uint32_t>(
      std::min<size_t>(bytes.size(), packet.head_.tailroom()));
  std::copy_n(bytes.data(), head_bytes, packet.AppendToHead(head_bytes).data());
  packet.body_.AppendCopy(pool, bytes.subspan(head_bytes));
  return packet;
}

Packet Packet::Share() const {
  Packet packet;
  packet.head_ = head_;
  packet.body_ = body_.Share();
  packet.offload_ = offload_;
  packet.ingress_ = ingress_;
  return packet;
}

MutableByteSpan Packet::Prepend(uint32_t n) {
  assert(n <= head_.headroom() && head_.IsSoleOwner());
  head_.GrowFront(n);
  return head_.mutable_span().first(n);
}

MutableByteSpan Packet::AppendToHead(uint32_t n) {
  assert(n <= head_.tailroom() && head_.IsSoleOwner());
  head_.GrowBack(n);
  return head_.mutable_span().last(n);
}

void Packet::TrimFront(size_t n) {
  assert(n <= head_.size());
  head_.TrimFront(static_cast<uint32_t>(n));
}

void Packet::TrimToSize(size_t n) {
  if (n >= size()) return;
  size_t surplus = size() - n;
  const size_t from_body = std::min(surplus, body_.size());
  body_.TrimBack(from_body);
  surplus -= from_body;
  head_.TrimBack(static_cast<uint32_t>(surplus));
}

ViewChain Packet::TakePayload() {
  ViewChain payload(std::move(head_));
  payload.Append(std::move(body_));
  return payload;
}

PartialSum SumOf(const Packet& packet, size_t from) {
  const ByteSpan front = packet.head().subspan(from);
  PartialSum sum = SumBytes(front);
  auto offset = static_cast<uint32_t>(front.size());
  for (size_t i = 0; i < packet.body().view_count(); ++i) {
    const View& view = packet.body().view(i);
    sum.Combine(SumBytes(view.span()), offset);
    offset += view.size();
  }
  return sum;
}

}  // namespace tcpip
