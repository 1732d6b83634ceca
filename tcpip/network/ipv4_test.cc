#include "tcpip/network/ipv4.h"

#include <functional>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/checksum.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/wire/ipv4.h"

namespace tcpip::ip {
namespace {

using Bytes = std::vector<uint8_t>;

const IpAddress kPeer = IpAddress::Ipv4(10, 0, 0, 1);
const IpAddress kOwn = IpAddress::Ipv4(10, 0, 0, 2);

void FixChecksum(Bytes& packet) {
  const size_t size = std::min<size_t>((packet[0] & 0xf) * 4, packet.size());
  StoreBe16(&packet[10], 0);
  StoreBe16(&packet[10], SumBytes(ByteSpan(packet).first(size)).Checksum());
}

// A good packet with 8 bytes of payload.
Bytes Make(const Bytes& options = {}) {
  wire::Ipv4Header header = {.tos = 0xb8,
                             .ttl = 17,
                             .protocol = wire::kUdp,
                             .source = kPeer,
                             .destination = kOwn,
                             .options = options};
  Bytes packet(header.header_size() + 8);
  header.total_length = static_cast<uint16_t>(packet.size());
  wire::EmitIpv4(header, packet);
  return packet;
}

struct Case {
  const char* name;
  std::function<void(Bytes&)> damage;  // the checksum is made right after
  std::optional<DropReason> want;
};

const Case kCases[] = {
    {"Good", [](Bytes&) {}, std::nullopt},
    {"Empty", [](Bytes& p) { p.clear(); }, DropReason::kIpTruncated},
    {"HeaderCutOff", [](Bytes& p) { p.resize(19); }, DropReason::kIpTruncated},
    {"ShorterThanItSays", [](Bytes& p) { p.pop_back(); },
     DropReason::kIpTruncated},
    {"LongerThanItSays", [](Bytes& p) { p.resize(p.size() + 18); },
     std::nullopt},
    {"Version5", [](Bytes& p) { p[0] = 0x55; }, DropReason::kIpBadVersion},
    {"HeaderLength4", [](Bytes& p) { p[0] = 0x44; }, DropReason::kIpBadHeader},
    {"TotalBelowHeader", [](Bytes& p) { StoreBe16(&p[2], 19); },
     DropReason::kIpBadHeader},
    {"MartianSource", [](Bytes& p) { p[12] = 127; }, DropReason::kIpMartian},
    {"Land", [](Bytes& p) { p[15] = 2; }, DropReason::kIpMartian},
    // [fault I05] [fault X19] fragments
    {"FirstFragment", [](Bytes& p) { StoreBe16(&p[6], 0x2000); }, std::nullopt},
    {"LastFragment", [](Bytes& p) { StoreBe16(&p[6], 0x0001); }, std::nullopt},
    {"FirstFragmentWithoutATcpHeader",
     [](Bytes& p) {
       StoreBe16(&p[6], 0x2000);
       p[9] = wire::kTcp;
     },
     DropReason::kIpFragmentTiny},
    {"UnevenFragment",
     [](Bytes& p) {
       StoreBe16(&p[2], 27);
       StoreBe16(&p[6], 0x2001);
     },
     DropReason::kIpFragmentBad},
    {"EmptyFragment",
     [](Bytes& p) {
       StoreBe16(&p[2], 20);
       StoreBe16(&p[6], 0x0001);
     },
     DropReason::kIpFragmentBad},
    {"PingOfDeath", [](Bytes& p) { StoreBe16(&p[6], 0x1fff); },
     DropReason::kIpFragmentBad},
    {"DontFragment", [](Bytes& p) { StoreBe16(&p[6], 0x4000); }, std::nullopt},
};

TEST(CheckIpv4, DecidesFromTheHeader) {
  for (const Case& c : kCases) {
    Bytes packet = Make();
    c.damage(packet);
    if (packet.size() >= 20) FixChecksum(packet);
    const InputVerdict verdict =
        CheckIpv4(packet, packet.size(), Ingress::kLink);
    EXPECT_EQ(verdict.drop, c.want) << c.name;
    EXPECT_FALSE(verdict.problem) << c.name;
  }
}

TEST(CheckIpv4, RefusesAWrongHeaderChecksum) {
  Bytes packet = Make();
  packet[8] ^= 1;
  EXPECT_EQ(CheckIpv4(packet, packet.size(), Ingress::kLink).drop,
            DropReason::kIpBadChecksum);
}

struct OptionsCase {
  const char* name;
  Bytes options;
  std::optional<DropReason> want;
};

const OptionsCase kOptionsCases[] = {
    {"Nops", {1, 1, 1, 1}, std::nullopt},
    {"EndThenGarbage", {0, 131, 0, 255}, std::nullopt},
    {"RecordRoute", {7, 7, 4, 0, 0, 0, 0, 0}, std::nullopt},
    {"RouterAlert", {148, 4, 0, 0}, std::nullopt},
    // [RFC 1122 3.2.1.8(c)] a source-routed packet is not taken
    {"LooseSourceRoute",
     {131, 7, 4, 10, 0, 0, 9, 0},
     DropReason::kIpSourceRoute},
    {"StrictSourceRoute",
     {1, 137, 7, 4, 10, 0, 0, 9},
     DropReason::kIpSourceRoute},
    {"LengthZero", {7, 0, 0, 0}, DropReason::kIpBadHeader},
    {"LengthOne", {7, 1, 0, 0}, DropReason::kIpBadHeader},
    {"RunsOver", {7, 5, 0, 0}, DropReason::kIpBadHeader},
    {"NoRoomForLength", {1, 1, 1, 7}, DropReason::kIpBadHeader},
};

// [fault X21]
TEST(CheckIpv4, LooksAtOptionsOnlyToRefuse) {
  for (const OptionsCase& c : kOptionsCases) {
    const Bytes packet = Make(c.options);
    const InputVerdict verdict =
        CheckIpv4(packet, packet.size(), Ingress::kLink);
    EXPECT_EQ(verdict.drop, c.want) << c.name;
    if (!verdict.drop) {
      EXPECT_EQ(verdict.ip.header_size, 20 + c.options.size()) << c.name;
    }
  }
}

// [fault I14] every header length with every total length
TEST(CheckIpv4, NoHeaderLengthAndTotalLengthGetOutOfBounds) {
  for (int header_words = 0; header_words < 16; ++header_words) {
    for (uint16_t total = 0; total < 80; ++total) {
      Bytes packet(72, 1);
      packet[0] = static_cast<uint8_t>(0x40 | header_words);
      StoreBe16(&packet[2], total);
      StoreBe16(&packet[6], 0);
      packet[12] = 10;
      FixChecksum(packet);
      const InputVerdict verdict =
          CheckIpv4(packet, packet.size(), Ingress::kLink);
      const bool fits = header_words >= 5 && total >= header_words * 4 &&
                        total <= packet.size();
      EXPECT_EQ(!verdict.drop, fits) << header_words << " words, " << total;
      if (!verdict.drop) {
        EXPECT_EQ(verdict.ip.size, total);
        EXPECT_EQ(verdict.ip.header_size, header_words * 4u);
      }
    }
  }
}

TEST(CheckIpv4, SaysWhatTheTransportsNeedToKnow) {
  const Bytes packet = Make({1, 1, 1, 1});
  const InboundIp ip = CheckIpv4(packet, packet.size(), Ingress::kLink).ip;
  EXPECT_EQ(ip.source, kPeer);
  EXPECT_EQ(ip.destination, kOwn);
  EXPECT_EQ(ip.protocol, wire::kUdp);
  EXPECT_EQ(ip.tos, 0xb8);
  EXPECT_EQ(ip.ttl, 17);
  EXPECT_EQ(ip.header_size, 24u);
  EXPECT_EQ(ip.size, 32u);
  EXPECT_EQ(packet[ip.protocol_offset], wire::kUdp);
}

// [fault I07] a fragment is told from a packet
TEST(CheckIpv4, SaysWhichPartAFragmentIs) {
  Bytes packet = Make({1, 1, 1, 1});
  EXPECT_FALSE(CheckIpv4(packet, packet.size(), Ingress::kLink).fragment);
  StoreBe16(&packet[4], 0xbeef);
  StoreBe16(&packet[6], 0x2003);
  FixChecksum(packet);
  const InputVerdict verdict = CheckIpv4(packet, packet.size(), Ingress::kLink);
  ASSERT_TRUE(verdict.fragment);
  EXPECT_EQ(verdict.fragment->id, 0xbeefu);
  EXPECT_EQ(verdict.fragment->offset, 24);
  EXPECT_TRUE(verdict.fragment->more);
  EXPECT_EQ(verdict.fragment->header_size, 24u);
  EXPECT_EQ(verdict.ip.size, 32u);
}

// [fault I12] [RFC 6864 4.1]
TEST(PrependIpv4, MakesAnAtomicPacket) {
  SlabPool pool;
  Packet packet = Packet::WithHeadroom(pool);
  packet.AppendToHead(8);
  PrependIpv4(packet, {.source = kOwn,
                       .destination = kPeer,
                       .protocol = wire::kUdp,
                       .tos = 4,
                       .ttl = 9});
  const wire::ParsedIpv4 parsed = wire::ParseIpv4(packet.head(), packet.size());
  ASSERT_EQ(parsed.error, wire::IpParseError::kNone);
  EXPECT_TRUE(parsed.header.dont_fragment);
  EXPECT_FALSE(parsed.header.IsFragment());
  EXPECT_EQ(parsed.header.identification, 0);
  EXPECT_EQ(parsed.header.total_length, 28);
  EXPECT_EQ(parsed.header.tos, 4);
  EXPECT_EQ(parsed.header.ttl, 9);
  EXPECT_EQ(parsed.header.protocol, wire::kUdp);
  EXPECT_EQ(parsed.header.source, kOwn);
  EXPECT_EQ(parsed.header.destination, kPeer);
}

TEST(PrependIpv4, CountsTheBodyOfASuperSegment) {
  SlabPool pool;
  Packet packet = Packet::WithHeadroom(pool);
  packet.AppendToHead(20);
  packet.SetBody(ViewChain(View(pool.Allocate(SlabClass::kLarge), 0, 60000)));
  PrependIpv4(packet, {.source = kOwn, .destination = kPeer});
  EXPECT_EQ(LoadBe16(packet.head().data() + 2), 60040);
}

}  // namespace
}  // namespace tcpip::ip
