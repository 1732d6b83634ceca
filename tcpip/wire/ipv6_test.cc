#include "tcpip/wire/ipv6.h"

#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tcpip/base/rng.h"

namespace tcpip::wire {
namespace {

using Bytes = std::vector<uint8_t>;
using Walk = Ipv6WalkResult;

// A packet whose fixed header names `next` and counts all of `payload`.
Bytes Packet(uint8_t next, const Bytes& payload) {
  Ipv6Header h;
  h.payload_length = static_cast<uint16_t>(payload.size());
  h.next_header = next;
  Bytes packet(kIpv6HeaderSize);
  EmitIpv6(h, packet);
  packet.insert(packet.end(), payload.begin(), payload.end());
  packet.shrink_to_fit();  // so that the address sanitizer sees every overrun
  return packet;
}

ParsedIpv6 Parse(const Bytes& packet) {
  return ParseIpv6(packet, packet.size());
}

TEST(Ipv6, GoldenHeaderParsesAndIsEmittedByteForByte) {
  const Bytes golden = {0x6a, 0xb1, 0x23, 0x45, 0x00, 0x08, 0x11, 0x40,  //
                        0x20, 0x01, 0x0d, 0xb8, 0,    0,    0,    0,     //
                        0,    0,    0,    0,    0,    0,    0,    1,     //
                        0x20, 0x01, 0x0d, 0xb8, 0,    0,    0,    0,     //
                        0,    0,    0,    0,    0,    0,    0,    2};
  const ParsedIpv6 parsed = ParseIpv6(golden, 48);
  ASSERT_EQ(parsed.error, IpParseError::kNone);
  EXPECT_EQ(parsed.header.traffic_class, 0xab);
  EXPECT_EQ(parsed.header.flow_label, 0x12345u);
  EXPECT_EQ(parsed.header.payload_length, 8);
  EXPECT_EQ(parsed.header.next_header, kUdp);
  EXPECT_EQ(parsed.header.hop_limit, 64);
  EXPECT_EQ(parsed.header.source, IpAddress::Parse("2001:db8::1"));
  EXPECT_EQ(parsed.header.destination, IpAddress::Parse("2001:db8::2"));
  EXPECT_EQ(parsed.walk, Walk::kTransport);
  EXPECT_EQ(parsed.transport_protocol, kUdp);
  EXPECT_EQ(parsed.transport_offset, kIpv6HeaderSize);

  Bytes bytes(kIpv6HeaderSize, 0xee);
  EmitIpv6(parsed.header, bytes);
  EXPECT_EQ(bytes, golden);
}

TEST(Ipv6, ParseUndoesEmit) {
  constexpr uint64_t kSeed = 4;
  SeededRng rng(kSeed);
  for (int i = 0; i < 10'000; ++i) {
    std::array<uint8_t, 32> noise;
    for (uint8_t& b : noise) b = static_cast<uint8_t>(rng.Next());
    const Ipv6Header h = {
        .traffic_class = static_cast<uint8_t>(rng.Next()),
        .flow_label = rng.Below(1 << 20),
        .payload_length = static_cast<uint16_t>(rng.Next()),
        .next_header = kTcp,
        .hop_limit = static_cast<uint8_t>(rng.Next()),
        .source = IpAddress::FromIpv6Bytes(noise.data()),
        .destination = IpAddress::FromIpv6Bytes(noise.data() + 16)};
    Bytes bytes(kIpv6HeaderSize);
    EmitIpv6(h, bytes);
    const ParsedIpv6 parsed = ParseIpv6(bytes, 40 + h.payload_length);
    ASSERT_EQ(parsed.error, IpParseError::kNone) << kSeed << ' ' << i;
    ASSERT_EQ(parsed.header.traffic_class, h.traffic_class);
    ASSERT_EQ(parsed.header.flow_label, h.flow_label);
    ASSERT_EQ(parsed.header.payload_length, h.payload_length);
    ASSERT_EQ(parsed.header.hop_limit, h.hop_limit);
    ASSERT_EQ(parsed.header.source, h.source);
    ASSERT_EQ(parsed.header.destination, h.destination);
  }
}

// [fault L10] [fault X22] payload length against packet size; the header has
// to be in the front, the payload has not.
TEST(Ipv6, LengthMatrixAcceptsOnlyWhatFits) {
  const Bytes whole = Packet(kTcp, Bytes(20));
  for (size_t front = 0; front <= whole.size(); ++front) {
    for (size_t size = front; size <= 64; ++size) {
      for (size_t length = 0; length <= 30; ++length) {
        Bytes bytes = whole;
        bytes[5] = static_cast<uint8_t>(length);
        bytes.resize(front);
        bytes.shrink_to_fit();
        const bool fits = front >= 40 && 40 + length <= size;
        ASSERT_EQ(ParseIpv6(bytes, size).error,
                  fits ? IpParseError::kNone : IpParseError::kTruncated)
            << "front " << front << " size " << size << " length " << length;
      }
    }
  }
}

TEST(Ipv6, AnyOtherVersionIsRefused) {
  Bytes packet = Packet(kTcp, Bytes(20));
  for (int version = 0; version < 16; ++version) {
    packet[0] = static_cast<uint8_t>(version << 4);
    EXPECT_EQ(Parse(packet).error == IpParseError::kNone, version == 6);
  }
}

struct WalkRow {
  const char* name;
  uint8_t next;   // in the fixed header
  Bytes payload;  // from offset 40
  Walk walk;
  int protocol;    // -1: not looked at
  int offset;      // of the transport
  int problem;     // -1: not looked at
  int action = 0;  // of an unknown option
};

std::vector<WalkRow> WalkRows() {
  return {
      {"NothingBetween", kTcp, {}, Walk::kTransport, kTcp, 40, 6},
      {"UnknownNextHeader", 200, {1, 2}, Walk::kTransport, 200, 40, 6},
      {"NoNextHeader", 59, {1, 2, 3}, Walk::kNoNextHeader, 59, 40, -1},

      // [RFC 8200 4.3] hop-by-hop
      {"HopByHopWithPadN",
       0,
       {kTcp, 0, 1, 4, 0, 0, 0, 0, 9, 9},
       Walk::kTransport,
       kTcp,
       48,
       40},
      {"HopByHopWithPad1Only",
       0,
       {kTcp, 0, 0, 0, 0, 0, 0, 0},
       Walk::kTransport,
       kTcp,
       48,
       40},
      {"HopByHopWithRouterAlert",
       0,
       {kIcmpv6, 0, 5, 2, 0, 0, 1, 0},
       Walk::kTransport,
       kIcmpv6,
       48,
       40},
      {"HopByHopOfSixteenBytes",
       0,
       {kTcp, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
       Walk::kTransport,
       kTcp,
       56,
       40},
      // [RFC 8200 4.1] out of its place it is a next header nobody knows
      {"HopByHopTwice",
       0,
       {0, 0, 1, 4, 0, 0, 0, 0, kTcp, 0, 1, 4, 0, 0, 0, 0},
       Walk::kTransport,
       0,
       48,
       40},
      {"HopByHopAfterDestinationOptions",
       60,
       {0, 0, 1, 4, 0, 0, 0, 0, kTcp, 0, 1, 4, 0, 0, 0, 0},
       Walk::kTransport,
       0,
       48,
       40},
      {"DestinationOptionsTwice",
       60,
       {60, 0, 1, 4, 0, 0, 0, 0, kTcp, 0, 1, 4, 0, 0, 0, 0},
       Walk::kTransport,
       kTcp,
       56,
       48},

      // [RFC 8200 4.2] the action bits of an unknown option
      {"OptionToSkip",
       60,
       {kTcp, 0, 0x1e, 4, 1, 2, 3, 4},
       Walk::kTransport,
       kTcp,
       48,
       40},
      {"OptionToDiscard",
       60,
       {kTcp, 0, 0x5e, 4, 1, 2, 3, 4},
       Walk::kUnknownOption,
       -1,
       40,
       42,
       1},
      {"OptionToReport",
       60,
       {kTcp, 0, 0x9e, 4, 1, 2, 3, 4},
       Walk::kUnknownOption,
       -1,
       40,
       42,
       2},
      {"OptionToReportUnlessMulticast",
       60,
       {kTcp, 0, 0xde, 4, 1, 2, 3, 4},
       Walk::kUnknownOption,
       -1,
       40,
       42,
       3},
      {"OptionAfterPadding",
       0,
       {kTcp, 0, 0, 1, 1, 7, 0x9e, 0},
       Walk::kUnknownOption,
       -1,
       40,
       46,
       2},
      {"OptionInTheSecondHeader",
       0,
       {60, 0, 1, 4, 0, 0, 0, 0, kTcp, 0, 0x9e, 4, 0, 0, 0, 0},
       Walk::kUnknownOption,
       -1,
       48,
       50,
       2},
      {"JumboPayload",
       0,
       {kTcp, 0, 0xc2, 4, 0, 1, 0, 0},
       Walk::kUnknownOption,
       -1,
       40,
       42,
       3},
      {"OptionPastItsHeader",
       60,
       {kTcp, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0},
       Walk::kTruncated,
       -1,
       40,
       -1},
      {"OptionWithoutLength",
       60,
       {kTcp, 0, 1, 3, 0, 0, 0, 1, 0, 0},
       Walk::kTruncated,
       -1,
       40,
       -1},

      // [RFC 8200 4.4] [RFC 5095 3] routing
      {"RoutingWithoutSegmentsLeft",
       43,
       {kTcp, 0, 2, 0, 0, 0, 0, 0},
       Walk::kTransport,
       kTcp,
       48,
       40},
      {"RoutingType0WithSegmentsLeft",
       43,
       {kTcp, 0, 0, 1, 0, 0, 0, 0},
       Walk::kRoutingHeader,
       -1,
       40,
       42},

      // [RFC 8200 4.5] fragment
      {"FirstFragment",
       44,
       {kTcp, 0, 0, 1, 0, 0, 0, 9, 1, 2},
       Walk::kTransport,
       kTcp,
       48,
       40},
      {"FirstFragmentWithOptions",
       44,
       {60, 0, 0, 1, 0, 0, 0, 9, kTcp, 0, 1, 4, 0, 0, 0, 0},
       Walk::kTransport,
       kTcp,
       56,
       48},
      {"FirstFragmentWithoutTheWholeChain",
       44,
       {60, 0, 0, 1, 0, 0, 0, 9, 60, 1, 1, 4, 0, 0, 0, 0},
       Walk::kTruncated,
       -1,
       48,
       -1},
      {"LastFragment",
       44,
       {kUdp, 0, 5, 0xd8, 0, 0, 0, 9, 1, 2},
       Walk::kLaterFragment,
       kUdp,
       48,
       -1},
      {"FragmentOfAFragment",
       44,
       {44, 0, 0, 1, 0, 0, 0, 9, kUdp, 0, 0, 1, 0, 0, 0, 9},
       Walk::kTooMany,
       -1,
       48,
       -1},
      {"WholePacketInAFragmentHeader",
       44,
       {60, 0, 0, 0, 0, 0, 0, 9, kTcp, 0, 1, 4, 0, 0, 0, 0},
       Walk::kTransport,
       kTcp,
       56,
       48},
      {"HopByHopThenFragment",
       0,
       {44, 0, 1, 4, 0, 0, 0, 0, kUdp, 0, 0, 9, 0, 0, 0, 1},
       Walk::kLaterFragment,
       kUdp,
       56,
       -1},

      // [fault I16] cut off
      {"NoExtensionHeaderAtAll", 0, {}, Walk::kTruncated, -1, 40, -1},
      {"OneByteOfOptions", 60, {kTcp}, Walk::kTruncated, -1, 40, -1},
      {"SevenBytesOfOptions",
       60,
       {kTcp, 0, 0, 0, 0, 0, 0},
       Walk::kTruncated,
       -1,
       40,
       -1},
      {"LengthPastThePacket",
       60,
       {kTcp, 255, 1, 4, 0, 0, 0, 0, 0, 0},
       Walk::kTruncated,
       -1,
       40,
       -1},
      {"SevenBytesOfRouting",
       43,
       {kTcp, 0, 0, 0, 0, 0, 0},
       Walk::kTruncated,
       -1,
       40,
       -1},
      {"SevenBytesOfFragment",
       44,
       {kTcp, 0, 0, 1, 0, 0, 0},
       Walk::kTruncated,
       -1,
       40,
       -1},
      {"SecondHeaderMissing",
       0,
       {60, 0, 1, 4, 0, 0, 0, 0},
       Walk::kTruncated,
       -1,
       48,
       -1},
  };
}

class Ipv6WalkTest : public testing::TestWithParam<WalkRow> {};

TEST_P(Ipv6WalkTest, EndsAsTheRowSays) {
  const WalkRow& row = GetParam();
  const ParsedIpv6 parsed = Parse(Packet(row.next, row.payload));
  ASSERT_EQ(parsed.error, IpParseError::kNone);
  EXPECT_EQ(parsed.walk, row.walk);
  if (row.protocol >= 0) {
    EXPECT_EQ(parsed.transport_protocol, row.protocol);
  }
  EXPECT_EQ(parsed.transport_offset, static_cast<uint32_t>(row.offset));
  if (row.problem >= 0) {
    EXPECT_EQ(parsed.problem_offset, static_cast<uint32_t>(row.problem));
  }
  EXPECT_EQ(parsed.problem_option_action, row.action);
  EXPECT_TRUE(row.walk != Walk::kLaterFragment || parsed.fragment);
}

INSTANTIATE_TEST_SUITE_P(Ipv6, Ipv6WalkTest, testing::ValuesIn(WalkRows()),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

// Offset and M say together what the packet is. [RFC 8200 4.5] [RFC 6946 4]
TEST(Ipv6, AFragmentHeaderOfAWholePacketMakesNoFragment) {
  for (const auto& [low_byte, is_part] :
       {std::pair{0x00, false}, {0x01, true}, {0x08, true}, {0x09, true}}) {
    const ParsedIpv6 parsed = Parse(Packet(
        44, {kUdp, 0, 0, static_cast<uint8_t>(low_byte), 0, 0, 0, 9, 1, 2}));
    EXPECT_EQ(parsed.fragment.has_value(), is_part) << low_byte;
    EXPECT_EQ(parsed.transport_offset, 48u) << low_byte;
  }
}

TEST(Ipv6, FragmentHeaderFieldsAreReadInBytes) {
  const Bytes fragment = {kUdp, 0, 0x05, 0xd9, 0x12, 0x34, 0x56, 0x78};
  Bytes payload = {44, 0, 1, 4, 0, 0, 0, 0};
  payload.insert(payload.end(), fragment.begin(), fragment.end());
  const ParsedIpv6 parsed = Parse(Packet(0, payload));
  ASSERT_TRUE(parsed.fragment.has_value());
  EXPECT_EQ(parsed.fragment->offset, 48u);
  EXPECT_EQ(parsed.fragment->named_by, 40u);
  EXPECT_EQ(parsed.fragment->next_header, kUdp);
  const Ipv6Fragment& header = parsed.fragment->header;
  EXPECT_EQ(header.offset, 0x05d8);
  EXPECT_TRUE(header.more_fragments);
  EXPECT_EQ(header.identification, 0x12345678u);

  Bytes emitted(kIpv6FragmentHeaderSize, 0xff);
  EmitIpv6Fragment(kUdp, header, emitted);
  EXPECT_EQ(emitted, fragment);
}

// [fault X22] bytes after the payload length are no part of the packet.
TEST(Ipv6, WalkStopsAtThePayloadLength) {
  Bytes packet = Packet(60, {kTcp, 0, 1, 4, 0, 0, 0, 0});
  EXPECT_EQ(Parse(packet).walk, Walk::kTransport);
  packet[5] = 7;
  EXPECT_EQ(Parse(packet).error, IpParseError::kNone);
  EXPECT_EQ(Parse(packet).walk, Walk::kTruncated);
}

TEST(Ipv6, WalkStopsAtTheFront) {
  const Bytes packet = Packet(60, {kTcp, 0, 1, 4, 0, 0, 0, 0, 9, 9, 9, 9});
  for (size_t front = 40; front <= packet.size(); ++front) {
    Bytes bytes(packet.begin(), packet.begin() + front);
    const ParsedIpv6 parsed = ParseIpv6(bytes, packet.size());
    ASSERT_EQ(parsed.error, IpParseError::kNone);
    EXPECT_EQ(parsed.walk, front < 48 ? Walk::kTruncated : Walk::kTransport);
  }
}

TEST(Ipv6, WalkGivesUpAfterEightHeaders) {
  for (int headers = 0; headers <= 12; ++headers) {
    Bytes payload;
    for (int i = 1; i <= headers; ++i) {
      const uint8_t next = i < headers ? 60 : uint8_t{kTcp};
      payload.insert(payload.end(), {next, 0, 1, 4, 0, 0, 0, 0});
    }
    const Bytes packet = Packet(headers > 0 ? 60 : uint8_t{kTcp}, payload);
    EXPECT_EQ(Parse(packet).walk,
              headers <= 8 ? Walk::kTransport : Walk::kTooMany)
        << headers;
  }
}

// Eight-byte units that look like extension headers, with noise in any byte.
Bytes NoisyChain(Rng& rng) {
  constexpr uint8_t kNextHeaders[] = {0, 43, 44, 60, 60, 60, 59, kTcp};
  Bytes chain(rng.Below(96));
  for (size_t i = 0; i < chain.size(); ++i) {
    if (rng.Below(32) == 0) {
      chain[i] = static_cast<uint8_t>(rng.Next());
    } else if (i % 8 == 0) {
      chain[i] = kNextHeaders[rng.Below(std::size(kNextHeaders))];
    } else if (i % 8 != 1 && rng.Below(4) == 0) {
      chain[i] = static_cast<uint8_t>(rng.Below(3));  // PadN, lengths
    }
  }
  return chain;
}

// [fault I16] the sanitizers watch the reads.
TEST(Ipv6, NoiseNeverLeadsTheWalkOutOfThePacket) {
  constexpr uint64_t kSeed = 5;
  SeededRng rng(kSeed);
  int deep = 0;
  for (int i = 0; i < 50'000; ++i) {
    const Bytes packet = Packet(rng.Below(2) == 0 ? 0 : 60, NoisyChain(rng));
    const ParsedIpv6 parsed = Parse(packet);
    ASSERT_EQ(parsed.error, IpParseError::kNone);
    ASSERT_LE(parsed.transport_offset, packet.size())
        << "seed " << kSeed << " round " << i;
    ASSERT_LT(parsed.problem_offset, packet.size());
    ASSERT_EQ(parsed.problem_option_action != 0,
              parsed.walk == Walk::kUnknownOption);
    if (parsed.transport_offset >= 64) ++deep;
  }
  EXPECT_GT(deep, 1'000);
}

TEST(Ipv6, ASealedHeaderHasTheLengthBehindIt) {
  std::array<uint8_t, kIpv6HeaderSize> bytes;
  std::array<uint8_t, kIpv6HeaderSize> want;
  Ipv6Header header = {.payload_length = 1000, .source = {}, .destination = {}};
  EmitIpv6(header, bytes);
  header.payload_length = 20;
  EmitIpv6(header, want);
  SealIpv6(bytes, 60);
  EXPECT_EQ(bytes, want);
}

}  // namespace
}  // namespace tcpip::wire
