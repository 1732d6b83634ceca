// The bytes a user wrote, from SND.UNA on. RFC 9293 3.8.
//
//   front                sent_bytes            size
//     | sent, unacknowledged |  not yet sent  |  room ...
//
// Holds views, not copies: a large write is shared with whoever wrote it, and
// every slice shares it with the packets that carry it. Small writes are copied
// into the last block, so that a byte never pins 64 KiB. The owner turns
// sequence numbers into offsets from the front; FIN is not known here. Memory
// appears with the first byte and goes with the last.
#ifndef TCPIP_TRANSPORT_TCP_SEND_SEND_QUEUE_H_
#define TCPIP_TRANSPORT_TCP_SEND_SEND_QUEUE_H_

#include <cstddef>
#include <cstdint>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"
#include "tcpip/buffer/view_chain.h"

namespace tcpip::tcp {

class SendQueue {
 public:
  explicit SendQueue(uint32_t capacity) : capacity_(capacity) {}

  size_t size() const { return chain_.size(); }
  size_t sent_bytes() const { return sent_bytes_; }
  size_t unsent_bytes() const { return size() - sent_bytes_; }
  size_t room() const { return size() < capacity_ ? capacity_ - size() : 0; }
  // An upper bound: views may share a block.
  size_t pinned_bytes() const { return chain_.pinned_bytes(); }
  // Less than size() is allowed: then there is no room until it has drained.
  void set_capacity(uint32_t capacity) {
    capacity_ = capacity;
    wake_at_ = kNobodyWaits;
  }

  // Takes the front of `data` as far as there is room, and memory for it;
  // returns the count.
  size_t Write(ViewChain& data, SlabPool& pool);
  size_t WriteCopy(ByteSpan data, SlabPool& pool);
  // Takes all of `data`, whatever there is room for.
  void Append(ViewChain data, SlabPool& pool);

  // The next n unsent bytes, which are sent now; n <= unsent_bytes(). Starts
  // where the last call ended: O(views returned).
  ViewChain TakeUnsent(uint32_t n);
  // Bytes [offset, offset + n) once more, all of them sent. O(views before
  // offset), or before the end of the last such slice when that is nearer.
  ViewChain SliceSent(uint32_t offset, uint32_t n);

  // Drops n acknowledged bytes from the front, n <= sent_bytes().
  void TrimAcked(uint32_t n);

  // False after a write that met the end of the room, until a third of what was
  // queued then has gone: writers are woken for large pieces.
  bool writable() const { return wake_at_ == kNobodyWaits; }

 private:
  static constexpr uint32_t kNobodyWaits = UINT32_MAX;

  // How much of `wanted` may be added; a writer that gets all there is waits.
  size_t Admit(size_t wanted, const SlabPool& pool);
  // A view of the chain, and the offset at which it begins.
  struct Cursor {
    uint32_t view = 0;
    uint32_t begin = 0;
  };
  void AppendCopy(ByteSpan data, SlabPool& pool);
  ViewChain SliceFrom(Cursor& cursor, size_t offset, size_t n) const;

  ViewChain chain_;
  uint32_t sent_bytes_ = 0;
  Cursor next_unsent_;
  Cursor next_again_;
  uint32_t capacity_;
  uint32_t wake_at_ = kNobodyWaits;  // size at which a writer is woken
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_SEND_SEND_QUEUE_H_
