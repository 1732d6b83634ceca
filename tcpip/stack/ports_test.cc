#include "tcpip/stack/ports.h"

#include <set>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

const IpAddress kLocal = IpAddress::Ipv4(10, 0, 0, 2);

IpEndpoint Remote(uint32_t i) {
  return {IpAddress::Ipv4(10, 1, static_cast<uint8_t>(i >> 8),
                          static_cast<uint8_t>(i)),
          443};
}

bool Any(uint16_t) { return true; }

TEST(Ports, NoPortIsHandedOutTwiceToOneRemote) {
  SeededRng rng(1);
  Ports ports(1000, 1999, rng);
  std::set<uint16_t> used;
  const auto is_free = [&used](uint16_t port) { return !used.contains(port); };
  for (int i = 0; i < 1000; ++i) {
    const auto port = ports.ForConnection(kLocal, Remote(0), is_free);
    ASSERT_TRUE(port);
    EXPECT_GE(*port, 1000);
    EXPECT_LE(*port, 1999);
    EXPECT_TRUE(used.insert(*port).second);
  }
  EXPECT_FALSE(ports.ForConnection(kLocal, Remote(0), is_free));
  used.erase(1234);
  EXPECT_EQ(ports.ForConnection(kLocal, Remote(0), is_free), 1234);
}

TEST(Ports, APortJustClosedIsNotTheNext) {
  SeededRng rng(2);
  Ports ports(1000, 1999, rng);
  std::set<uint16_t> seen;
  for (int i = 0; i < 500; ++i) {
    EXPECT_TRUE(seen.insert(ports.ForConnection(kLocal, Remote(0), Any).value())
                    .second);
  }
}

// [RFC 6056 3.3.4] what one remote sees says nothing of another's
TEST(Ports, FirstPortsSpreadEvenlyOverTheRange) {
  SeededRng rng(3);
  Ports ports(32768, 60999, rng);
  constexpr int kBins = 16;
  constexpr double kPerBin = 1'000;
  int bins[kBins] = {};
  for (uint32_t i = 0; i < kBins * kPerBin; ++i) {
    const uint16_t port = ports.ForConnection(kLocal, Remote(i), Any).value();
    ++bins[(port - 32768) * kBins / (60999 - 32768 + 1)];
  }
  double chi_square = 0;
  for (const int count : bins) {
    const double off = count - kPerBin;
    chi_square += off * off / kPerBin;
  }
  // 15 degrees of freedom: 37.7 is exceeded once in a thousand seeds.
  EXPECT_LT(chi_square, 37.7);
}

TEST(Ports, AnotherKeyMakesAnotherOrder) {
  SeededRng one(4);
  SeededRng same(4);
  SeededRng other(5);
  Ports a(1000, 60999, one);
  Ports b(1000, 60999, same);
  Ports c(1000, 60999, other);
  int equal = 0;
  for (uint32_t i = 0; i < 100; ++i) {
    const auto port = a.ForConnection(kLocal, Remote(i), Any);
    EXPECT_EQ(port, b.ForConnection(kLocal, Remote(i), Any));
    equal += port == c.ForConnection(kLocal, Remote(i), Any);
  }
  EXPECT_LT(equal, 5);
}

// [RFC 6056 3.3.1] whoever sees a port cannot tell the one after
TEST(Ports, PortsOfBindingsDoNotFollowEachOther) {
  SeededRng rng(8);
  Ports ports(1000, 60999, rng);
  std::set<int> steps;
  uint16_t last = ports.ForBinding().value();
  for (int i = 0; i < 100; ++i) {
    const uint16_t next = ports.ForBinding().value();
    steps.insert(next - last);
    last = next;
  }
  EXPECT_GT(steps.size(), 95u);
}

// [fault C24]
TEST(Ports, BindingNeverGetsAHeldPort) {
  SeededRng rng(6);
  Ports ports(1000, 1099, rng);
  for (uint16_t port = 1000; port < 1100; port += 2) ports.Hold(port);
  std::set<uint16_t> got;
  for (int i = 0; i < 50; ++i) {
    const auto port = ports.ForBinding();
    ASSERT_TRUE(port);
    EXPECT_EQ(*port % 2, 1);
    EXPECT_TRUE(got.insert(*port).second);
    ports.Hold(*port);
  }
  EXPECT_FALSE(ports.ForBinding());
  ports.Release(1000);
  EXPECT_EQ(ports.ForBinding(), 1000);
}

TEST(Ports, APortIsHeldUntilEveryHolderReleasedIt) {
  SeededRng rng(7);
  Ports ports(1000, 1000, rng);
  ports.Hold(1000);
  ports.Hold(1000);
  ports.Release(1000);
  EXPECT_TRUE(ports.IsHeld(1000));
  EXPECT_FALSE(ports.ForBinding());
  ports.Release(1000);
  EXPECT_FALSE(ports.IsHeld(1000));
  EXPECT_EQ(ports.ForBinding(), 1000);
}

}  // namespace
}  // namespace tcpip
