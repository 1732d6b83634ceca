#include "conformance/flow_map.h"

#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(SequenceMapTest, IsAbsoluteInSynsAndCountsFromTheIsnElsewhere) {
  SequenceMap map;
  map.Learn(/*script=*/100, /*live=*/5000);
  EXPECT_EQ(map.ToLive(100, true), 5000u);
  EXPECT_EQ(map.ToLive(1, false), 5001u);
  EXPECT_EQ(map.ToScript(5000, true), 100u);
  EXPECT_EQ(map.ToScript(5001, false), 1u);
}

TEST(SequenceMapTest, Wraps) {
  SequenceMap map;
  map.Learn(0, 0xffffffff);
  EXPECT_EQ(map.ToLive(1, false), 0u);
  EXPECT_EQ(map.ToScript(9, false), 10u);
}

TEST(TimestampMapTest, TicksAsTheLiveClockDoes) {
  TimestampMap map(/*ticking=*/true);
  map.Learn(100, 7000);
  map.Learn(555, 7040);  // what a script says later changes nothing
  EXPECT_EQ(map.ToScript(7040), 140u);
  EXPECT_EQ(map.ToLive(140), 7040u);
}

TEST(TimestampMapTest, WithoutTicksEachValueStandsForTheOneItWasComparedWith) {
  TimestampMap map(/*ticking=*/false);
  map.Learn(100, 7000);
  map.Learn(555, 7040);
  EXPECT_EQ(map.ToLive(555), 7040u);
  EXPECT_EQ(map.ToLive(556), std::nullopt);
}

TEST(TimestampMapTest, ZeroIsNobodys) {
  EXPECT_EQ(TimestampMap(true).ToLive(0), 0u);
  EXPECT_EQ(TimestampMap(true).ToLive(5), std::nullopt);
}

}  // namespace
}  // namespace conformance
