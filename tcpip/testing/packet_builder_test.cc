#include "tcpip/testing/packet_builder.h"

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

const IpEndpoint kFrom = *IpEndpoint::Parse("192.0.2.1:5000");
const IpEndpoint kTo = *IpEndpoint::Parse("192.0.2.2:53");

// A packet as tcpdump printed it, so that builder and reader cannot agree on
// the same mistake: echo request, id 1, seq 2, of the kernel's ping.
TEST(Build, MakesAnEchoRequestByteForByte) {
  const Bytes packet = Build(IcmpPacket{.from = kFrom.address,
                                        .to = kTo.address,
                                        .type = 8,
                                        .word = 0x00010002,
                                        .payload = {'a', 'b'}});
  const Bytes expected = {0x45, 0,    0,    30,   0, 0, 0x40, 0, 64,  1,
                          0xb6, 0xdb, 192,  0,    2, 1, 192,  0, 2,   2,
                          8,    0,    0x96, 0x9a, 0, 1, 0,    2, 'a', 'b'};
  EXPECT_EQ(packet, expected);
}

TEST(Build, PutsPortsAndLengthIntoUdp) {
  const Bytes packet =
      Build(UdpPacket{.from = kFrom, .to = kTo, .payload = {1}});
  ASSERT_EQ(packet.size(), 29u);
  EXPECT_EQ(LoadBe16(&packet[20]), 5000);
  EXPECT_EQ(LoadBe16(&packet[22]), 53);
  EXPECT_EQ(LoadBe16(&packet[24]), 9);
  EXPECT_TRUE(Read(packet)->checksum_valid);
}

TEST(Build, WritesFlagsAndOptionsOfTcp) {
  wire::TcpOptions options;
  options.mss = 1460;
  const Bytes packet = Build(TcpPacket{.from = kFrom,
                                       .to = kTo,
                                       .flags = wire::TcpFlags::kSyn,
                                       .options = options});
  ASSERT_EQ(packet.size(), 44u);
  EXPECT_EQ(packet[32], 0x60);  // data offset 6
  EXPECT_EQ(packet[33], 0x02);
  EXPECT_EQ(LoadBe32(&packet[40]), 0x020405b4u);
}

}  // namespace
}  // namespace tcpip::sim
