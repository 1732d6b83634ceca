#include "bench/idle_stack.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "tcpip/testing/counting_allocator.h"

namespace bench {
namespace {

TEST(IdleStack, ItsConnectionsLiveAndSayNothing) {
  IdleStack idle;
  for (int i = 0; i < 100; ++i) idle.Open();
  for (uint32_t i = 0; i < 100; ++i) idle.Touch(i);
  EXPECT_EQ(idle.stack().Stats().tcp_curr_estab, 100u);
  EXPECT_EQ(idle.stack().Stats().tcp_out_segs, 100u);  // SYN-ACKs
  EXPECT_FALSE(idle.StepTimers().IsNever());
}

TEST(IdleStack, AConnectionCostsLessThanAKibibyte) {
  constexpr uint32_t kConnections = 10'000;
  IdleStack idle;
  idle.Open();
  const uint64_t before = tcpip::sim::HeapBytes();
  while (idle.connections() <= kConnections) idle.Open();
  const uint64_t bytes = tcpip::sim::HeapBytes() - before;
  // What is left of the kibibyte is for the process around the stack.
  constexpr uint64_t kForTheProcess = 64;
  EXPECT_LE(bytes / kConnections, 1024 - kForTheProcess);
}

}  // namespace
}  // namespace bench
