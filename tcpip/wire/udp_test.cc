#include "tcpip/wire/udp.h"

#include <gtest/gtest.h>

#include <vector>

namespace tcpip::wire {
namespace {

const std::vector<uint8_t> kGolden = {0x12, 0x34, 0x00, 0x35,
                                      0x00, 0x0c, 0xab, 0xcd};

TEST(Udp, GoldenHeaderParsesAndIsEmittedByteForByte) {
  const std::optional<UdpHeader> h = ParseUdp(kGolden, 12);
  ASSERT_TRUE(h.has_value());
  EXPECT_EQ(h->source_port, 0x1234);
  EXPECT_EQ(h->destination_port, 53);
  EXPECT_EQ(h->length, 12);
  EXPECT_EQ(h->checksum, 0xabcd);

  std::vector<uint8_t> bytes(kUdpHeaderSize, 0xee);
  EmitUdp(*h, bytes);
  EXPECT_EQ(bytes, kGolden);
}

// [fault X22] the length field is believed only within the datagram.
TEST(Udp, LengthMatrixAcceptsOnlyWhatFits) {
  for (size_t front = 0; front <= 16; ++front) {
    for (size_t datagram = front; datagram <= 24; ++datagram) {
      for (uint16_t length = 0; length <= 30; ++length) {
        std::vector<uint8_t> bytes(kGolden);
        StoreBe16(&bytes[4], length);
        bytes.resize(front);
        bytes.shrink_to_fit();
        const bool fits = front >= 8 && length >= 8 && length <= datagram;
        ASSERT_EQ(ParseUdp(bytes, datagram).has_value(), fits)
            << "front " << front << " datagram " << datagram << " length "
            << length;
      }
    }
  }
}

}  // namespace
}  // namespace tcpip::wire
