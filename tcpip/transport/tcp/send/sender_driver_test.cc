#include "tcpip/transport/tcp/send/sender_driver.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

TEST(SenderDriver, PrintsWhatLeavesByOffset) {
  SenderDriver d({.iss = 0xffffffff});
  d.Write(2500);
  EXPECT_EQ(d.Drain(), "0..1000 1000..2000 2000..2500P");
  d.Close();
  EXPECT_EQ(d.Drain(), "2500..2500F");
}

TEST(SenderDriver, RunsTheClockToTheNextTimer) {
  SenderDriver d({});
  EXPECT_EQ(d.Expire(), "idle");
  d.Write(100);
  EXPECT_EQ(d.Drain(), "0..100P");
  EXPECT_EQ(d.Expire(), "+300: r0..100P");
}

}  // namespace
}  // namespace tcpip::tcp
