// Ring: a first-in, first-out queue in one array that doubles when it is full
// and is kept, so that a busy queue stops allocating. No bound of its own.
#ifndef TCPIP_BASE_RING_H_
#define TCPIP_BASE_RING_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace tcpip {

// T is movable and has a default value; moving from one gives up what it holds.
template <typename T>
class Ring {
 public:
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }

  const T& front() const {
    assert(!empty());
    return slots_[head_];
  }

  void PushBack(T value) {
    if (count_ == slots_.size()) Grow();
    slots_[Slot(count_++)] = std::move(value);
  }

  T PopFront() {
    assert(!empty());
    T value = std::move(slots_[head_]);
    head_ = Slot(1);
    --count_;
    return value;
  }

 private:
  size_t Slot(size_t i) const { return (head_ + i) & (slots_.size() - 1); }

  void Grow() {
    std::vector<T> larger(std::max<size_t>(4, 2 * slots_.size()));
    for (size_t i = 0; i < count_; ++i) larger[i] = std::move(slots_[Slot(i)]);
    slots_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> slots_;  // none, or a power of two
  size_t head_ = 0;
  size_t count_ = 0;
};

}  // namespace tcpip

#endif  // TCPIP_BASE_RING_H_
