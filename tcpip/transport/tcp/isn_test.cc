#include "tcpip/transport/tcp/isn.h"

#include <vector>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

FourTuple Tuple(uint16_t local_port, uint8_t remote_host = 2) {
  return {{IpAddress::Ipv4(192, 0, 2, 1), local_port},
          {IpAddress::Ipv4(192, 0, 2, remote_host), 80}};
}

Instant After(Duration d) { return Instant::FromNanoseconds(0) + d; }

// [RFC 9293 3.4.1 MUST-8] one tick every 4 us
TEST(InitialNumberGenerator, OneTuplesIssRisesByAQuarterMillionASecond) {
  SeededRng rng(1);
  const InitialNumberGenerator generator(rng);
  const SeqNum first = generator.For(Tuple(1000), After({})).iss;
  const SeqNum later =
      generator.For(Tuple(1000), After(Duration::Seconds(1))).iss;
  EXPECT_EQ(later - first, 250'000);
}

// [RFC 6528 3] [fault X08]: knowing one tuple's number says nothing about
// another's. Distances of neighbours fill the space evenly.
TEST(InitialNumberGenerator, TuplesAreUnrelated) {
  SeededRng rng(2);
  const InitialNumberGenerator generator(rng);
  constexpr int kBuckets = 16;
  std::vector<int> counts(kBuckets);
  SeqNum previous = generator.For(Tuple(0), After({})).iss;
  for (int port = 1; port <= 16'000; ++port) {
    const SeqNum iss =
        generator.For(Tuple(static_cast<uint16_t>(port)), After({})).iss;
    ++counts[static_cast<uint32_t>(iss - previous) >> 28];
    previous = iss;
  }
  for (const int n : counts) EXPECT_NEAR(n, 1'000, 150);
}

// [RFC 9293 3.4.1 MUST-9]
TEST(InitialNumberGenerator, KeysDifferFromBootToBoot) {
  SeededRng one(3);
  SeededRng two(4);
  EXPECT_NE(InitialNumberGenerator(one).For(Tuple(1), After({})).iss,
            InitialNumberGenerator(two).For(Tuple(1), After({})).iss);
}

// [RFC 7323 5.4] [fault X10]
TEST(InitialNumberGenerator, TimestampOffsetIsOnePerPairOfHosts) {
  SeededRng rng(5);
  const InitialNumberGenerator generator(rng);
  const auto offset = [&](const FourTuple& t) {
    return generator.For(t, After({})).tsval_offset;
  };
  EXPECT_EQ(offset(Tuple(1)), offset(Tuple(2)));
  EXPECT_NE(offset(Tuple(1, 2)), offset(Tuple(1, 3)));
  EXPECT_EQ(generator.For(Tuple(1), After(Duration::Seconds(9))).tsval_offset,
            offset(Tuple(1)));
}

TEST(InitialNumbers, AtLeastOnlyEverRaisesTheIss) {
  const InitialNumbers numbers{SeqNum(100), 7};
  EXPECT_EQ(numbers.AtLeast(SeqNum(50)).iss, SeqNum(100));
  EXPECT_EQ(numbers.AtLeast(SeqNum(150)).iss, SeqNum(150));
  EXPECT_EQ(numbers.AtLeast(SeqNum(150)).tsval_offset, 7u);
}

TEST(TsvalAt, TicksEveryMillisecondAndWraps) {
  EXPECT_EQ(TsvalAt(After(Duration::Milliseconds(5)), 10), 15u);
  EXPECT_EQ(TsvalAt(After(Duration::Milliseconds(5)), 0xffffffff), 4u);
}

}  // namespace
}  // namespace tcpip::tcp
