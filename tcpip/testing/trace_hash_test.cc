#include "tcpip/testing/trace_hash.h"

#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

uint64_t HashOf(const std::vector<std::vector<uint8_t>>& parts) {
  TraceHash hash;
  for (const auto& part : parts) hash.Mix(part);
  return hash.value();
}

TEST(TraceHash, SeesEveryBitOrderAndLength) {
  std::set<uint64_t> seen;
  size_t tried = 0;
  for (size_t size = 0; size < 20; ++size) {
    seen.insert(HashOf({std::vector<uint8_t>(size)}));
    ++tried;
    for (size_t bit = 0; bit < size * 8; ++bit) {
      std::vector<uint8_t> bytes(size);
      bytes[bit / 8] = static_cast<uint8_t>(1u << bit % 8);
      seen.insert(HashOf({bytes}));
      ++tried;
    }
  }
  EXPECT_EQ(seen.size(), tried);
  EXPECT_NE(HashOf({{1, 2}, {3}}), HashOf({{1}, {2, 3}}));
  EXPECT_NE(HashOf({{1}, {2}}), HashOf({{2}, {1}}));
  EXPECT_EQ(HashOf({{1, 2}, {3}}), HashOf({{1, 2}, {3}}));
}

}  // namespace
}  // namespace tcpip::sim
