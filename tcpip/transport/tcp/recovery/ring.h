// A growable ring with access by index: a deque for small plain values that
// allocates only to grow, and holds next to nothing when it is empty.
//
// For the sent log: elements come at the back and leave at the front, and now
// and then one is inserted or erased in the middle, which moves the shorter
// side. PopFront that empties the ring gives back all but kKept elements.
#ifndef TCPIP_TRANSPORT_TCP_RECOVERY_RING_H_
#define TCPIP_TRANSPORT_TCP_RECOVERY_RING_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace tcpip::tcp {

template <typename T>
class Ring {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // Capacity of the first allocation, and what an empty ring may keep.
  static constexpr uint32_t kFirst = 4;
  static constexpr uint32_t kKept = 8;

  Ring() = default;
  Ring(Ring&& other) noexcept { *this = std::move(other); }
  Ring& operator=(Ring&& other) noexcept {
    slots_ = std::move(other.slots_);
    capacity_ = std::exchange(other.capacity_, 0);
    head_ = std::exchange(other.head_, 0);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  size_t capacity() const { return capacity_; }

  T& operator[](size_t i) { return slots_[Slot(i)]; }
  const T& operator[](size_t i) const { return slots_[Slot(i)]; }

  void PushBack(const T& value) { Insert(size_, value); }

  // Removes the first n elements, n <= size().
  void PopFront(size_t n) {
    assert(n <= size_);
    head_ = static_cast<uint32_t>(Slot(n));
    size_ -= static_cast<uint32_t>(n);
    if (size_ == 0 && capacity_ > kKept) *this = Ring();
  }

  // Puts `value` before element i, 0 <= i <= size().
  void Insert(size_t i, T value) {
    assert(i <= size_);
    if (size_ == capacity_) Grow();
    if (i < size_ / 2) {
      head_ = static_cast<uint32_t>(Slot(capacity_ - 1));
      ++size_;
      for (size_t k = 0; k < i; ++k) (*this)[k] = (*this)[k + 1];
    } else {
      ++size_;
      for (size_t k = size_ - 1; k > i; --k) (*this)[k] = (*this)[k - 1];
    }
    (*this)[i] = value;
  }

  // Removes elements [first, last).
  void Erase(size_t first, size_t last) {
    assert(first <= last && last <= size_);
    const size_t n = last - first;
    if (n == 0) return;
    if (first < size_ - last) {
      for (size_t k = last; k-- > n;) (*this)[k] = (*this)[k - n];
      PopFront(n);
    } else {
      for (size_t k = last; k < size_; ++k) (*this)[k - n] = (*this)[k];
      size_ -= static_cast<uint32_t>(n);
    }
  }

 private:
  size_t Slot(size_t i) const { return (head_ + i) & (capacity_ - 1); }

  void Grow() {
    const uint32_t capacity = capacity_ == 0 ? kFirst : capacity_ * 2;
    auto slots = std::make_unique<T[]>(capacity);
    for (size_t k = 0; k < size_; ++k) slots[k] = (*this)[k];
    slots_ = std::move(slots);
    capacity_ = capacity;
    head_ = 0;
  }

  std::unique_ptr<T[]> slots_;
  uint32_t capacity_ = 0;  // zero or a power of two
  uint32_t head_ = 0;
  uint32_t size_ = 0;
};

}  // namespace tcpip::tcp

#endif  // TCPIP_TRANSPORT_TCP_RECOVERY_RING_H_
