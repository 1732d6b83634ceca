#include "tcpip/transport/tcp/send/sender.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tcpip/transport/tcp/send/sender_driver.h"

namespace tcpip::tcp {
namespace {

// Minshall's form of the Nagle algorithm, seen from the wire. [req A-31]'s
// eight rows come first.
TEST(SenderShortWrites, LeaveWithNothingInFlight) {
  SenderDriver d({});
  d.Write(300);
  EXPECT_EQ(d.Drain(), "0..300P");
}

TEST(SenderShortWrites, WaitForAShortOne) {
  SenderDriver d({});
  d.Write(300);
  d.Drain();
  d.Write(300);
  EXPECT_EQ(d.Drain(), "");
  EXPECT_EQ(d.sender().unsent_bytes(), 300u);
}

TEST(SenderShortWrites, DoNotWaitForFullOnes) {
  TcpConfig config;
  config.initial_window_segments = 50;
  for (uint32_t full : {1u, 3u, 40u}) {
    SenderDriver d({.config = config});
    d.Write(full * 1'000);
    d.Drain();
    d.Write(300);
    EXPECT_NE(d.Drain(), "") << full;
  }
}

TEST(SenderShortWrites, WaitForAShortOneBetweenFullOnes) {
  SenderDriver d({});
  d.Write(1'000);
  d.Drain();
  d.Write(300);
  d.Drain();
  d.Write(1'000);
  EXPECT_EQ(d.Drain(), "1300..2300P");
  d.Write(300);
  EXPECT_EQ(d.Drain(), "");
}

TEST(SenderShortWrites, DoNotWaitForASackedOne) {
  SenderDriver d({});
  d.Write(1'000);
  d.Write(300);
  EXPECT_EQ(d.Drain(), "0..1000 1000..1300P");
  d.Write(300);
  EXPECT_EQ(d.Drain(), "");
  EXPECT_EQ(d.Ack(0, {.sack = {{1'000, 1'300}}}), "1300..1600P");
}

TEST(SenderShortWrites, DoNotWaitForAFin) {
  SenderDriver d({});
  d.Write(1'000);
  d.Drain();
  d.Close();
  EXPECT_EQ(d.Drain(), "1000..1000F");
}

TEST(SenderShortWrites, TheTailOfALargeWriteLeavesWithIt) {
  SenderDriver d({.smss = 1'152});
  d.Write(100);
  d.Drain();
  d.Write(4'096);  // [req A-30]
  EXPECT_EQ(d.Drain(), "100..1252 1252..2404 2404..3556 3556..4196P");
  EXPECT_EQ(d.sender().unsent_bytes(), 0u);
}

TEST(SenderShortWrites, JoinUntilTheyFillASegment) {
  SenderDriver d({.smss = 1'152});
  d.Write(10);
  d.Drain();
  std::string sent;
  for (int i = 0; i < 5; ++i) {  // [req A-32]
    d.Write(300);
    sent += d.Drain();
  }
  EXPECT_EQ(sent, "10..1162");
  EXPECT_EQ(d.sender().unsent_bytes(), 348u);
}

TEST(SenderShortWrites, LeaveWhenTheShortOneIsAcknowledged) {
  SenderDriver d({});
  d.Write(300);
  d.Drain();
  d.Write(300);
  d.Drain();
  d.Advance(10);
  EXPECT_EQ(d.Ack(300), "300..600P");  // [req A-33]
  EXPECT_FALSE(d.timers().IsArmed(TimerSlot::kHold));
}

TEST(SenderShortWrites, WaitNoLongerThanTheLimit) {
  SenderDriver d({});
  d.Write(300);
  d.Drain();
  d.Write(300);
  d.Drain();
  d.Advance(30);
  d.Write(100);  // a later write does not start the time again
  EXPECT_EQ(d.Drain(), "");
  EXPECT_EQ(d.Expire(), "+10: 300..700P");  // [req A-33]
}

TEST(SenderShortWrites, AreHeldAgainAfterTheLimit) {
  SenderDriver d({});
  d.Write(300);
  d.Drain();
  d.Write(300);
  d.Drain();
  EXPECT_EQ(d.Expire(), "+40: 300..600P");
  d.Write(300);
  EXPECT_EQ(d.Drain(), "");
  EXPECT_EQ(d.Expire(), "+40: 600..900P");
}

TEST(SenderShortWrites, HeldOnesGoAheadOfTheFin) {
  SenderDriver d({});
  d.Write(300);
  d.Drain();
  d.Write(300);
  d.Drain();
  d.Close();
  EXPECT_EQ(d.Drain(), "300..600PF");  // [req A-34]
}

TEST(SenderShortWrites, NoDelaySendsAtOnce) {
  SenderDriver d({.no_delay = true});
  d.Write(300);
  d.Drain();
  d.Write(300);
  EXPECT_EQ(d.Drain(), "300..600P");
}

TEST(SenderShortWrites, TurningNoDelayOnReleasesWhatIsHeld) {
  SenderDriver d({});
  d.Write(300);
  d.Drain();
  d.Write(300);
  EXPECT_EQ(d.Drain(), "");
  d.sender().SetNoDelay(true);
  EXPECT_EQ(d.Drain(), "300..600P");
}

}  // namespace
}  // namespace tcpip::tcp
