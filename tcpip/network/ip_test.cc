#include "tcpip/network/ip.h"

#include <vector>

#include "gtest/gtest.h"
#include "tcpip/buffer/slab.h"

namespace tcpip::ip {
namespace {

const IpAddress kV4 = IpAddress::Ipv4(10, 0, 0, 1);
const IpAddress kV4Own = IpAddress::Ipv4(10, 0, 0, 2);
const IpAddress kV6 = IpAddress::Parse("2001:db8::1").value();
const IpAddress kV6Own = IpAddress::Parse("2001:db8::2").value();

TEST(CheckIp, TakesBackWhatPrependIpMade) {
  SlabPool pool;
  for (const auto& [from, to] : {std::pair(kV4, kV4Own), {kV6, kV6Own}}) {
    Packet packet = Packet::WithHeadroom(pool);
    packet.AppendToHead(30);
    PrependIp(packet, {.source = from, .destination = to, .protocol = 99});
    const InputVerdict verdict = CheckIp(packet, Ingress::kLink);
    ASSERT_FALSE(verdict.drop);
    EXPECT_EQ(verdict.ip.source, from);
    EXPECT_EQ(verdict.ip.destination, to);
    EXPECT_EQ(verdict.ip.protocol, 99);
    EXPECT_EQ(verdict.ip.payload_size(), 30u);
    EXPECT_EQ(verdict.ip.header_size, HeaderSize(to.family()));
  }
}

TEST(CheckIp, RefusesOtherVersions) {
  SlabPool pool;
  EXPECT_EQ(CheckIp(Packet(), Ingress::kLink).drop, DropReason::kIpTruncated);
  for (int version : {0, 1, 5, 7, 15}) {
    std::vector<uint8_t> bytes(60);
    bytes[0] = static_cast<uint8_t>(version << 4);
    EXPECT_EQ(CheckIp(Packet::Copy(pool, bytes), Ingress::kLink).drop,
              DropReason::kIpBadVersion)
        << version;
  }
}

}  // namespace
}  // namespace tcpip::ip
