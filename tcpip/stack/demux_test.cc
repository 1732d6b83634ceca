#include "tcpip/stack/demux.h"

#include <set>
#include <string_view>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

IpEndpoint At(std::string_view text) { return IpEndpoint::Parse(text).value(); }

constexpr uint32_t kNone = ~0u;

TEST(Demux, FindsFlowsByTheWholeTuple) {
  SeededRng rng(1);
  Demux demux(rng);
  const FourTuple one = {At("10.0.0.2:80"), At("10.0.0.1:1000")};
  const FourTuple reversed = {one.remote, one.local};
  EXPECT_TRUE(demux.AddFlow(one, 7));
  EXPECT_FALSE(demux.AddFlow(one, 8));
  EXPECT_EQ(demux.FindFlow(one), 7u);
  EXPECT_FALSE(demux.FindFlow(reversed));
  FourTuple other = one;
  ++other.remote.port;
  EXPECT_FALSE(demux.FindFlow(other));
  demux.RemoveFlow(one);
  EXPECT_FALSE(demux.FindFlow(one));
  EXPECT_EQ(demux.flow_count(), 0u);
}

struct Lookup {
  const char* local;
  uint32_t want;
};

TEST(Demux, BoundEndpointsFallBackFromSpecificToWildcard) {
  SeededRng rng(1);
  Demux demux(rng);
  ASSERT_TRUE(demux.AddBound(At("10.0.0.2:80"), 1));
  ASSERT_TRUE(demux.AddBound(At("0.0.0.0:81"), 2));
  ASSERT_TRUE(demux.AddBound(At("[::]:81"), 3));
  ASSERT_TRUE(demux.AddBound(At("[::]:82"), 4));
  ASSERT_TRUE(demux.AddBound(At("[2001:db8::2]:80"), 5));
  const Lookup lookups[] = {
      {"10.0.0.2:80", 1},          {"10.0.0.3:80", kNone},
      {"10.0.0.3:81", 2},          {"[2001:db8::2]:81", 3},
      {"10.0.0.3:82", 4},  // "::" is dual-stack
      {"[2001:db8::3]:82", 4},     {"[2001:db8::2]:80", 5},
      {"[2001:db8::3]:80", kNone}, {"10.0.0.2:83", kNone},
  };
  for (const Lookup& lookup : lookups) {
    EXPECT_EQ(demux.FindBound(At(lookup.local)).value_or(kNone), lookup.want)
        << lookup.local;
  }
}

struct Conflict {
  const char* first;
  const char* second;
  bool conflict;
};

// As bind(2) without SO_REUSEPORT, except that "::" leaves IPv4 to a listener
// of its own.
const Conflict kConflicts[] = {
    {"10.0.0.2:80", "10.0.0.2:80", true},
    {"10.0.0.2:80", "10.0.0.2:81", false},
    {"10.0.0.2:80", "10.0.0.3:80", false},
    {"10.0.0.2:80", "0.0.0.0:80", true},
    {"0.0.0.0:80", "10.0.0.2:80", true},
    {"[::]:80", "[2001:db8::2]:80", true},
    {"[2001:db8::2]:80", "[::]:80", true},
    {"[::]:80", "0.0.0.0:80", false},
    {"0.0.0.0:80", "[::]:80", false},
    {"[::]:80", "10.0.0.2:80", false},
};

TEST(Demux, RefusesOverlappingEndpointsUntilTheFirstIsGone) {
  for (const Conflict& c : kConflicts) {
    SeededRng rng(1);
    Demux demux(rng);
    ASSERT_TRUE(demux.AddBound(At(c.first), 1));
    EXPECT_EQ(demux.AddBound(At(c.second), 2), !c.conflict)
        << c.first << " then " << c.second;
    demux.RemoveBound(At(c.second));
    demux.RemoveBound(At(c.first));
    EXPECT_TRUE(demux.AddBound(At(c.second), 2)) << c.second;
  }
}

TEST(FlowHash, SpreadsSimilarTuplesAndDependsOnTheKey) {
  SeededRng rng(1);
  const FlowHash hash(rng);
  const FlowHash other(rng);
  std::set<size_t> low_bits;
  std::set<size_t> values;
  FourTuple tuple = {At("10.0.0.2:80"), At("10.0.0.1:0")};
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
