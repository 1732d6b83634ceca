#include "tcpip/transport/tcp/send/send_window.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

TEST(SendWindow, OnlySegmentsThatAreNotOlderSetTheWindow) {
  SendWindow window(WindowSize(1000), SeqNum(50), SeqNum(500));
  // [RFC 9293 3.10.7.4] WL1 < SEQ, or the same SEQ and WL2 =< ACK
  EXPECT_FALSE(window.OnAck(SeqNum(49), SeqNum(500), WindowSize(1)));
  EXPECT_FALSE(window.OnAck(SeqNum(50), SeqNum(499), WindowSize(2)));
  EXPECT_EQ(window.snd_wnd(), WindowSize(1000));
  EXPECT_TRUE(window.OnAck(SeqNum(50), SeqNum(500), WindowSize(3)));
  EXPECT_TRUE(window.OnAck(SeqNum(51), SeqNum(400), WindowSize(4)));
  EXPECT_EQ(window.snd_wnd(), WindowSize(4));
  EXPECT_FALSE(window.OnAck(SeqNum(51), SeqNum(400), WindowSize(4)));
}

// The peer repeats data behind later data of its own, with news of ours.
TEST(SendWindow, ANewAckOnOldDataSetsTheWindow) {
  SendWindow window(WindowSize(1000), SeqNum(0), SeqNum(0));
  EXPECT_TRUE(window.OnAck(SeqNum(100), SeqNum(10), WindowSize(500)));
  EXPECT_TRUE(window.OnAck(SeqNum(50), SeqNum(20), WindowSize(300)));
  EXPECT_EQ(window.snd_wnd(), WindowSize(300));
  EXPECT_FALSE(window.OnAck(SeqNum(49), SeqNum(20), WindowSize(900)));
  EXPECT_EQ(window.snd_wnd(), WindowSize(300));
}

TEST(SendWindow, RemembersTheLargest) {
  SendWindow window(WindowSize(1000), SeqNum(0), SeqNum(0));
  window.OnAck(SeqNum(0), SeqNum(0), WindowSize(5000));
  window.OnAck(SeqNum(0), SeqNum(0), WindowSize(0));
  EXPECT_EQ(window.max_snd_wnd(), WindowSize(5000));
  EXPECT_TRUE(window.IsShut());
}

TEST(SendWindow, AnEdgeBelowWhatWasSentLeavesNoRoom) {
  for (uint32_t una : {0u, 0x7fffffffu, 0x80000000u, 0xfffffffeu}) {
    const SendWindow window(WindowSize(1000), SeqNum(0), SeqNum(0));
    EXPECT_EQ(window.Room(SeqNum(una), SeqNum(una)), 1000u);
    EXPECT_EQ(window.Room(SeqNum(una), SeqNum(una) + 999), 1u);
    EXPECT_EQ(window.Room(SeqNum(una), SeqNum(una) + 1000), 0u);
    EXPECT_EQ(window.Room(SeqNum(una), SeqNum(una) + 60000),
              0u);  // [fault W04]
  }
}

}  // namespace
}  // namespace tcpip::tcp
