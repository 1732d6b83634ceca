#include "tcpip/shard/command.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(OwnedBytes, AllocatedBlockIsWritableAndMoves) {
  OwnedBytes bytes = OwnedBytes::Allocate(3);
  bytes.mutable_data()[2] = 7;
  const OwnedBytes moved = std::move(bytes);
  EXPECT_EQ(moved.size(), 3u);
  EXPECT_EQ(moved.span()[2], 7);
}

TEST(OwnedBytes, OwnerLivesAsLongAsTheBytes) {
  auto owner = std::make_shared<int>(5);
  static const uint8_t kData[] = {1, 2, 3};
  {
    const OwnedBytes bytes(kData, sizeof kData, owner);
    EXPECT_EQ(owner.use_count(), 2);
    EXPECT_EQ(bytes.span().data(), kData);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(OwnedBytes, DefaultIsEmpty) {
  EXPECT_EQ(OwnedBytes().size(), 0u);
  EXPECT_TRUE(OwnedBytes().span().empty());
}

}  // namespace
}  // namespace tcpip
