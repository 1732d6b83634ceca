#include "tcpip/transport/tcp/recovery/sack_loss.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/time.h"

namespace tcpip::tcp {
namespace {

constexpr Instant kNow = Instant::FromNanoseconds(1);
constexpr uint32_t kSmss = 1000;

struct Case {
  const char* name;
  std::vector<std::pair<uint32_t, uint32_t>> sacked;
  uint32_t frontier;
  uint32_t segments = 20;      // of kSmss each, in flight
  bool super_segment = false;  // sent as one
};

class LossFrontierTest : public testing::TestWithParam<Case> {};

TEST_P(LossFrontierTest, IsWhatRfc6675Says) {
  // [RFC 6675 4] IsLost, at every place of the sequence space
  for (uint32_t una : {0u, 0x7fffffffu, 0x80000000u, 0xfffff000u}) {
    const Case& c = GetParam();
    SentLog log{SeqNum(una)};
    const uint32_t sends = c.super_segment ? 1 : c.segments;
    for (uint32_t i = 0; i < sends; ++i) {
      log.OnSent(c.segments / sends * kSmss, kSmss, kNow);
    }
    Delivery delivery;
    for (const auto& [begin, end] : c.sacked) {
      log.ApplySack({SeqNum(una + begin), SeqNum(una + end)}, kNow, delivery);
    }
    EXPECT_EQ(LossFrontier(log, kSmss), SeqNum(una + c.frontier));
    EXPECT_EQ(IsLost(log, kSmss, SeqNum(una)), c.frontier > 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    SackLoss, LossFrontierTest,
    testing::Values(
        Case{"NothingSackedNothingLost", {}, 0},
        Case{"TwoSegmentsAboveAreNotEnough", {{1000, 3000}}, 0},
        Case{"AByteMoreThanTwoSegmentsIs", {{1000, 3001}}, 1000},
        Case{"ThreeSegmentsAbove", {{1000, 4000}}, 1000},
        Case{"TwoTinyRangesAreNotEnough", {{1000, 1001}, {3000, 3001}}, 0},
        Case{"ThreeTinyRangesAre",
             {{1000, 1001}, {3000, 3001}, {5000, 5001}},
             1000},
        Case{"AHoleWithTwoSegmentsAboveIsNotLost",
             {{1000, 4000}, {5000, 7000}},
             1000},
        Case{"AHoleWithThreeSegmentsAboveIs",
             {{1000, 4000}, {5000, 8000}},
             5000},
        Case{"TheFrontierIsBelowTheRangeThatDecides",
             {{2000, 3000}, {4000, 5000}, {6000, 7000}, {8000, 9000}},
             4000},
        Case{"InsideASuperSegment", {{1000, 4000}}, 1000, 20, true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SackLoss, NothingAboveTheHighestSackedRangeIsLost) {
  SentLog log{SeqNum(0)};
  for (int i = 0; i < 10; ++i) log.OnSent(kSmss, kSmss, kNow);
  Delivery delivery;
  log.ApplySack({SeqNum(1000), SeqNum(5000)}, kNow, delivery);
  EXPECT_TRUE(IsLost(log, kSmss, SeqNum(999)));
  EXPECT_FALSE(IsLost(log, kSmss, SeqNum(5000)));
}

}  // namespace
}  // namespace tcpip::tcp
