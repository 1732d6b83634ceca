#include "tcpip/wire/ipv4.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "tcpip/base/checksum.h"
#include "tcpip/base/rng.h"

namespace tcpip::wire {
namespace {

// A UDP packet of 115 bytes from 192.168.0.1 to 192.168.0.199.
constexpr uint8_t kGolden[kIpv4HeaderSize] = {
    0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
    0xb8, 0x61, 0xc0, 0xa8, 0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7};

TEST(Ipv4, GoldenHeaderParses) {
  const ParsedIpv4 parsed = ParseIpv4(kGolden, 115);
  ASSERT_EQ(parsed.error, IpParseError::kNone);
  const Ipv4Header& h = parsed.header;
  EXPECT_EQ(h.tos, 0);
  EXPECT_EQ(h.total_length, 115);
  EXPECT_EQ(h.identification, 0);
  EXPECT_TRUE(h.dont_fragment);
  EXPECT_FALSE(h.more_fragments);
  EXPECT_FALSE(h.IsFragment());
  EXPECT_EQ(h.fragment_offset, 0);
  EXPECT_EQ(h.ttl, 64);
  EXPECT_EQ(h.protocol, kUdp);
  EXPECT_EQ(h.source, IpAddress::Ipv4(192, 168, 0, 1));
  EXPECT_EQ(h.destination, IpAddress::Ipv4(192, 168, 0, 199));
  EXPECT_TRUE(h.options.empty());
  EXPECT_EQ(h.header_size(), kIpv4HeaderSize);
}

TEST(Ipv4, GoldenHeaderIsEmittedByteForByte) {
  Ipv4Header h;
  h.total_length = 115;
  h.dont_fragment = true;
  h.protocol = kUdp;
  h.source = IpAddress::Ipv4(192, 168, 0, 1);
  h.destination = IpAddress::Ipv4(192, 168, 0, 199);
  std::vector<uint8_t> bytes(kIpv4HeaderSize, 0xee);
  EmitIpv4(h, bytes);
  EXPECT_EQ(bytes,
            std::vector<uint8_t>(std::begin(kGolden), std::end(kGolden)));
}

TEST(Ipv4, AnyFlippedBitIsAnError) {
  for (size_t bit = 0; bit < 8 * kIpv4HeaderSize; ++bit) {
    std::vector<uint8_t> bytes(std::begin(kGolden), std::end(kGolden));
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_NE(ParseIpv4(bytes, 115).error, IpParseError::kNone) << bit;
  }
}

TEST(Ipv4, OnlyTheHeaderHasToBeInTheFront) {
  std::vector<uint8_t> bytes(std::begin(kGolden), std::end(kGolden));
  EXPECT_EQ(ParseIpv4(bytes, 1500).error, IpParseError::kNone);
  EXPECT_EQ(ParseIpv4(bytes, 114).error, IpParseError::kTruncated);
}

struct ErrorRow {
  const char* name;
  size_t index;
  uint8_t value;
  IpParseError error;
};

TEST(Ipv4, EachDefectHasItsOwnError) {
  constexpr ErrorRow kRows[] = {
      {"version 6", 0, 0x65, IpParseError::kBadVersion},
      {"version 0", 0, 0x05, IpParseError::kBadVersion},
      {"IHL 4", 0, 0x44, IpParseError::kBadHeaderLength},
      {"IHL past the front", 0, 0x46, IpParseError::kTruncated},
      {"total length 19", 3, 19, IpParseError::kBadTotalLength},
      {"total length 116", 3, 116, IpParseError::kTruncated},
      {"checksum", 11, 0x62, IpParseError::kBadChecksum},
  };
  for (const ErrorRow& row : kRows) {
    std::vector<uint8_t> bytes(std::begin(kGolden), std::end(kGolden));
    bytes[row.index] = row.value;
    EXPECT_EQ(ParseIpv4(bytes, 115).error, row.error) << row.name;
  }
}

std::vector<uint8_t> HeaderClaiming(size_t ihl, size_t total, size_t size) {
  std::vector<uint8_t> bytes(60);
  bytes[0] = static_cast<uint8_t>(0x40 | ihl);
  StoreBe16(&bytes[2], static_cast<uint16_t>(total));
  StoreBe16(&bytes[10], SumBytes(ByteSpan(bytes).first(ihl * 4)).Checksum());
  bytes.resize(size);
  bytes.shrink_to_fit();  // so that the address sanitizer sees every overrun
  return bytes;
}

// Accepted exactly when header <= total length <= packet, and then the options
// are what lies between the fixed header and the IHL.
// [fault I14] [fault X21] [fault X22] [fault L10]
TEST(Ipv4, LengthMatrixAcceptsOnlyWhatFits) {
  for (size_t size = 0; size <= 80; ++size) {
    for (size_t ihl = 0; ihl <= 15; ++ihl) {
      for (size_t total = 0; total <= 84; ++total) {
        const std::vector<uint8_t> bytes = HeaderClaiming(ihl, total, size);
        const ParsedIpv4 parsed = ParseIpv4(bytes, size);
        const bool fits = ihl >= 5 && 4 * ihl <= total && total <= size;
        ASSERT_EQ(parsed.error == IpParseError::kNone, fits)
            << "size " << size << " ihl " << ihl << " total " << total;
        if (!fits) continue;
        ASSERT_EQ(parsed.header.header_size(), 4 * ihl);
        ASSERT_EQ(parsed.header.options.data(), bytes.data() + 20);
      }
    }
  }
}

TEST(Ipv4, FragmentFieldsAreFlagsAndAnOffsetInBytes) {
  Ipv4Header h;
  h.total_length = 28;
  h.more_fragments = true;
  h.source = h.destination = IpAddress::Ipv4(10, 0, 0, 1);
  std::vector<uint8_t> bytes(kIpv4HeaderSize);

  h.fragment_offset = 65528;
  EmitIpv4(h, bytes);
  EXPECT_EQ(bytes[6], 0x3f);
  EXPECT_EQ(bytes[7], 0xff);
  const ParsedIpv4 parsed = ParseIpv4(bytes, 28);
  ASSERT_EQ(parsed.error, IpParseError::kNone);
  EXPECT_TRUE(parsed.header.more_fragments);
  EXPECT_EQ(parsed.header.fragment_offset, 65528);
  EXPECT_TRUE(parsed.header.IsFragment());

  h.fragment_offset = 0;
  EXPECT_TRUE(h.IsFragment());
  h.more_fragments = false;
  EXPECT_FALSE(h.IsFragment());
  h.fragment_offset = 8;
  EXPECT_TRUE(h.IsFragment());
}

TEST(Ipv4, ParseUndoesEmit) {
  constexpr uint64_t kSeed = 3;
  SeededRng rng(kSeed);
  for (int i = 0; i < 10'000; ++i) {
    uint8_t noise[48];
    for (uint8_t& b : noise) b = static_cast<uint8_t>(rng.Next());
    Ipv4Header h;
    h.options = ByteSpan(noise + 8, rng.Below(11) * 4);
    h.tos = noise[0];
    h.total_length =
        static_cast<uint16_t>(h.header_size() + rng.Below(65536 - 60));
    h.identification = static_cast<uint16_t>(rng.Next());
    h.dont_fragment = rng.Below(2) != 0;
    h.more_fragments = rng.Below(2) != 0;
    h.fragment_offset = static_cast<uint16_t>(rng.Below(8192) * 8);
    h.ttl = noise[1];
    h.protocol = noise[2];
    h.source = IpAddress::FromIpv4Bytes(noise);
    h.destination = IpAddress::FromIpv4Bytes(noise + 4);

    std::vector<uint8_t> bytes(h.header_size(), 0xee);
    EmitIpv4(h, bytes);
    const ParsedIpv4 parsed = ParseIpv4(bytes, h.total_length);
    ASSERT_EQ(parsed.error, IpParseError::kNone) << kSeed << ' ' << i;
    const Ipv4Header& p = parsed.header;
    ASSERT_EQ(p.tos, h.tos);
    ASSERT_EQ(p.total_length, h.total_length);
    ASSERT_EQ(p.identification, h.identification);
    ASSERT_EQ(p.dont_fragment, h.dont_fragment);
    ASSERT_EQ(p.more_fragments, h.more_fragments);
    ASSERT_EQ(p.fragment_offset, h.fragment_offset);
    ASSERT_EQ(p.ttl, h.ttl);
    ASSERT_EQ(p.protocol, h.protocol);
    ASSERT_EQ(p.source, h.source);
    ASSERT_EQ(p.destination, h.destination);
    ASSERT_TRUE(std::equal(p.options.begin(), p.options.end(),
                           h.options.begin(), h.options.end()));
  }
}

TEST(Ipv4, ASealedHeaderIsThatOfThePacketAsItIsNow) {
  const std::array<uint8_t, 4> option = {1, 1, 1, 0};
  Ipv4Header header = {.total_length = 1000,
                       .protocol = kTcp,
                       .source = IpAddress::Ipv4(10, 0, 0, 1),
                       .destination = IpAddress::Ipv4(10, 0, 0, 2),
                       .options = option};
  std::array<uint8_t, 24> bytes;
  EmitIpv4(header, bytes);
  bytes[kIpv4TosOffset] = header.tos = 7;
  header.total_length = 60;
  SealIpv4(bytes, 60);
  std::array<uint8_t, 24> want;
  EmitIpv4(header, want);
  EXPECT_EQ(bytes, want);
}

}  // namespace
}  // namespace tcpip::wire
