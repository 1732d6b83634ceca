// Counts allocations: "no allocation in this scope" as a test.
//
//   AllocationCounter counter;
//   ... what must not allocate ...
//   EXPECT_EQ(counter.count(), 0u);
//
// Linking this replaces the global operator new, so only tests that count do.
// Counts of all threads of the program are one.
#ifndef TCPIP_TESTING_COUNTING_ALLOCATOR_H_
#define TCPIP_TESTING_COUNTING_ALLOCATOR_H_

#include <cstdint>

namespace tcpip::sim {

// Calls of operator new since the program began.
uint64_t AllocationCount();

class AllocationCounter {
 public:
  uint64_t count() const { return AllocationCount() - start_; }

 private:
  uint64_t start_ = AllocationCount();
};

}  // namespace tcpip::sim

#endif  // TCPIP_TESTING_COUNTING_ALLOCATOR_H_
