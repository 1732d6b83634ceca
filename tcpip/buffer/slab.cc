#include "tcpip/buffer/slab.h"

#include <cassert>
#include <new>

namespace tcpip {

// operator new aligns as the header asks.
static_assert(alignof(Slab) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

SlabPool::SlabPool(size_t max_free_bytes) : max_free_bytes_(max_free_bytes) {}

SlabPool::~SlabPool() {
  assert(stats_.live == 0);
  for (Slab* slab : free_) {
    while (slab != nullptr) {
      ::operator delete(std::exchange(slab, slab->next_free));
    }
  }
}

SlabRef SlabPool::Allocate(SlabClass size_class) {
  const uint32_t capacity = SlabCapacity(size_class);
  Slab*& free_list = free_[static_cast<int>(size_class)];
  Slab* slab = free_list;
  if (slab != nullptr) {
    free_list = slab->next_free;
    free_bytes_ -= capacity;
    --stats_.free;
  } else {
    void* memory = ::operator new(sizeof(Slab) + capacity);
    slab = new (memory) Slab{this, nullptr, 0, size_class};
    ++stats_.allocated;
  }
  slab->refs = 1;
  ++stats_.live;
  stats_.live_bytes += capacity;
  return SlabRef(slab);
}

void SlabPool::Recycle(Slab* slab) {
  const uint32_t capacity = slab->capacity();
  --stats_.live;
  stats_.live_bytes -= capacity;
  if (capacity > max_free_bytes_ - free_bytes_) {
    ::operator delete(slab);
    return;
  }
  Slab*& free_list = free_[static_cast<int>(slab->size_class)];
  slab->next_free = free_list;
  free_list = slab;
  free_bytes_ += capacity;
  ++stats_.free;
}

SlabClass SlabPool::ClassFor(size_t bytes) {
  if (bytes <= SlabCapacity(SlabClass::kSmall)) return SlabClass::kSmall;
  if (bytes <= SlabCapacity(SlabClass::kMedium)) return SlabClass::kMedium;
  return SlabClass::kLarge;
}

SlabStats SlabPool::stats() const { return stats_; }

}  // namespace tcpip
