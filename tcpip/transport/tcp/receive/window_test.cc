#include "tcpip/transport/tcp/receive/window.h"

#include <algorithm>
#include <cstdint>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip::tcp {
namespace {

constexpr uint32_t kMss = 1460;

Negotiated Scaled(uint8_t shift, uint32_t rmss) {
  Negotiated negotiated;
  negotiated.rmss = rmss;
  negotiated.rcv_scale = WindowScale(shift);
  return negotiated;
}

// A receiver's numbers, and the window in bytes that it offers.
struct Model {
  Model(uint8_t shift, uint32_t initial, uint32_t buffer,
        SeqNum irs_plus_1 = SeqNum(1), uint32_t rmss = kMss)
      : scale(shift),
        window(Scaled(shift, rmss), irs_plus_1, initial, buffer),
        rcv_nxt(irs_plus_1) {}

  void Receive(uint32_t n) {
    rcv_nxt += n;
    unread += n;
  }
  void Read(uint32_t n) { unread -= n; }
  uint32_t Offer() { return (window.Offer(rcv_nxt, unread) << scale).bytes(); }
  uint32_t Remaining() const { return window.Remaining(rcv_nxt).bytes(); }
  bool IsWorthAnnouncing() const {
    return window.IsWorthAnnouncing(rcv_nxt, unread);
  }

