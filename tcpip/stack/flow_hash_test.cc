#include "tcpip/stack/flow_hash.h"

#include <set>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(FlowHash, SpreadsSimilarTuplesAndDependsOnTheKey) {
  SeededRng rng(1);
  const FlowHash hash(rng);
  const FlowHash other(rng);
  std::set<size_t> low_bits;
  std::set<size_t> values;
  FourTuple tuple = {*IpEndpoint::Parse("10.0.0.2:80"),
                     *IpEndpoint::Parse("10.0.0.1:0")};
  int same = 0;
  for (int port = 0; port < 4096; ++port) {
    tuple.remote.port = static_cast<uint16_t>(port);
    values.insert(hash(tuple));
    low_bits.insert(hash(tuple) % 4096);
    same += hash(tuple) == other(tuple);
  }
  EXPECT_EQ(values.size(), 4096u);
  // 4096 balls in 4096 bins fill 63 %: 2589, give or take 5 deviations.
  EXPECT_NEAR(static_cast<double>(low_bits.size()), 2589, 160);
  EXPECT_EQ(same, 0);
}

}  // namespace
}  // namespace tcpip
