#include "tcpip/network/ipv6.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/wire/ipv6.h"

namespace tcpip::ip {
namespace {

using Bytes = std::vector<uint8_t>;

const IpAddress kPeer = IpAddress::Parse("2001:db8::1").value();
const IpAddress kOwn = IpAddress::Parse("2001:db8::2").value();

Bytes Make(uint8_t next_header, const Bytes& rest,
           const IpAddress& source = kPeer) {
  Bytes packet(wire::kIpv6HeaderSize);
  wire::EmitIpv6({.traffic_class = 0x28,
                  .payload_length = static_cast<uint16_t>(rest.size()),
                  .next_header = next_header,
                  .hop_limit = 33,
                  .source = source,
                  .destination = kOwn},
                 packet);
  packet.insert(packet.end(), rest.begin(), rest.end());
  return packet;
}

struct Case {
  const char* name;
  uint8_t next_header;
  Bytes rest;
  std::optional<DropReason> want;
  std::optional<HeaderProblem> problem = std::nullopt;
};

constexpr uint8_t kHopByHop = 0;
constexpr uint8_t kRouting = 43;
constexpr uint8_t kFragment = 44;
constexpr uint8_t kNone = 59;

const Case kCases[] = {
    {"NoExtension", 17, Bytes(8), std::nullopt},
    {"PadOption", kHopByHop, {17, 0, 1, 4, 0, 0, 0, 0, 9, 9}, std::nullopt},
    // [RFC 8200 4.2] unknown options by their two top bits
    {"SkipUnknown", kHopByHop, {17, 0, 0x1e, 4, 0, 0, 0, 0}, std::nullopt},
    {"DropUnknown",
     kHopByHop,
     {17, 0, 0x5e, 4, 0, 0, 0, 0},
     DropReason::kIpExtension},
    {"AnswerUnknown",
     kHopByHop,
     {17, 0, 0x9e, 4, 0, 0, 0, 0},
     DropReason::kIpExtension,
     HeaderProblem{2, 42}},
    {"AnswerUnknownUnlessMulticast",
     kHopByHop,
     {17, 0, 0xde, 4, 0, 0, 0, 0},
     DropReason::kIpExtension,
     HeaderProblem{2, 42}},
    // [RFC 8200 4.4], [RFC 5095 3]
    {"RoutingDone", kRouting, {17, 0, 0, 0, 0, 0, 0, 0}, std::nullopt},
    {"RoutingSegmentsLeft",
     kRouting,
     {17, 0, 0, 1, 0, 0, 0, 0},
     DropReason::kIpExtension,
     HeaderProblem{0, 42}},
    {"ExtensionCutOff",
     kHopByHop,
     {17, 1, 1, 4, 0, 0, 0, 0},
     DropReason::kIpExtension},
    {"NoNextHeader", kNone, {}, DropReason::kIpExtension},
    // [fault I06] a whole packet in a fragment header is a packet
    {"AtomicFragment", kFragment, {17, 0, 0, 0, 0, 0, 0, 7}, std::nullopt},
};

void ExpectVerdict(const InputVerdict& verdict, const Case& c) {
  EXPECT_EQ(verdict.drop, c.want) << c.name;
  ASSERT_EQ(verdict.problem.has_value(), c.problem.has_value()) << c.name;
  if (!c.problem) return;
  EXPECT_EQ(verdict.problem->code, c.problem->code) << c.name;
  EXPECT_EQ(verdict.problem->pointer, c.problem->pointer) << c.name;
}

TEST(CheckIpv6, DecidesFromTheHeaders) {
  for (const Case& c : kCases) {
    const Bytes packet = Make(c.next_header, c.rest);
    const InputVerdict verdict =
        CheckIpv6(packet, packet.size(), Ingress::kLink);
    ExpectVerdict(verdict, c);
    if (!verdict.drop) {
      EXPECT_EQ(verdict.ip.protocol, 17) << c.name;
      EXPECT_EQ(packet[verdict.ip.protocol_offset], 17) << c.name;
      EXPECT_EQ(verdict.ip.size, packet.size()) << c.name;
    }
  }
}

// Rows are IPv6 payloads: a fragment header of id 7, and its data.
const Case kFragmentCases[] = {
    {"First",
     kFragment,
     {17, 0, 0, 1, 0, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8},
     std::nullopt},
    {"Later",
     kFragment,
     {17, 0, 0, 9, 0, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8},
     std::nullopt},
    {"LastOfOneByte", kFragment, {17, 0, 0, 8, 0, 0, 0, 7, 1}, std::nullopt},
    {"FirstWithOptions",
     kFragment,
     {60, 0, 0, 1, 0, 0, 0, 7, 17, 0, 1, 4, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8},
     std::nullopt},
    // [fault X19] [RFC 7112 5] [RFC 8200 4.5]
    {"FirstWithoutTransport",
     kFragment,
     {60, 0, 0, 1, 0, 0, 0, 7, 17, 0, 1, 4, 0, 0, 0, 0},
     DropReason::kIpFragmentTiny,
     HeaderProblem{3, 0}},
    {"FirstWithHalfAChain",
     kFragment,
     {60, 0, 0, 1, 0, 0, 0, 7, 17, 1, 1, 4, 0, 0, 0, 0},
     DropReason::kIpFragmentTiny,
     HeaderProblem{3, 0}},
    {"FirstWithoutATcpHeader",
     kFragment,
     {6, 0, 0, 1, 0, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8},
     DropReason::kIpFragmentTiny,
     HeaderProblem{3, 0}},
    {"Uneven",
     kFragment,
     {17, 0, 0, 9, 0, 0, 0, 7, 1, 2, 3},
     DropReason::kIpFragmentBad,
     HeaderProblem{0, 4}},
    {"BehindTheLastByte",
     kFragment,
     {17, 0, 0xff, 0xf8, 0, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8},
     DropReason::kIpFragmentBad,
     HeaderProblem{0, 42}},
    {"UpToTheLastByte",
     kFragment,
     {17, 0, 0xff, 0xf8, 0, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7},
     std::nullopt},
    {"Empty", kFragment, {17, 0, 0, 8, 0, 0, 0, 7}, DropReason::kIpFragmentBad},
    // [RFC 4443 2.4(e)] this may be a part of an error
    {"UnevenIcmp",
     kFragment,
     {58, 0, 0, 9, 0, 0, 0, 7, 1, 2, 3},
     DropReason::kIpFragmentBad},
    {"FragmentOfAFragment",
     kFragment,
     {44, 0, 0, 1, 0, 0, 0, 7, 17, 0, 0, 1, 0, 0, 0, 7},
     DropReason::kIpExtension},
};

TEST(CheckIpv6, RefusesFragmentsThatAreWrongOnTheirOwn) {
  for (const Case& c : kFragmentCases) {
    const Bytes packet = Make(c.next_header, c.rest);
    const InputVerdict verdict =
        CheckIpv6(packet, packet.size(), Ingress::kLink);
    ExpectVerdict(verdict, c);
    EXPECT_TRUE(verdict.drop || verdict.fragment) << c.name;
  }
}

// [fault I06] [fault I07] a fragment is told from a packet
TEST(CheckIpv6, SaysWhichPartAFragmentIs) {
  const Bytes packet =
      Make(kHopByHop, {44,   0,    1, 4, 0,    0,    0, 0, 17, 0, 0, 17,
                       0xde, 0xad, 0, 7, 0x11, 0x22, 0, 0, 0,  0, 0, 0});
  const InputVerdict verdict = CheckIpv6(packet, packet.size(), Ingress::kLink);
  ASSERT_FALSE(verdict.drop);
  ASSERT_TRUE(verdict.fragment);
  EXPECT_EQ(verdict.fragment->id, 0xdead0007u);
  EXPECT_EQ(verdict.fragment->offset, 16);
  EXPECT_TRUE(verdict.fragment->more);
  EXPECT_EQ(verdict.fragment->header_size, 56u);
  EXPECT_EQ(verdict.fragment->named_by, 40u);
}

TEST(CheckIpv6, CountsPaddingOut) {
  Bytes packet = Make(17, Bytes(8));
  packet.resize(packet.size() + 6);
  const InputVerdict verdict = CheckIpv6(packet, packet.size(), Ingress::kLink);
  ASSERT_FALSE(verdict.drop);
  EXPECT_EQ(verdict.ip.size, 48u);
  EXPECT_EQ(verdict.ip.payload_size(), 8u);
  EXPECT_EQ(verdict.ip.tos, 0x28);
  EXPECT_EQ(verdict.ip.ttl, 33);
}

TEST(CheckIpv6, RefusesWhatIsCutOff) {
  const Bytes packet = Make(17, Bytes(8));
  for (size_t size = 0; size < packet.size(); ++size) {
    EXPECT_EQ(
        CheckIpv6(ByteSpan(packet).first(size), size, Ingress::kLink).drop,
        DropReason::kIpTruncated)
        << size;
  }
}

TEST(CheckIpv6, RefusesMartians) {
  const Bytes land = Make(17, Bytes(8), kOwn);
  EXPECT_EQ(CheckIpv6(land, land.size(), Ingress::kLink).drop,
            DropReason::kIpMartian);
  EXPECT_FALSE(CheckIpv6(land, land.size(), Ingress::kLoopback).drop);
}

// [fault X28]
TEST(CheckIpv6, RefusesMappedAddresses) {
  Bytes packet = Make(17, Bytes(8));
  const Bytes mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 9};
  std::copy(mapped.begin(), mapped.end(), packet.begin() + 8);
  EXPECT_EQ(CheckIpv6(packet, packet.size(), Ingress::kLoopback).drop,
            DropReason::kIpMartian);
}

TEST(PrependIpv6, WritesWhatIsAsked) {
  SlabPool pool;
  Packet packet = Packet::WithHeadroom(pool);
  packet.AppendToHead(20);
  packet.SetBody(ViewChain(View(pool.Allocate(SlabClass::kLarge), 0, 60000)));
  PrependIpv6(packet, {.source = kOwn,
                       .destination = kPeer,
                       .protocol = 6,
                       .tos = 0xb8,
                       .ttl = 5});
  const wire::ParsedIpv6 parsed = wire::ParseIpv6(packet.head(), packet.size());
  ASSERT_EQ(parsed.error, wire::IpParseError::kNone);
  EXPECT_EQ(parsed.header.payload_length, 60020);
  EXPECT_EQ(parsed.header.traffic_class, 0xb8);
  EXPECT_EQ(parsed.header.flow_label, 0u);
  EXPECT_EQ(parsed.header.hop_limit, 5);
  EXPECT_EQ(parsed.header.next_header, 6);
  EXPECT_EQ(parsed.header.source, kOwn);
  EXPECT_EQ(parsed.header.destination, kPeer);
}

}  // namespace
}  // namespace tcpip::ip
