#include "tcpip/network/ip_facts.h"

#include "gtest/gtest.h"

namespace tcpip::ip {
namespace {

IpAddress Address(const char* text) { return IpAddress::Parse(text).value(); }

struct Case {
  const char* source;
  const char* destination;
  bool martian_on_link;
  bool martian_on_loopback;
};

// [RFC 1122 3.2.1.3] what may be a source, and what may not leave a host
const Case kCases[] = {
    {"10.0.0.1", "10.0.0.2", false, false},
    {"10.0.0.2", "10.0.0.2", true, false},   // LAND
    {"127.0.0.1", "10.0.0.2", true, false},  // loopback source on a link
    {"10.0.0.1", "127.0.0.1", true, false},  // loopback destination on a link
    {"127.0.0.1", "127.0.0.1", true, false},
    {"224.0.0.1", "10.0.0.2", true, true},
    {"255.255.255.255", "10.0.0.2", true, true},
    {"0.0.0.0", "10.0.0.2", true, true},
    {"0.1.2.3", "10.0.0.2", true, true},
    {"2001:db8::1", "2001:db8::2", false, false},
    {"2001:db8::2", "2001:db8::2", true, false},
    {"::1", "2001:db8::2", true, false},
    {"2001:db8::1", "::1", true, false},
    {"ff02::1", "2001:db8::2", true, true},
    {"::", "2001:db8::2", true, true},
};

TEST(IsMartian, DependsOnWhereThePacketCameIn) {
  for (const Case& c : kCases) {
    const IpAddress source = Address(c.source);
    const IpAddress destination = Address(c.destination);
    EXPECT_EQ(IsMartian(source, destination, Ingress::kLink), c.martian_on_link)
        << c.source << " to " << c.destination;
    EXPECT_EQ(IsMartian(source, destination, Ingress::kLoopback),
              c.martian_on_loopback)
        << c.source << " to " << c.destination;
  }
}

TEST(InboundIp, PayloadIsWhatTheHeaderLeaves) {
  const InboundIp ip = {.header_size = 24, .size = 100};
  EXPECT_EQ(ip.payload_size(), 76u);
}

}  // namespace
}  // namespace tcpip::ip
