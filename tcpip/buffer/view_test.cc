#include "tcpip/buffer/view.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

ByteSpan Bytes(std::string_view s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

std::string Text(const View& v) {
  return std::string(v.span().begin(), v.span().end());
}

class ViewTest : public ::testing::Test {
 protected:
  SlabPool pool_{/*max_free_bytes=*/0};
};

TEST_F(ViewTest, DefaultIsEmptyAndPinsNothing) {
  View v;
  EXPECT_TRUE(v.empty());
  EXPECT_TRUE(v.span().empty());
  EXPECT_TRUE(v.mutable_span().empty());
  EXPECT_EQ(v.pinned_bytes(), 0u);
  EXPECT_EQ(v.tailroom(), 0u);
  EXPECT_FALSE(v.IsSoleOwner());
}

TEST_F(ViewTest, CopyHoldsTheBytesInTheSmallestBlock) {
  const std::string text(3'000, 'x');
  const View v = View::Copy(pool_, Bytes(text));
  EXPECT_EQ(Text(v), text);
  EXPECT_EQ(v.pinned_bytes(), SlabCapacity(SlabClass::kMedium));
  EXPECT_EQ(v.headroom(), 0u);
  EXPECT_EQ(v.tailroom(), SlabCapacity(SlabClass::kMedium) - 3'000);
}

TEST_F(ViewTest, CopyOfNothingTakesNoBlock) {
  EXPECT_TRUE(View::Copy(pool_, {}).empty());
  EXPECT_EQ(pool_.stats().allocated, 0u);
}

TEST_F(ViewTest, TrimsAtBothEnds) {
  View v = View::Copy(pool_, Bytes("abcdef"));
  v.TrimFront(1);
  v.TrimBack(2);
  EXPECT_EQ(Text(v), "bcd");
  EXPECT_EQ(v.headroom(), 1u);
}

TEST_F(ViewTest, SlicesShareTheBlock) {
  View v = View::Copy(pool_, Bytes("abcdef"));
  const View middle = v.Slice(2, 3);
  EXPECT_EQ(Text(middle), "cde");
  EXPECT_EQ(middle.data(), v.data() + 2);
  EXPECT_FALSE(v.IsSoleOwner());
  v = View();
  EXPECT_TRUE(middle.IsSoleOwner());
  EXPECT_EQ(Text(middle), "cde");
}

TEST_F(ViewTest, GrowsIntoHeadroomAndTailroom) {
  View v(pool_.Allocate(SlabClass::kSmall), 10, 0);
  v.GrowBack(2);
  v.mutable_span()[0] = 'b';
  v.mutable_span()[1] = 'c';
  v.GrowFront(1);
  v.mutable_span()[0] = 'a';
  EXPECT_EQ(Text(v), "abc");
  EXPECT_EQ(v.headroom(), 9u);
  EXPECT_EQ(v.tailroom(), SlabCapacity(SlabClass::kSmall) - 12);
}

TEST_F(ViewTest, IsFollowedByWantsTheSameBlockAndTheNextByte) {
  const View v = View::Copy(pool_, Bytes("abcdef"));
  const View other = View::Copy(pool_, Bytes("abcdef"));
  EXPECT_TRUE(v.Slice(0, 2).IsFollowedBy(v.Slice(2, 1)));
  EXPECT_FALSE(v.Slice(0, 2).IsFollowedBy(v.Slice(3, 1)));
  EXPECT_FALSE(v.Slice(2, 1).IsFollowedBy(v.Slice(0, 2)));
  EXPECT_FALSE(v.Slice(0, 2).IsFollowedBy(other.Slice(2, 1)));
}

TEST_F(ViewTest, MovingLeavesTheSourceEmpty) {
  View a = View::Copy(pool_, Bytes("abc"));
  View b = std::move(a);
  EXPECT_TRUE(a.empty());
  EXPECT_TRUE(a.span().empty());
  EXPECT_EQ(Text(b), "abc");
  a = std::move(b);
  EXPECT_TRUE(b.empty());
  EXPECT_EQ(Text(a), "abc");
  EXPECT_TRUE(a.IsSoleOwner());
}

}  // namespace
}  // namespace tcpip
