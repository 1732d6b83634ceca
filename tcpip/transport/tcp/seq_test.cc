#include "tcpip/transport/tcp/seq.h"

#include <cstdint>
#include <initializer_list>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

// Where sums and signs wrap.
constexpr uint32_t kCorners[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};

TEST(SeqNum, OrderIsByDistanceAlsoAcrossTheWrap) {
  for (const uint32_t corner : kCorners) {
    const SeqNum a(corner);
    for (const uint32_t n : {1u, 2u, 1460u, 0x7ffffffeu, 0x7fffffffu}) {
      const SeqNum b = a + n;
      SCOPED_TRACE(testing::Message() << corner << " + " << n);
      EXPECT_TRUE(a < b && a <= b && b > a && b >= a);
      EXPECT_FALSE(b < a || b <= a || a > b || a >= b || a == b);
      EXPECT_EQ(b - a, static_cast<int32_t>(n));
      EXPECT_EQ(a - b, -static_cast<int32_t>(n));
      EXPECT_EQ(b - n, a);
      EXPECT_EQ(Max(a, b), b);
      EXPECT_EQ(Min(a, b), a);
    }
  }
}

TEST(SeqNum, EqualNumbersAreNeitherBeforeNorAfter) {
  for (const uint32_t corner : kCorners) {
    const SeqNum a(corner);
    EXPECT_TRUE(a == a && a <= a && a >= a);
    EXPECT_FALSE(a < a || a > a);
  }
}

TEST(SeqNum, AddingInPlaceWraps) {
  SeqNum a(0xffffffff);
  a += 3;
  EXPECT_EQ(a.value(), 2u);
}

TEST(SeqRange, ContainsItsBeginButNotItsEndAcrossTheWrap) {
  const SeqRange range{SeqNum(0xfffffffe), SeqNum(2)};
  EXPECT_EQ(range.size(), 4u);
  EXPECT_FALSE(range.empty());
  EXPECT_TRUE(range.Contains(SeqNum(0xfffffffe)));
  EXPECT_TRUE(range.Contains(SeqNum(1)));
  EXPECT_FALSE(range.Contains(SeqNum(2)));
  EXPECT_FALSE(range.Contains(SeqNum(0xfffffffd)));
}

TEST(SeqRange, IsEmptyWhenItEndsAtOrBeforeItsBegin) {
  EXPECT_TRUE((SeqRange{SeqNum(7), SeqNum(7)}).empty());
  EXPECT_TRUE((SeqRange{SeqNum(7), SeqNum(6)}).empty());
}

TEST(TsvalIsBefore, KnowsThatTheClockWraps) {
  // [RFC 7323 5.2]
  EXPECT_TRUE(TsvalIsBefore(4, 5));
  EXPECT_FALSE(TsvalIsBefore(5, 5));
  EXPECT_FALSE(TsvalIsBefore(5, 4));
  EXPECT_TRUE(TsvalIsBefore(0xffffffff, 0));
  EXPECT_FALSE(TsvalIsBefore(0, 0xffffffff));
}

TEST(WindowScale, ShiftsAboveFourteenAreFourteen) {
  // [RFC 7323 2.3] a larger shift is an error that is logged and capped
  EXPECT_EQ(WindowScale(14).shift(), 14);
  EXPECT_EQ(WindowScale(15).shift(), 14);
  EXPECT_EQ(WindowScale(255).shift(), 14);
}

// [RFC 9293 3.1 MUST-1]
TEST(WireWindow, ScalesUpToAGibibyte) {
  EXPECT_EQ((WireWindow(0xffff) << WindowScale(0)).bytes(), 65535u);
  EXPECT_EQ((WireWindow(3) << WindowScale(7)).bytes(), 384u);
  EXPECT_EQ((WireWindow(0xffff) << WindowScale(14)).bytes(), 0x3fffc000u);
}

TEST(WireWindow, RoundsDownAndSaturates) {
  const auto field = [](uint32_t bytes, uint8_t shift) {
    return WireWindow::RoundedDown(WindowSize(bytes), WindowScale(shift))
        .field();
  };
  EXPECT_EQ(field(127, 7), 0);  // [fault W08] no window rather than a crumb
  EXPECT_EQ(field(128, 7), 1);
  EXPECT_EQ(field(255, 7), 1);
  EXPECT_EQ(field(65535, 0), 65535);
  EXPECT_EQ(field(65536, 0), 65535);
  EXPECT_EQ(field(0xffffffff, 14), 65535);
}

}  // namespace
}  // namespace tcpip::tcp
