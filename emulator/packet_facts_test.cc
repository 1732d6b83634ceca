#include "emulator/packet_facts.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/bytes.h"
#include "tcpip/base/checksum.h"
#include "tcpip/testing/packet_builder.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/wire/address.h"
#include "tcpip/wire/tcp.h"

namespace emulator {
namespace {

using tcpip::IpAddress;
using tcpip::IpEndpoint;
using tcpip::sim::Build;
using tcpip::sim::Bytes;

struct Ends {
  IpEndpoint from;
  IpEndpoint to;
};

std::vector<Ends> BothFamilies() {
  std::vector<Ends> result;
  for (const auto& [from, to] :
       {std::pair("10.0.0.1", "10.0.0.2"), std::pair("fd00::1", "fd00::2")}) {
    result.push_back(
        {{*IpAddress::Parse(from), 1000}, {*IpAddress::Parse(to), 2000}});
  }
  return result;
}

Bytes Segment(const Ends& ends, Bytes payload) {
  return Build(tcpip::sim::TcpPacket{.from = ends.from,
                                     .to = ends.to,
                                     .flags = tcpip::wire::TcpFlags::kAck,
                                     .payload = std::move(payload)});
}

OfferedPacket Facts(const Bytes& packet) {
  return FactsOf(packet, packet.size());
}

TEST(PacketFacts, TellsSegmentsWithDataFromAcknowledgments) {
  for (const Ends& ends : BothFamilies()) {
    const Bytes ack = Segment(ends, {});
    const Bytes data = Segment(ends, {1});
    EXPECT_FALSE(Facts(ack).has_data);
    EXPECT_EQ(Facts(ack).bytes, ack.size());
    EXPECT_TRUE(Facts(data).has_data);
    const Bytes udp = Build(
        tcpip::sim::UdpPacket{.from = ends.from, .to = ends.to, .payload = {}});
    EXPECT_TRUE(Facts(udp).has_data);
  }
}

TEST(PacketFacts, ASegmentOfWhichOnlyHeadersAreInFrontHasDataToo) {
  for (const Ends& ends : BothFamilies()) {
    const Bytes data = Segment(ends, Bytes(1000));
    const tcpip::ByteSpan front =
        tcpip::ByteSpan(data).first(data.size() - 1000);
    EXPECT_TRUE(FactsOf(front, data.size()).has_data);
    EXPECT_EQ(FactsOf(front, data.size()).bytes, data.size());
  }
}

TEST(PacketFacts, TellsTheFirstFragmentFromTheOthers) {
  for (const Ends& ends : BothFamilies()) {
    tcpip::sim::IpFragment fragment = {.from = ends.from.address,
                                       .to = ends.to.address,
                                       .more = true,
                                       .tos = 2,
                                       .data = Bytes(64)};
    EXPECT_FALSE(Facts(Build(fragment)).is_later_fragment);
    fragment.offset = 64;
    const OfferedPacket later = Facts(Build(fragment));
    EXPECT_TRUE(later.is_later_fragment);
    EXPECT_TRUE(later.has_data);
    EXPECT_EQ(later.ecn, 2);
  }
}

TEST(PacketFacts, SomeBytesAreAPacketOfTheirSize) {
  for (const Bytes& bytes : {Bytes{}, Bytes{0x45}, Bytes{0x60, 0}, Bytes(50)}) {
    const OfferedPacket facts = Facts(bytes);
    EXPECT_EQ(facts.bytes, bytes.size());
    EXPECT_FALSE(facts.has_data);
    EXPECT_EQ(facts.ecn, 0);
  }
}

// [RFC 3168 5] both ECT codepoints become CE, nothing else changes
TEST(PacketFacts, AMarkIsSeenAndBreaksNoChecksum) {
  for (const Ends& ends : BothFamilies()) {
    for (const uint8_t ecn : {1, 2}) {
      const uint8_t dscp = 46 << 2;
      Bytes packet = Segment(ends, {1});
      // Built as Not-ECT: give it the codepoint as a sender would.
      if (packet[0] >> 4 == 4) {
        packet[1] = dscp | ecn;
        const uint16_t sum = tcpip::LoadBe16(&packet[10]);
        tcpip::StoreBe16(&packet[10], tcpip::UpdateChecksum(
                                          sum, 0x4500, 0x4500 | dscp | ecn));
      } else {
        packet[0] |= dscp >> 4;
        packet[1] |= static_cast<uint8_t>((dscp | ecn) << 4);
      }
      EXPECT_EQ(Facts(packet).ecn, ecn);
      MarkCe(packet);
      EXPECT_EQ(Facts(packet).ecn, 3);
      const auto read = tcpip::sim::Read(packet);
      ASSERT_TRUE(read);
      EXPECT_TRUE(read->checksum_valid);
      EXPECT_EQ(read->tos, dscp | 3);
    }
  }
}

TEST(PacketFacts, EveryFlippedBitOfDataBreaksTheChecksum) {
  for (const Ends& ends : BothFamilies()) {
    const Bytes packet = Segment(ends, Bytes(40, 7));
    const uint32_t bits = static_cast<uint32_t>(packet.size()) * 8;
    for (uint32_t bit = bits - 320; bit < bits; ++bit) {
      Bytes flipped = packet;
      FlipBit(flipped, bit);
      EXPECT_NE(flipped, packet);
      EXPECT_FALSE(tcpip::sim::Read(flipped)->checksum_valid);
      FlipBit(flipped, bit);
      EXPECT_EQ(flipped, packet);
    }
  }
}

TEST(PacketFacts, BitZeroIsTheHighBitOfTheFirstByte) {
  Bytes bytes = {0, 0};
  FlipBit(bytes, 0);
  FlipBit(bytes, 15);
  EXPECT_EQ(bytes, (Bytes{0x80, 0x01}));
}

}  // namespace
}  // namespace emulator
