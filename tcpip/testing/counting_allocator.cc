#include "tcpip/testing/counting_allocator.h"

#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

uint64_t allocations = 0;
uint64_t heap_bytes = 0;

uint64_t CostOf(void* memory) {
  return malloc_usable_size(memory) + sizeof(size_t);
}

void* Allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  // aligned_alloc wants a multiple of the alignment.
  void* const memory =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(size == 0 ? 1 : size)
          : std::aligned_alloc(alignment,
                               (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) std::abort();
  heap_bytes += CostOf(memory);
  return memory;
}

void Free(void* memory) {
  if (memory != nullptr) heap_bytes -= CostOf(memory);
  std::free(memory);
}

}  // namespace

// Every form by name: a sanitizer has its own of those that are left out.
void* operator new(std::size_t size) { return Allocate(size, 1); }
void* operator new[](std::size_t size) { return Allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size, 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size, 1);
}

void operator delete(void* memory) noexcept { Free(memory); }
void operator delete[](void* memory) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { Free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept {
  Free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  Free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  Free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  Free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  Free(memory);
}

namespace tcpip::sim {

uint64_t AllocationCount() { return allocations; }

uint64_t HeapBytes() { return heap_bytes; }

}  // namespace tcpip::sim
