#include "tcpip/transport/tcp/receive/ecn_echo.h"

#include "gtest/gtest.h"

namespace tcpip::tcp {
namespace {

constexpr bool kMarked = true;
constexpr bool kCwr = true;

// [RFC 3168 6.1.3]
TEST(EcnEcho, EchoesFromAMarkUntilCwr) {
  EcnEcho echo(true);
  EXPECT_FALSE(echo.OnData(!kMarked, !kCwr));
  EXPECT_FALSE(echo.echoes());
  EXPECT_TRUE(echo.OnData(kMarked, !kCwr));  // news
  EXPECT_TRUE(echo.echoes());
  EXPECT_FALSE(echo.OnData(kMarked, !kCwr));  // no news
  EXPECT_FALSE(echo.OnData(!kMarked, !kCwr));
  EXPECT_TRUE(echo.echoes());
  EXPECT_TRUE(echo.OnData(!kMarked, kCwr));
  EXPECT_FALSE(echo.echoes());
}

TEST(EcnEcho, AMarkBesideCwrIsANewOne) {
  EcnEcho echo(true);
  echo.OnData(kMarked, !kCwr);
  EXPECT_TRUE(echo.OnData(kMarked, kCwr));
  EXPECT_TRUE(echo.echoes());
}

TEST(EcnEcho, SaysNothingThatWasNotAgreedOn) {
  EcnEcho echo(false);
  EXPECT_FALSE(echo.OnData(kMarked, !kCwr));
  EXPECT_FALSE(echo.echoes());
}

}  // namespace
}  // namespace tcpip::tcp
