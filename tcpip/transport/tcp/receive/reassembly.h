// Reassembly: what arrived behind a hole, until the hole is filled.
// RFC 9293 3.10.7.4 seventh step.
//
//   rcv_nxt       .... = missing
//   |....|#######|..|##########|.......|######|FIN
//   '--- page ---'--- page ---'--- page ---'
//
// Bytes are copied to their place in aligned pages, so that everything inside
// the window can be stored in at most 9/8 of the window and two pages, whatever
// the segment sizes; nothing is ever refused for lack of slots
// [req A-14, fault W06, fault X13]. Work is in proportion to the bytes of the
// segment; a page is found in O(1).
//
// Called by Receiver, which cuts segments to [rcv_nxt, right edge) first.
// Owns no memory while nothing was ever out of order.
#ifndef TCPIP_TRANSPORT_TCP_RECEIVE_REASSEMBLY_H_
#define TCPIP_TRANSPORT_TCP_RECEIVE_REASSEMBLY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view_chain.h"
#include "tcpip/transport/tcp/receive/page.h"
#include "tcpip/transport/tcp/seq.h"

namespace tcpip::tcp {

class Reassembly {
 public:
  // Stores the bytes of `payload` that are not held; returns how many.
  uint32_t Insert(SeqNum seq, const ViewChain& payload, SlabPool& pool);

  // Remembers that the stream ends at `seq`; true when this is news. What was
  // received there first counts, be it a byte or another FIN.
  bool InsertFin(SeqNum seq);
  std::optional<SeqNum> fin() const { return fin_; }

  // Moves the bytes held from `seq` up to the next hole to the end of `to`;
  // returns how many.
  uint32_t TakeRun(SeqNum seq, ViewChain& to, SlabPool& pool);

  // The end, FIN included, of the bytes held from `seq` on; `seq` itself when
  // that one is missing.
  SeqNum RunEnd(SeqNum seq) const;

  // The whole range without a hole, FIN included, that contains `seq`; empty
  // when nothing is held there. Remembers its answer, so that a range that
  // grows piece by piece is not walked again for every piece.
  SeqRange RangeAround(SeqNum seq);

  // Forgets all but the FIN.
  void Clear();

  bool empty() const { return held_bytes_ == 0; }
  size_t held_bytes() const { return held_bytes_; }
  size_t pinned_bytes() const {
    return size_t{page_count_} * Page::kPinnedBytes;
  }

 private:
  Page* Find(SeqNum seq) const;
  Page& FindOrAdd(SeqNum seq, SlabPool& pool);
  void Release(Page& page);
  void Grow();
  uint32_t InsertBytes(SeqNum seq, ByteSpan bytes, SlabPool& pool);
  SeqNum HeldEnd(SeqNum seq) const;
  SeqNum HeldBegin(SeqNum seq) const;

  // Pages by the low bits of their number; those alive lie within a window of
  // each other, so that a table as large as the window has no collisions.
  std::unique_ptr<Page[]> pages_;
  uint32_t capacity_ = 0;  // power of two
  uint32_t page_count_ = 0;
  uint32_t held_bytes_ = 0;
  SeqRange known_run_;  // held, as RangeAround found last; may have grown
  std::optional<SeqNum> fin_;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECEIVE_REASSEMBLY_H_
