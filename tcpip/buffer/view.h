// View: a counted window into a slab. Slicing and sharing never copy.
//
//   slab:  [ headroom | bytes of the view | tailroom ]
//                     ^ offset            ^ offset + size
//
// A View is a value: pass by value to hand it over, by const& to lend it. A
// view that was moved from is empty.
#ifndef TCPIP_BUFFER_VIEW_H_
#define TCPIP_BUFFER_VIEW_H_

#include <cassert>
#include <cstdint>
#include <utility>

#include "tcpip/base/bytes.h"
#include "tcpip/buffer/slab.h"

namespace tcpip {

class View {
 public:
  View() = default;
  View(SlabRef slab, uint32_t offset, uint32_t size)
      : slab_(std::move(slab)), offset_(offset), size_(size) {}
  View(const View&) = default;
  View(View&& other) noexcept
      : slab_(std::move(other.slab_)),
        offset_(std::exchange(other.offset_, 0)),
        size_(std::exchange(other.size_, 0)) {}
  View& operator=(View other) noexcept {
    std::swap(slab_, other.slab_);
    std::swap(offset_, other.offset_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~View() = default;

  // A view of a fresh block holding a copy of `bytes`, which must fit the
  // largest class.
  static View Copy(SlabPool& pool, ByteSpan bytes);

  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const uint8_t* data() const { return slab_.bytes() + offset_; }
  ByteSpan span() const {
    return size_ == 0 ? ByteSpan() : ByteSpan(data(), size_);
  }

  // Bytes of memory this view keeps alive.
  uint32_t pinned_bytes() const { return slab_ ? slab_.capacity() : 0; }
  uint32_t headroom() const { return offset_; }
  uint32_t tailroom() const {
    return slab_ ? slab_.capacity() - offset_ - size_ : 0;
  }

  // Writable bytes; only while this view is the block's sole owner.
  MutableByteSpan mutable_span() {
    return size_ == 0 ? MutableByteSpan()
                      : MutableByteSpan(slab_.bytes() + offset_, size_);
  }
  bool IsSoleOwner() const { return slab_.IsSoleOwner(); }

  // Where the block comes from; only while there is one.
  SlabPool& pool() const { return slab_.pool(); }

  void TrimFront(uint32_t n) {
    assert(n <= size_);
    offset_ += n;
    size_ -= n;
  }
  void TrimBack(uint32_t n) {
    assert(n <= size_);
    size_ -= n;
  }
  View Slice(uint32_t offset, uint32_t size) const {
    assert(offset <= size_ && size <= size_ - offset);
    return View(slab_, offset_ + offset, size);
  }

  // Grows into headroom or tailroom, n <= either. The new bytes are those of
  // the block: the sole owner may write them, others must know what they are.
  void GrowFront(uint32_t n) {
    assert(n <= headroom());
    offset_ -= n;
    size_ += n;
  }
  void GrowBack(uint32_t n) {
    assert(n <= tailroom());
    size_ += n;
  }

  // True when `next` continues this view in the same block.
  bool IsFollowedBy(const View& next) const {
    return slab_ == next.slab_ && offset_ + size_ == next.offset_;
  }

 private:
  SlabRef slab_;
  uint32_t offset_ = 0;
  uint32_t size_ = 0;
};

}  // namespace tcpip

#endif  // TCPIP_BUFFER_VIEW_H_
