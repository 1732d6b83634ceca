#include "tcpip/buffer/view_chain.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <memory>
#include <utility>

namespace tcpip {

ViewChain::ViewChain(ViewChain&& other) noexcept { *this = std::move(other); }

ViewChain::~ViewChain() {
  if (HasRing()) {
    delete[] slots_.ring;
  } else {
    std::destroy_n(slots_.few, kInline);
  }
}

ViewChain& ViewChain::operator=(ViewChain&& other) noexcept {
  if (this == &other) return *this;
  Clear();
  if (other.HasRing()) {
    AdoptRing(other.slots_.ring, other.capacity_);
    head_ = other.head_;
    std::uninitialized_value_construct_n(other.slots_.few, kInline);
    other.capacity_ = kInline;
  } else {
    for (size_t i = 0; i < other.count_; ++i) {
      slots()[i] = std::move(other.mutable_view(i));
    }
  }
  other.head_ = 0;
  count_ = std::exchange(other.count_, 0);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

void ViewChain::Reserve(size_t views) {
  if (views > capacity_) Grow(std::bit_ceil(static_cast<uint32_t>(views)));
}

void ViewChain::Append(View view) {
  if (view.empty()) return;
  size_ += view.size();
  if (count_ > 0) {
    View& last = mutable_view(count_ - 1);
    if (last.IsFollowedBy(view)) return last.GrowBack(view.size());
  }
  if (count_ == capacity_) Grow(capacity_ * 2);
  slots()[Slot(count_++)] = std::move(view);
}

void ViewChain::Append(ViewChain chain) {
  if (empty()) {
    *this = std::move(chain);
    return;
  }
  for (size_t i = 0; i < chain.count_; ++i) {
    Append(std::move(chain.mutable_view(i)));
  }
}

void ViewChain::AppendCopy(SlabPool& pool, ByteSpan bytes) {
  if (count_ > 0) {
    View& last = mutable_view(count_ - 1);
    if (last.IsSoleOwner()) {
      const size_t n = std::min<size_t>(last.tailroom(), bytes.size());
      last.GrowBack(static_cast<uint32_t>(n));
      std::copy_n(bytes.data(), n, last.mutable_span().last(n).data());
      size_ += static_cast<uint32_t>(n);
      bytes = bytes.subspan(n);
    }
  }
  while (!bytes.empty()) {
    const SlabClass size_class = SlabPool::ClassFor(bytes.size());
    const size_t n = std::min<size_t>(SlabCapacity(size_class), bytes.size());
    Append(View::Copy(pool, bytes.first(n)));
    bytes = bytes.subspan(n);
  }
}

void ViewChain::TrimFront(size_t n) {
  assert(n <= size_);
  size_ -= static_cast<uint32_t>(n);
  while (n > 0) {
    View& first = mutable_view(0);
    if (n < first.size()) return first.TrimFront(static_cast<uint32_t>(n));
    n -= first.size();
    PopFront();
  }
}

void ViewChain::TrimBack(size_t n) {
  assert(n <= size_);
  size_ -= static_cast<uint32_t>(n);
  while (n > 0) {
    View& last = mutable_view(count_ - 1);
    if (n < last.size()) return last.TrimBack(static_cast<uint32_t>(n));
    n -= last.size();
    last = View();
    --count_;
  }
}

ViewChain ViewChain::SplitFront(size_t n) {
  assert(n <= size_);
  ViewChain front;
  size_ -= static_cast<uint32_t>(n);
  while (n > 0) {
    View& first = mutable_view(0);
    if (n < first.size()) {
      const auto part = static_cast<uint32_t>(n);
      front.Append(first.Slice(0, part));
      first.TrimFront(part);
      break;
    }
    n -= first.size();
    front.Append(std::move(first));
    PopFront();
  }
  return front;
}

ViewChain ViewChain::Slice(size_t offset, size_t n) const {
  assert(offset <= size_ && n <= size_ - offset);
  ViewChain slice;
  for (size_t i = 0; n > 0; ++i) {
    const View& v = view(i);
    if (offset >= v.size()) {
      offset -= v.size();
      continue;
    }
    const size_t part = std::min(v.size() - offset, n);
    slice.Append(
        v.Slice(static_cast<uint32_t>(offset), static_cast<uint32_t>(part)));
    offset = 0;
    n -= part;
  }
  return slice;
}

size_t ViewChain::CopyTo(MutableByteSpan to) const {
  size_t copied = 0;
  for (size_t i = 0; i < count_ && copied < to.size(); ++i) {
    const View& v = view(i);
    const size_t n = std::min<size_t>(v.size(), to.size() - copied);
    std::memcpy(to.data() + copied, v.data(), n);
    copied += n;
  }
  return copied;
}

size_t ViewChain::pinned_bytes() const {
  size_t pinned = 0;
  for (size_t i = 0; i < count_; ++i) pinned += view(i).pinned_bytes();
  return pinned;
}

void ViewChain::Clear() {
  while (count_ > 0) PopFront();
  head_ = 0;
  size_ = 0;
}

void ViewChain::Grow(uint32_t capacity) {
  View* const ring = new View[capacity];
  for (size_t i = 0; i < count_; ++i) ring[i] = std::move(mutable_view(i));
  AdoptRing(ring, capacity);
  head_ = 0;
}

void ViewChain::AdoptRing(View* ring, uint32_t capacity) {
  if (HasRing()) {
    delete[] slots_.ring;
  } else {
    std::destroy_n(slots_.few, kInline);
  }
  slots_.ring = ring;
  capacity_ = capacity;
}

void ViewChain::PopFront() {
  mutable_view(0) = View();
  head_ = static_cast<uint32_t>(Slot(1));
  --count_;
}

}  // namespace tcpip
