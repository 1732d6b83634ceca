// Page: a piece of sequence space whose bytes may arrive in any order: a block
// for the bytes and one bit for each that says whether it is there.
//
// Owned by Reassembly. The bitmap of a 16 KiB page is exactly one 2 KiB block,
// so that a page costs 18 KiB however finely a peer cuts its segments.
// [fault X13]
#ifndef TCPIP_TRANSPORT_TCP_RECEIVE_PAGE_H_
#define TCPIP_TRANSPORT_TCP_RECEIVE_PAGE_H_

#include <cstdint>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/buffer/view.h"

namespace tcpip::tcp {

class Page {
 public:
  static constexpr uint32_t kSize = SlabCapacity(SlabClass::kMedium);
  static constexpr uint32_t kPinnedBytes =
      kSize + SlabCapacity(SlabClass::kSmall);
  static_assert(kPinnedBytes == kSize + kSize / 8);

  // Holds nothing and no memory; the only use is to be assigned to.
  Page() = default;
  // `number` is whatever the owner finds it by.
  Page(SlabPool& pool, uint32_t number);

  uint32_t number() const { return number_; }
  bool exists() const { return static_cast<bool>(bytes_); }
  // Bytes written and not taken.
  uint32_t held_bytes() const { return held_bytes_; }

  // Stores `bytes` at `offset` except where a byte is already there: the first
  // one received wins. Returns how many were new.
  uint32_t Write(uint32_t offset, ByteSpan bytes);

  // The run of present bytes around an offset: the first offset from `offset`
  // on that is missing, and the least from which all up to `offset` are there.
  uint32_t RunEnd(uint32_t offset) const;
  uint32_t RunBegin(uint32_t offset) const;

  // A reference to present bytes [begin, end), which stop counting as held.
  // They stay present, and must not be asked for again.
  View Take(uint32_t begin, uint32_t end);

 private:
  uint64_t* bits() const { return reinterpret_cast<uint64_t*>(bits_.bytes()); }
  uint32_t FindFirst(uint32_t from, uint32_t to, bool present) const;
  void Mark(uint32_t from, uint32_t to);

  SlabRef bytes_;
  SlabRef bits_;  // bit i: byte i is present
  uint32_t number_ = 0;
  uint32_t held_bytes_ = 0;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECEIVE_PAGE_H_
