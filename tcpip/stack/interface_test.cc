#include "tcpip/stack/interface.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

Cidr Net(const char* text) { return Cidr::Parse(text).value(); }
IpAddress Ip(const char* text) { return IpAddress::Parse(text).value(); }

absl::StatusCode Add(Interface& interface, const Cidr& address) {
  return interface.AddAddress(address).code();
}

TEST(Interface, TakesHostAddressesOnce) {
  Interface interface(3, {.name = "nst0"}, 10);
  EXPECT_EQ(Add(interface, Net("10.0.0.2/24")), absl::StatusCode::kOk);
  EXPECT_EQ(Add(interface, Net("10.0.0.2/16")),
            absl::StatusCode::kAlreadyExists);
  for (const char* bad : {"0.0.0.0/0", "::/0", "224.0.0.1/4", "ff02::1/8",
                          "255.255.255.255/32"}) {
    EXPECT_EQ(Add(interface, Net(bad)), absl::StatusCode::kInvalidArgument)
        << bad;
  }
  EXPECT_EQ(Add(interface, {Ip("10.0.0.3"), 33}),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(interface.addresses().size(), 1u);
  EXPECT_TRUE(interface.RemoveAddress(Ip("10.0.0.2")).ok());
  EXPECT_EQ(interface.RemoveAddress(Ip("10.0.0.2")).code(),
            absl::StatusCode::kNotFound);
  EXPECT_TRUE(interface.addresses().empty());
}

// [fault L14]
TEST(Interface, ASmallMtuCarriesNoIpv6) {
  Interface interface(0, {.name = "x", .link = {.mtu = 1279}}, 10);
  EXPECT_EQ(Add(interface, Net("2001:db8::2/64")),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Add(interface, Net("10.0.0.2/24")), absl::StatusCode::kOk);
}

TEST(Interface, ABroadcastAddressIsNobodys) {
  Interface link(1, {.name = "nst0"}, 10);
  EXPECT_EQ(Add(link, Net("10.0.0.255/24")),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(link.ingress(), ip::Ingress::kLink);
}

// Its packets would be martians, both ways.
TEST(Interface, OnlyALoopbackTakesLoopbackAddresses) {
  Interface link(1, {.name = "nst0"}, 10);
  for (const char* bad : {"127.0.0.1/8", "127.9.9.9/32", "::1/128"}) {
    EXPECT_EQ(Add(link, Net(bad)), absl::StatusCode::kInvalidArgument) << bad;
  }
  Interface loopback(0, {.name = "lo", .loopback = true}, 10);
  EXPECT_EQ(Add(loopback, Net("127.0.0.1/8")), absl::StatusCode::kOk);
  EXPECT_EQ(loopback.ingress(), ip::Ingress::kLoopback);
}

struct PathCase {
  uint32_t mtu;
  uint32_t gso;
  uint16_t mss_v4;
  uint16_t mss_v6;
  uint32_t want_gso;
};

const PathCase kPathCases[] = {
    {1500, 0, 1460, 1440, 0},      {1280, 65535, 1240, 1220, kMaxGsoPayload},
    {576, 30000, 536, 516, 30000}, {65535, 0, 65495, 65475, 0},
    {1 << 20, 0, 65495, 65475, 0}, {60, 0, tcp::kMinMss, tcp::kMinMss, 0},
};

// [RFC 9293 3.7.1] MTU less the fixed headers, whatever options come later
TEST(Interface, PathFactsFollowFromTheMtu) {
  for (const PathCase& c : kPathCases) {
    const Interface interface(0,
                              {.name = "x",
                               .link = {.mtu = c.mtu,
                                        .tx = {.tso4 = c.gso > 0},
                                        .max_gso_bytes = c.gso}},
                              10);
    const tcp::PathFacts v4 = interface.PathFor(IpFamily::kIpv4, c.mtu);
    const tcp::PathFacts v6 = interface.PathFor(IpFamily::kIpv6, c.mtu);
    EXPECT_EQ(v4.mss, c.mss_v4) << c.mtu;
    EXPECT_EQ(v6.mss, c.mss_v6) << c.mtu;
    EXPECT_EQ(v4.path_mss, c.mss_v4) << c.mtu;
    EXPECT_EQ(v6.path_mss, c.mss_v6) << c.mtu;
    EXPECT_EQ(v4.max_gso_bytes, c.want_gso) << c.mtu;
    EXPECT_EQ(v6.max_gso_bytes, 0u) << c.mtu;
    // [RFC 9293 3.7.1 MUST-15]
    EXPECT_EQ(v4.default_mss, 536);
    EXPECT_EQ(v6.default_mss, 1220);
  }
}

// [fault L02] an offload may be switched off while connections are open
TEST(Interface, CapabilitiesMayChange) {
  Interface interface(0, {.name = "x"}, 10);
  interface.SetCapabilities({.mtu = 1280,
                             .tx = {.checksum = true, .tso6 = true},
                             .max_gso_bytes = 40000});
  EXPECT_EQ(interface.PathFor(IpFamily::kIpv4, 1280).mss, 1240);
  EXPECT_EQ(interface.PathFor(IpFamily::kIpv4, 1280).max_gso_bytes, 0u);
  EXPECT_EQ(interface.PathFor(IpFamily::kIpv6, 1280).max_gso_bytes, 40000u);
  EXPECT_TRUE(interface.config().link.tx.checksum);
  EXPECT_EQ(interface.config().name, "x");
}

// [fault L14] an administrator's mistake or not, IPv4 has to follow
TEST(Interface, TheLinksOwnMtuIsFollowedWhateverIpv6Needs) {
  Interface interface(0, {.name = "x"}, 10);
  ASSERT_EQ(Add(interface, Net("2001:db8::2/64")), absl::StatusCode::kOk);
  interface.SetCapabilities({.mtu = 576});
  EXPECT_EQ(interface.config().link.mtu, 576u);
  EXPECT_TRUE(interface.Carries(IpFamily::kIpv4));
  EXPECT_FALSE(interface.Carries(IpFamily::kIpv6));
  EXPECT_EQ(interface.addresses().size(), 1u);
  for (const uint32_t bad : {0u, 67u, 65536u}) {
    interface.SetCapabilities({.mtu = bad});
    EXPECT_EQ(interface.config().link.mtu, 576u);
  }
  interface.SetCapabilities({.mtu = 1280});
  EXPECT_TRUE(interface.Carries(IpFamily::kIpv6));
}

// [RFC 1191 3.1] what we tell the peer follows from our link alone
TEST(Interface, APathMayTakeLessThanItsLink) {
  const Interface interface(0, {.name = "x"}, 10);
  const tcp::PathFacts path = interface.PathFor(IpFamily::kIpv4, 1400);
  EXPECT_EQ(path.mss, 1460);
  EXPECT_EQ(path.path_mss, 1360);
}

}  // namespace
}  // namespace tcpip