  WindowScale scale;
  ReceiveWindow window;
  SeqNum rcv_nxt;
  uint32_t unread = 0;
};

TEST(ReceiveWindow, HonoursWhatTheSynOffered) {
  const Model m(7, 64'000, 1 << 20);
  EXPECT_EQ(m.Remaining(), 64'000u);
}

TEST(ReceiveWindow, OffersTheWholeBufferAtOnce) {
  Model m(7, 64'000, 1 << 20);
  EXPECT_EQ(m.Offer(), uint32_t{1} << 20);
}

// [fault O01] less is offered while memory is short; what has been offered is
// still honoured, and a reader goes on
TEST(ReceiveWindow, OffersItsShareWhileMemoryIsShort) {
  Model m(0, 20'000, 60'000);
  m.window.SetShare(2'048);
  m.Receive(1'000);
  EXPECT_EQ(m.Offer(), 19'000u);
  m.Receive(19'000);
  EXPECT_EQ(m.Offer(), 0u);
  m.Read(18'900);
  EXPECT_FALSE(m.IsWorthAnnouncing());  // room for less than half the share
  m.Read(1'100);
  EXPECT_TRUE(m.IsWorthAnnouncing());
  EXPECT_EQ(m.Offer(), 2'048u);
  m.window.SetShare(UINT32_MAX);
  EXPECT_EQ(m.Offer(), 60'000u);
}

// [fault O01] [fault W01] with a segment that exceeds the share, or a granule
TEST(ReceiveWindow, OpensAgainWithTheShareWhateverASegmentIs) {
  for (const uint8_t shift : {0, 7, 14}) {
    Model m(shift, 65'535, 1 << 20, SeqNum(1), 65'495);
    m.Offer();
    m.Receive(m.Remaining());
    m.window.SetShare(2'048);
    EXPECT_EQ(m.Offer(), 0u);
    m.Read(m.unread);
    EXPECT_TRUE(m.IsWorthAnnouncing());
    EXPECT_EQ(m.Offer(), std::max(2'048u, 1u << shift));
  }
}

TEST(ReceiveWindow, ClosesAsDataIsNotRead) {
  Model m(0, 20'000, 20'000);
  for (uint32_t received = 0; received < 20'000; received += 1000) {
    EXPECT_EQ(m.Offer(), 20'000 - received);
    m.Receive(1000);
  }
  EXPECT_EQ(m.Offer(), 0u);
}

TEST(ReceiveWindow, TheEdgeMovesByASegmentOrHalfTheBufferAtLeast) {
  // [RFC 9293 3.8.6.2.2 MUST-39]
  struct Row {
    uint32_t buffer;
    uint32_t read;
    uint32_t want;
  };
  for (const Row& row : {Row{20'000, kMss - 1, 0}, Row{20'000, kMss, kMss},
                         Row{2000, 999, 0}, Row{2000, 1000, 1000}}) {
    Model m(0, row.buffer, row.buffer);
    m.Receive(row.buffer);
    m.Read(row.read);
    EXPECT_EQ(m.Offer(), row.want) << row.buffer << " " << row.read;
  }
}

TEST(ReceiveWindow, RoundsFreshSpaceDownToTheGranule) {
  // [fault W08] granules of 16 KiB here, larger than a segment
  Model m(14, 65'535, 1 << 20);
  EXPECT_EQ(m.Offer(), uint32_t{1} << 20);
  m.Receive(1 << 20);
  m.Read(16'383);
  EXPECT_EQ(m.Offer(), 0u);
  m.Read(1);
  EXPECT_EQ(m.Offer(), 16'384u);
}

TEST(ReceiveWindow, NeverOffersMoreThanTheFieldCanSay) {
  Model plain(0, 65'535, 1 << 20);
  EXPECT_EQ(plain.Offer(), 65'535u);
  Model scaled(14, 65'535, 0xffffffff);
  EXPECT_EQ(scaled.Offer(), 0xffffu << 14);
}

TEST(ReceiveWindow, AFinBeyondTheEdgeLeavesAWindowOfZero) {
  // [fault W10]
  Model m(0, 1000, 1000);
  m.Receive(1000);
  m.rcv_nxt += 1;
  EXPECT_EQ(m.Remaining(), 0u);
  EXPECT_EQ(m.Offer(), 0u);
}

TEST(ReceiveWindow, ASmallerBufferTakesNothingBack) {
  Model m(0, 60'000, 60'000);
  m.window.SetBufferBytes(10'000);
  EXPECT_EQ(m.Offer(), 60'000u);
  m.Receive(60'000);
  EXPECT_EQ(m.Offer(), 0u);
  m.Read(60'000);
  EXPECT_EQ(m.Offer(), 10'000u);
}

TEST(ReceiveWindow, IsAnnouncedWhenItAtLeastDoubles) {
  // [req A-15]
  struct Row {
    const char* name;
    uint32_t received;
    uint32_t read;
    bool want;
  };
  const Row kRows[] = {
      {"closed, less than a segment", 60'000, kMss - 1, false},
      {"closed, a segment", 60'000, kMss, true},
      {"a crumb left, a segment", 59'900, kMss, true},
      {"a third left, less than as much", 40'000, 19'999, false},
      {"a third left, as much again", 40'000, 20'000, true},
      {"more than half left, all read", 29'000, 29'000, false},
      {"nothing read", 30'000, 0, false},
  };
  for (const Row& row : kRows) {
    Model m(0, 60'000, 60'000);
    m.Receive(row.received);
    ASSERT_EQ(m.Offer(), 60'000 - row.received);
    m.Read(row.read);
    EXPECT_EQ(m.IsWorthAnnouncing(), row.want) << row.name;
    m.Offer();
    EXPECT_FALSE(m.IsWorthAnnouncing()) << row.name;
  }
}

TEST(ReceiveWindow, TheRightEdgeNeverMovesLeftWithARandomReader) {
  // [RFC 9293 3.8.6 SHLD-14] [fault W08]
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SeededRng rng(seed);
    const uint32_t buffer = 4096 + rng.Below(1 << 20);
    const uint8_t shift = static_cast<uint8_t>(rng.Below(8));
    Model m(shift, std::min(buffer, 65'535u), buffer,
            SeqNum(static_cast<uint32_t>(rng.Next())));
    SeqNum edge = m.rcv_nxt + std::min(buffer, 65'535u);
    for (int step = 0; step < 500; ++step) {
      m.Receive(std::min(m.Remaining(), rng.Below(3 * kMss)));
      if (rng.Below(3) == 0) m.Read(rng.Below(m.unread + 1));
      const uint32_t offered = m.Offer();
      ASSERT_GE(m.rcv_nxt + offered, edge) << "step " << step;
      edge = m.rcv_nxt + offered;
      ASSERT_EQ(m.window.right_edge(), edge);
      ASSERT_LE(m.unread + offered, buffer + buffer / 16);
    }
  }
}

TEST(ReceiveWindow, RoundingUpEndsWhereItsShareOfTheBufferIsUsedUp) {
  // [fault W07] single bytes would otherwise push the edge ahead for ever
  constexpr uint32_t kBuffer = 1 << 16;
  Model m(7, kBuffer, kBuffer);
  uint32_t received = 0;
  while (m.Offer() > 0) {
    m.Receive(1);
    ASSERT_LE(++received, kBuffer + kBuffer / 16);
  }
  EXPECT_GE(received, kBuffer - 128);
  // What was offered once is still taken.
  EXPECT_EQ(m.window.right_edge(), SeqNum(1) + received + m.Remaining());
  EXPECT_LT(m.Remaining(), 128u);
}

}  // namespace
}  // namespace tcpip::tcp
