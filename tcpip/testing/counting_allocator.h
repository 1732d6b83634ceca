// Counts allocations: "no allocation in this scope" as a test.
//
//   AllocationCounter counter;
//   ... what must not allocate ...
//   EXPECT_EQ(counter.count(), 0u);
//
// and how much of the heap is in use, whoever asks for it with operator new.
//
// Linking this replaces the global operator new, so only tests that count do.
// Counts of all threads of the program are one.
#ifndef TCPIP_TESTING_COUNTING_ALLOCATOR_H_
#define TCPIP_TESTING_COUNTING_ALLOCATOR_H_

#include <cstdint>

namespace tcpip::sim {

// Calls of operator new since the program began.
uint64_t AllocationCount();

// What operator new has given and not got back, with what malloc adds: eight
// bytes and rounding up.
uint64_t HeapBytes();

class AllocationCounter {
 public:
  uint64_t count() const { return AllocationCount() - start_; }

 private:
  uint64_t start_ = AllocationCount();
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_COUNTING_ALLOCATOR_H_
