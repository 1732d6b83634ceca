#include "tcpip/transport/tcp/send/segmenter.h"

#include <string>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

struct Case {
  const char* name;
  uint32_t max_gso_bytes;
  uint32_t available;
  uint32_t room;
  uint32_t want;
};

class SegmenterTest : public testing::TestWithParam<Case> {};

TEST_P(SegmenterTest, Cuts) {
  const Case& c = GetParam();
  const Segmenter segmenter(1000, c.max_gso_bytes);
  EXPECT_EQ(segmenter.Cut(c.available, c.room), c.want);
}

INSTANTIATE_TEST_SUITE_P(
    Segmenter, SegmenterTest,
    testing::Values(
        Case{"NothingToSend", 65280, 0, 50000, 0},
        Case{"NoRoom", 65280, 5000, 0, 0},
        Case{"OneSegmentWhereTheLinkCannotCut", 0, 5000, 5000, 1000},
        Case{"OneSegmentWhereTheLinkCutsLessThanOne", 600, 5000, 5000, 1000},
        Case{"WholeSegmentsUpToTheLinksLimit", 4500, 90000, 90000, 4000},
        Case{"NeverMoreThanAPacketHolds", 1000000, 90000, 90000, 65000},
        Case{"TheTailGoesAlong", 65280, 4700, 90000, 4700},
        Case{"WholeSegmentsOfTheRoom", 65280, 9000, 3900, 3000},
        Case{"ASmallRoomAsItIs", 65280, 9000, 400, 400},
        Case{"ExactlyOneSegmentOfRoom", 65280, 9000, 1000, 1000}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Segmenter, GsoSizeIsSetWhenTheLinkHasToCut) {
  const Segmenter segmenter(1000, 65280);
  EXPECT_EQ(segmenter.GsoSize(1000), 0u);
  EXPECT_EQ(segmenter.GsoSize(1001), 1000u);
}

TEST(Segmenter, AThirdOfTheWindowIsWholeSegments) {
  const Segmenter segmenter(1000, 65280);
  EXPECT_EQ(segmenter.ThirdOf(1000), 1000u);
  EXPECT_EQ(segmenter.ThirdOf(8999), 2000u);
  EXPECT_EQ(segmenter.ThirdOf(9000), 3000u);
  EXPECT_EQ(segmenter.ThirdOf(300'000), 100'000u);
}

TEST(Segmenter, CountsSegmentsOnTheWire) {
  const Segmenter segmenter(1000, 65280);
  EXPECT_EQ(segmenter.WireSegments(0), 1u);
  EXPECT_EQ(segmenter.WireSegments(1000), 1u);
  EXPECT_EQ(segmenter.WireSegments(40'001), 41u);
}

}  // namespace
}  // namespace tcpip::tcp
