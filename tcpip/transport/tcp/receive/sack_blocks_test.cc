#include "tcpip/transport/tcp/receive/sack_blocks.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

using Blocks = std::vector<std::pair<uint32_t, uint32_t>>;

constexpr SeqRange Range(uint32_t begin, uint32_t end) {
  return {SeqNum(begin), SeqNum(end)};
}

Blocks Reported(SackBlocks& blocks) {
  wire::TcpOptions options;
  blocks.Report(options);
  Blocks reported;
  for (int i = 0; i < options.sack_block_count; ++i) {
    reported.emplace_back(options.sack_blocks[i].left,
                          options.sack_blocks[i].right);
  }
  return reported;
}

TEST(SackBlocks, TheNewestRangeIsFirst) {
  // [RFC 2018 4 MUST]
  SackBlocks blocks(/*enabled=*/true);
  EXPECT_TRUE(blocks.empty());
  blocks.OnOutOfOrder(Range(200, 300));
  blocks.OnOutOfOrder(Range(600, 700));
  blocks.OnOutOfOrder(Range(400, 500));
  EXPECT_FALSE(blocks.empty());
  EXPECT_EQ(Reported(blocks), (Blocks{{400, 500}, {600, 700}, {200, 300}}));
  // [RFC 2018 4] and repeated, since ACKs get lost
  EXPECT_EQ(Reported(blocks), (Blocks{{400, 500}, {600, 700}, {200, 300}}));
}

TEST(SackBlocks, ARangeThatGrewReplacesItsParts) {
  SackBlocks blocks(true);
  blocks.OnOutOfOrder(Range(200, 300));
  blocks.OnOutOfOrder(Range(600, 700));
  blocks.OnOutOfOrder(Range(400, 500));
  blocks.OnOutOfOrder(Range(200, 500));  // 300 to 400 arrived
  EXPECT_EQ(Reported(blocks), (Blocks{{200, 500}, {600, 700}}));
}

TEST(SackBlocks, TheSameRangeAgainMovesToTheFront) {
  SackBlocks blocks(true);
  blocks.OnOutOfOrder(Range(200, 300));
  blocks.OnOutOfOrder(Range(600, 700));
  blocks.OnOutOfOrder(Range(200, 300));
  EXPECT_EQ(Reported(blocks), (Blocks{{200, 300}, {600, 700}}));
}

TEST(SackBlocks, FourAreKept) {
  SackBlocks blocks(true);
  for (uint32_t i = 1; i <= 6; ++i) {
    blocks.OnOutOfOrder(Range(i * 100, i * 100 + 50));
  }
  EXPECT_EQ(Reported(blocks),
            (Blocks{{600, 650}, {500, 550}, {400, 450}, {300, 350}}));
}

TEST(SackBlocks, AcknowledgedRangesAreForgottenAcrossTheWrap) {
  SackBlocks blocks(true);
  blocks.OnOutOfOrder(Range(0xfffffff0, 4));
  blocks.OnOutOfOrder(Range(10, 20));
  blocks.OnAdvance(SeqNum(0xfffffff0));
  EXPECT_EQ(Reported(blocks), (Blocks{{10, 20}, {0xfffffff0, 4}}));
  blocks.OnAdvance(SeqNum(4));
  EXPECT_EQ(Reported(blocks), (Blocks{{10, 20}}));
  blocks.OnAdvance(SeqNum(20));
  EXPECT_TRUE(blocks.empty());
}

TEST(SackBlocks, ADuplicateIsReportedFirstAndOnce) {
  // [RFC 2883 4]
  SackBlocks blocks(true);
  blocks.OnOutOfOrder(Range(200, 300));
  blocks.OnDuplicate(Range(50, 100));
  EXPECT_EQ(Reported(blocks), (Blocks{{50, 100}, {200, 300}}));
  EXPECT_EQ(Reported(blocks), (Blocks{{200, 300}}));
}

TEST(SackBlocks, ADuplicatePartOfAHeldRangeComesBeforeThatRange) {
  // [RFC 2883 4.2.1]
  SackBlocks blocks(true);
  blocks.OnOutOfOrder(Range(200, 500));
  blocks.OnDuplicate(Range(250, 300));
  blocks.OnOutOfOrder(Range(200, 500));
  EXPECT_EQ(Reported(blocks), (Blocks{{250, 300}, {200, 500}}));
}

TEST(SackBlocks, TheFirstOfSeveralDuplicatesIsKeptUntilReported) {
  SackBlocks blocks(true);
  blocks.OnDuplicate(Range(50, 60));
  blocks.OnDuplicate(Range(70, 80));
  blocks.OnDuplicate(Range(90, 90));
  EXPECT_EQ(Reported(blocks), (Blocks{{50, 60}}));
  EXPECT_TRUE(blocks.empty());
}

TEST(SackBlocks, ADuplicateLeavesRoomForThreeRanges) {
  SackBlocks blocks(true);
  for (uint32_t i = 1; i <= 4; ++i) {
    blocks.OnOutOfOrder(Range(i * 100, i * 100 + 50));
  }
  blocks.OnDuplicate(Range(20, 30));
  EXPECT_EQ(Reported(blocks),
            (Blocks{{20, 30}, {400, 450}, {300, 350}, {200, 250}}));
}

TEST(SackBlocks, NothingIsReportedWithoutNegotiation) {
  SackBlocks blocks(/*enabled=*/false);
  blocks.OnOutOfOrder(Range(200, 300));
  blocks.OnDuplicate(Range(50, 60));
  EXPECT_TRUE(blocks.empty());
  EXPECT_EQ(Reported(blocks), Blocks());
}

}  // namespace
}  // namespace tcpip::tcp
