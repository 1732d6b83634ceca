#include "tcpip/stack/output_queue.h"

#include <utility>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/buffer/slab.h"

namespace tcpip {
namespace {

class OutputQueueTest : public testing::Test {
 protected:
  Packet Make(uint8_t mark) { return Packet::Copy(pool_, ByteSpan(&mark, 1)); }
  static int MarkOf(const std::optional<Packet>& packet) {
    return packet ? packet->head()[0] : -1;
  }

  SlabPool pool_;
};

TEST_F(OutputQueueTest, PacketsKeepTheirOrderAcrossGrowthAndWrap) {
  PacketQueue queue(20);
  uint8_t in = 0;
  uint8_t out = 0;
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 3 + round % 4; ++i) queue.Push(Make(in++));
    for (int i = 0; i < 3 + round % 4; ++i) {
      ASSERT_EQ(MarkOf(queue.Pop()), out++);
    }
  }
  EXPECT_FALSE(queue.Pop());
  EXPECT_EQ(pool_.stats().live, 0u);
}

TEST_F(OutputQueueTest, AFullQueueLeavesThePacketWithTheCaller) {
  PacketQueue queue(2);
  EXPECT_TRUE(queue.Push(Make(1)));
  EXPECT_TRUE(queue.Push(Make(2)));
  EXPECT_TRUE(queue.full());
  Packet third = Make(3);
  EXPECT_FALSE(queue.Push(std::move(third)));
  EXPECT_EQ(third.size(), 1u);
  EXPECT_EQ(MarkOf(queue.Pop()), 1);
  EXPECT_TRUE(queue.Push(std::move(third)));
  EXPECT_EQ(MarkOf(queue.Pop()), 2);
  EXPECT_EQ(MarkOf(queue.Pop()), 3);
}

// Were it by their number, a packet of many could never be sent.
TEST_F(OutputQueueTest, FragmentsOfAPacketAreTakenTogether) {
  PacketQueue queue(4);
  EXPECT_TRUE(queue.Push(Make(0)));
  PacketBatch fragments;
  for (uint8_t mark = 1; mark <= 40; ++mark) fragments.push_back(Make(mark));
  queue.PushAll(fragments);
  EXPECT_TRUE(fragments.empty());
  EXPECT_FALSE(queue.Push(Make(99)));
  for (uint8_t mark = 0; mark <= 40; ++mark) {
    EXPECT_EQ(queue.full(), mark <= 37);
    EXPECT_EQ(MarkOf(queue.Pop()), mark);
  }
  EXPECT_TRUE(queue.empty());
}

TEST_F(OutputQueueTest, ControlGoesFirstThenDatagramsAndSendersTakeTurns) {
  Socket one;
  Socket two;
  OutputQueue queue(10);
  queue.AddSender(one);
  queue.AddSender(two);
  queue.AddSender(one);  // is in the list already
  for (uint8_t mark : {1, 2, 3}) queue.datagrams().Push(Make(mark));
  queue.control().Push(Make(9));

  EXPECT_EQ(MarkOf(queue.Next().packet), 9);
  EXPECT_EQ(MarkOf(queue.Next().packet), 1);
  EXPECT_EQ(queue.Next().sender, &one);
  queue.AddSender(one);  // it sent something
  EXPECT_EQ(MarkOf(queue.Next().packet), 2);
  EXPECT_EQ(queue.Next().sender, &one);
  EXPECT_EQ(MarkOf(queue.Next().packet), 3);
  EXPECT_EQ(queue.Next().sender, &two);
  EXPECT_TRUE(queue.empty());
  const OutputQueue::Turn last = queue.Next();
  EXPECT_FALSE(last.packet);
  EXPECT_EQ(last.sender, nullptr);
}

TEST_F(OutputQueueTest, ATurnIsFourSegmentsInARow) {
  Socket one;
  Socket two;
  OutputQueue queue(10);
  queue.AddSender(one);
  queue.AddSender(two);
  for (int turn = 0; turn < 3; ++turn) {
    for (Socket* sender : {&one, &two}) {
      for (int i = 0; i < 4; ++i) {
        ASSERT_EQ(queue.Next().sender, sender) << turn << " " << i;
        queue.AddSender(*sender);
      }
    }
  }
}

// Who has nothing left gives the rest of its turn away.
TEST_F(OutputQueueTest, ATurnEndsWithWhatThereIsToSend) {
  Socket one;
  Socket two;
  OutputQueue queue(10);
  queue.AddSender(one);
  queue.AddSender(two);
  EXPECT_EQ(queue.Next().sender, &one);
  EXPECT_EQ(queue.Next().sender, &two);
  queue.AddSender(one);
  EXPECT_EQ(queue.Next().sender, &one);
  EXPECT_TRUE(queue.empty());
}

TEST_F(OutputQueueTest, EitherKindAloneGetsEveryTurn) {
  Socket socket;
  OutputQueue queue(10);
  queue.datagrams().Push(Make(1));
  queue.datagrams().Push(Make(2));
  EXPECT_EQ(MarkOf(queue.Next().packet), 1);
  EXPECT_EQ(MarkOf(queue.Next().packet), 2);
  for (int i = 0; i < 9; ++i) {
    queue.AddSender(socket);
    EXPECT_EQ(queue.Next().sender, &socket);
  }
}

}  // namespace
}  // namespace tcpip
