// ViewChain: a byte sequence made of views; what payload is everywhere between
// the borders. Appending, trimming and slicing move references, never bytes.
//
// Two views are held inline (a packet's payload); more go to a ring on the
// heap that doubles and is kept, so that a busy chain stops allocating. An
// empty chain that never held more than two views owns no heap memory.
#ifndef TCPIP_BUFFER_VIEW_CHAIN_H_
#define TCPIP_BUFFER_VIEW_CHAIN_H_

#include <cstddef>
#include <cstdint>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/view.h"

namespace tcpip {

class ViewChain {
 public:
  ViewChain() = default;
  explicit ViewChain(View view) { Append(std::move(view)); }
  ViewChain(const ViewChain&) = delete;  // Share() says what a copy costs
  ViewChain& operator=(const ViewChain&) = delete;
  ViewChain(ViewChain&& other) noexcept;
  ViewChain& operator=(ViewChain&& other) noexcept;
  ~ViewChain();

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t view_count() const { return count_; }

  // Views from front to back; 0 <= i < view_count().
  const View& view(size_t i) const { return slots()[Slot(i)]; }
  View& mutable_view(size_t i) { return slots()[Slot(i)]; }

  // Room for `views` in all, in one allocation at most.
  void Reserve(size_t views);

  // Empty views are dropped; a view that continues the last one in the same
  // block is merged into it.
  void Append(View view);
  void Append(ViewChain chain);

  // Copies `bytes` to the end: first into the tail room of the last view while
  // this chain is that block's sole owner, then into fresh blocks.
  void AppendCopy(SlabPool& pool, ByteSpan bytes);

  // n <= size().
  void TrimFront(size_t n);
  void TrimBack(size_t n);

  // Removes and returns the first n bytes. O(views removed).
  ViewChain SplitFront(size_t n);

  // References to [offset, offset + n). O(view_count()).
  ViewChain Slice(size_t offset, size_t n) const;
  ViewChain Share() const { return Slice(0, size_); }

  // Copies from the front to `to`, as much as fits; returns the count.
  size_t CopyTo(MutableByteSpan to) const;

  // Sum of pinned_bytes() over the views: an upper bound, since two views may
  // share a block.
  size_t pinned_bytes() const;

  void Clear();

 private:
  static constexpr uint32_t kInline = 2;
  // Every idle connection has two chains: the ring's pointer shares the room
  // of the inline views.
  union Slots {
    Slots() : few() {}
    ~Slots() {}  // the chain knows which it is
    View few[kInline];
    View* ring;  // capacity_ views
  };

  bool HasRing() const { return capacity_ != kInline; }
  View* slots() { return HasRing() ? slots_.ring : slots_.few; }
  const View* slots() const { return HasRing() ? slots_.ring : slots_.few; }
  size_t Slot(size_t i) const { return (head_ + i) & (capacity_ - 1); }
  // Gives up the slots, whose views must be empty, for a ring.
  void AdoptRing(View* ring, uint32_t capacity);
  void Grow(uint32_t capacity);
  void PopFront();

  Slots slots_;
  uint32_t head_ = 0;
  uint32_t count_ = 0;
  uint32_t capacity_ = kInline;  // power of two
  uint32_t size_ = 0;
};

}  // namespace tcpip

#endif  // TCPIP_BUFFER_VIEW_CHAIN_H_
