#include "tcpip/transport/tcp/send/sender_types.h"

#include <type_traits>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

// Payload is handed on, never duplicated by accident.
static_assert(!std::is_copy_constructible_v<OutData>);
static_assert(std::is_nothrow_move_constructible_v<OutData>);
// Lent for one call: a span of the segment's own blocks.
static_assert(std::is_trivially_copyable_v<AckInput>);

TEST(SenderTypes, AnEmptyOutDataIsAProbe) {
  const OutData probe;
  EXPECT_TRUE(probe.payload.empty());
  EXPECT_FALSE(probe.fin || probe.psh || probe.retransmission);
  EXPECT_EQ(probe.gso_size, 0u);
}

}  // namespace
}  // namespace tcpip::tcp
