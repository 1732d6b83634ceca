#include "tcpip/stack/flow_set.h"

#include <optional>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip {
namespace {

IpEndpoint At(std::string_view text) { return IpEndpoint::Parse(text).value(); }

struct TupleInVector {
  const std::vector<FourTuple>* tuples;
  const FourTuple& operator()(uint32_t index) const { return (*tuples)[index]; }
};

class Flows : public testing::Test {
 protected:
  std::vector<FourTuple> tuples_;
  SeededRng rng_{1};
  FlowSet<TupleInVector> flows_{FlowHash(rng_), {&tuples_}};
};

TEST_F(Flows, AreFoundByTheWholeTuple) {
  const FourTuple one = {At("10.0.0.2:80"), At("10.0.0.1:1000")};
  tuples_ = {one, one};
  EXPECT_TRUE(flows_.Add(0));
  EXPECT_FALSE(flows_.Add(1));
  EXPECT_EQ(flows_.Find(one), 0u);
  EXPECT_FALSE(flows_.Find({one.remote, one.local}));
  FourTuple other = one;
  ++other.remote.port;
  EXPECT_FALSE(flows_.Find(other));
  flows_.Remove(one);
  EXPECT_FALSE(flows_.Find(one));
  EXPECT_EQ(flows_.size(), 0u);
}

TEST_F(Flows, AreFoundAfterTheTableHasGrownAndShrunk) {
  constexpr uint32_t kFlows = 10'000;
  for (uint32_t i = 0; i < kFlows; ++i) {
    tuples_.push_back({At("10.0.0.2:80"),
                       {IpAddress::Ipv4(10, 1, static_cast<uint8_t>(i >> 8),
                                        static_cast<uint8_t>(i)),
                        static_cast<uint16_t>(i * 7)}});
    ASSERT_TRUE(flows_.Add(i));
  }
  for (uint32_t i = 0; i < kFlows; i += 2) flows_.Remove(tuples_[i]);
  EXPECT_EQ(flows_.size(), kFlows / 2);
  for (uint32_t i = 0; i < kFlows; ++i) {
    const std::optional<uint32_t> found = flows_.Find(tuples_[i]);
    ASSERT_EQ(found.has_value(), i % 2 == 1);
    EXPECT_EQ(found.value_or(i), i);
  }
}

}  // namespace
}  // namespace tcpip
