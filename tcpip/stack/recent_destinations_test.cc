#include "tcpip/stack/recent_destinations.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

IpAddress Host(uint32_t i) {
  return IpAddress::Ipv4(10, static_cast<uint8_t>(i >> 16),
                         static_cast<uint8_t>(i >> 8), static_cast<uint8_t>(i));
}

TEST(RecentDestinations, HasWhatWasSentToFromThatPort) {
  RecentDestinations recent;
  EXPECT_FALSE(recent.Has(9, Host(1)));
  EXPECT_FALSE(recent.Has(0, IpAddress()));
  recent.Add(9, Host(1));
  EXPECT_TRUE(recent.Has(9, Host(1)));
  EXPECT_FALSE(recent.Has(10, Host(1)));
  EXPECT_FALSE(recent.Has(9, Host(2)));
  const IpAddress v6 = *IpAddress::Parse("2001:db8::1");
  recent.Add(9, v6);
  EXPECT_TRUE(recent.Has(9, v6));
}

// The last hundred are nearly all there, and never one that was not sent to.
TEST(RecentDestinations, NewOnesDisplaceOldOnes) {
  RecentDestinations recent;
  constexpr uint32_t kSent = 100'000;
  for (uint32_t i = 0; i < kSent; ++i) recent.Add(9, Host(i));
  uint32_t there = 0;
  for (uint32_t i = kSent - 100; i < kSent; ++i)
    there += recent.Has(9, Host(i));
  EXPECT_GE(there, 80u);
  for (uint32_t i = 0; i < kSent; ++i) {
    EXPECT_FALSE(recent.Has(9, Host(kSent + i)));
  }
}

}  // namespace
}  // namespace tcpip
