#include "tcpip/shard/host.h"

#include <cstdint>
#include <set>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(HostNow, NeverGoesBack) {
  Instant last = HostNow();
  for (int i = 0; i < 10'000; ++i) {
    const Instant now = HostNow();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(HostProcessors, AreAtLeastTheOneWeRunOn) {
  EXPECT_GE(HostProcessors(), 1u);
}

TEST(HostRng, DoesNotRepeatAcrossRefillsAndGenerators) {
  HostRng a, b;
  std::set<uint64_t> seen;
  for (int i = 0; i < 500; ++i) {
    EXPECT_TRUE(seen.insert(a.Next()).second);
    EXPECT_TRUE(seen.insert(b.Next()).second);
  }
}

}  // namespace
}  // namespace tcpip
