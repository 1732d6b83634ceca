#include "tcpip/network/partial_datagram.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/network/ip.h"
#include "tcpip/testing/packet_builder.h"

namespace tcpip::ip {
namespace {

using sim::Bytes;
using Fit = PartialDatagram::Fit;

Bytes Pattern(size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 7 + 1);
  return bytes;
}

// Everything is done for both families.
class PartialDatagramTest : public testing::TestWithParam<bool> {
 protected:
  bool v4() const { return GetParam(); }

  // [begin, end) of the pattern, `noise` added to every byte.
  sim::IpFragment Part(uint32_t begin, uint32_t end, bool more,
                       uint8_t noise = 0) const {
    Bytes data = Pattern(end);
    data.erase(data.begin(), data.begin() + begin);
    for (uint8_t& byte : data) byte += noise;
    return {.from = *IpAddress::Parse(v4() ? "10.0.0.1" : "2001:db8::1"),
            .to = *IpAddress::Parse(v4() ? "10.0.0.2" : "2001:db8::2"),
            .offset = static_cast<uint16_t>(begin),
            .more = more,
            .data = data};
  }

  // What the fragment was; what is new is added.
  Fit Offer(const Bytes& bytes) {
    Packet packet = Packet::Copy(pool_, bytes);
    const InputVerdict verdict = CheckIp(packet, Ingress::kLink);
    EXPECT_TRUE(!verdict.drop && verdict.fragment);
    const Fit fit = parts_.FitOf(packet, verdict.ip, *verdict.fragment);
    if (fit == Fit::kNew) {
      parts_.Add(std::move(packet), verdict.ip, *verdict.fragment, pool_);
    }
    return fit;
  }
  Fit Offer(const sim::IpFragment& fragment) {
    return Offer(sim::Build(fragment));
  }

  // The transport bytes of the whole packet, whose header has to be good.
  Bytes TakeData() {
    EXPECT_TRUE(parts_.complete());
    Packet whole;
    EXPECT_EQ(parts_.Take(pool_, whole), std::nullopt);
    parts_.Clear();
    const InputVerdict verdict = CheckIp(whole, Ingress::kLink);
    EXPECT_TRUE(!verdict.drop && !verdict.fragment);
    EXPECT_EQ(verdict.ip.size, whole.size());
    EXPECT_EQ(verdict.ip.protocol, 17);
    tos_ = verdict.ip.tos;
    Bytes bytes = sim::Flatten(whole);
    return {bytes.begin() + verdict.ip.header_size, bytes.end()};
  }

  SlabPool pool_;
  PartialDatagram parts_;
  uint8_t tos_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Families, PartialDatagramTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) {
                           return info.param ? "Ipv4" : "Ipv6";
                         });

// [fault X19] the last before the first included
TEST_P(PartialDatagramTest, ThreeFragmentsMakeAPacketInAnyOrder) {
  const sim::IpFragment parts[] = {Part(0, 16, true), Part(16, 40, true),
                                   Part(40, 53, false)};
  std::vector<int> order = {0, 1, 2};
  do {
    for (const int i : order) {
      EXPECT_FALSE(parts_.complete());
      EXPECT_EQ(Offer(parts[i]), Fit::kNew);
    }
    EXPECT_EQ(TakeData(), Pattern(53));
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(pool_.stats().live, 0u);
}

// What overlaps [16, 32), which is there together with [0, 8) and the end
// at 48.
struct OverlapRow {
  const char* name;
  uint32_t begin;
  uint32_t end;
  bool more;
  bool same_bytes;
  Fit ipv4;
  Fit ipv6;
};

// [fault X19] [RFC 5722 4] [RFC 8200 4.5]
const OverlapRow kOverlaps[] = {
    {"Exact", 16, 32, true, true, Fit::kDuplicate, Fit::kDuplicate},
    {"ExactOtherBytes", 16, 32, true, false, Fit::kConflict, Fit::kConflict},
    {"StartOfIt", 16, 24, true, true, Fit::kDuplicate, Fit::kConflict},
    {"EndOfIt", 24, 32, true, true, Fit::kDuplicate, Fit::kConflict},
    {"Teardrop", 24, 32, true, false, Fit::kConflict, Fit::kConflict},
    {"AroundIt", 8, 40, true, true, Fit::kConflict, Fit::kConflict},
    {"OverItsStart", 8, 24, true, true, Fit::kConflict, Fit::kConflict},
    {"OverItsEnd", 24, 40, true, true, Fit::kConflict, Fit::kConflict},
    {"OverTheFirst", 0, 16, true, true, Fit::kConflict, Fit::kConflict},
    {"FirstAgain", 0, 8, true, true, Fit::kDuplicate, Fit::kDuplicate},
    {"FirstWithOtherPorts", 0, 8, true, false, Fit::kConflict, Fit::kConflict},
    {"LastAgain", 40, 48, false, true, Fit::kDuplicate, Fit::kDuplicate},
    {"EndsElsewhere", 48, 56, false, true, Fit::kConflict, Fit::kConflict},
    {"EndsTooSoon", 32, 40, false, true, Fit::kConflict, Fit::kConflict},
    {"BehindTheEnd", 48, 56, true, true, Fit::kConflict, Fit::kConflict},
    {"LastThatGoesOn", 40, 48, true, true, Fit::kConflict, Fit::kConflict},
    {"JustBefore", 8, 16, true, true, Fit::kNew, Fit::kNew},
    {"JustBehind", 32, 40, true, true, Fit::kNew, Fit::kNew},
};

TEST_P(PartialDatagramTest, OverlapsAreCopiesOrConflicts) {
  for (const OverlapRow& row : kOverlaps) {
    parts_.Clear();
    for (const sim::IpFragment& part :
         {Part(40, 48, false), Part(16, 32, true), Part(0, 8, true)}) {
      ASSERT_EQ(Offer(part), Fit::kNew);
    }
    EXPECT_EQ(Offer(Part(row.begin, row.end, row.more, row.same_bytes ? 0 : 1)),
              v4() ? row.ipv4 : row.ipv6)
        << row.name;
  }
}

TEST_P(PartialDatagramTest, AnEndBeforeWhatIsHereIsAConflict) {
  EXPECT_EQ(Offer(Part(32, 48, true)), Fit::kNew);
  EXPECT_EQ(Offer(Part(8, 16, false)), Fit::kConflict);
}

// A copy of several fragments is one with IPv4 only, wherever borders are.
TEST_P(PartialDatagramTest, ACopyMaySpanSeveralFragments) {
  for (uint32_t at = 0; at < 4096; at += 1024) {
    EXPECT_EQ(Offer(Part(at, at + 1024, true)), Fit::kNew);
  }
  EXPECT_EQ(Offer(Part(8, 4088, true)),
            v4() ? Fit::kDuplicate : Fit::kConflict);
  EXPECT_EQ(Offer(Part(8, 4088, true, 1)), Fit::kConflict);
  EXPECT_EQ(Offer(Part(4088, 4104, true)), Fit::kConflict);
}

struct EcnRow {
  uint8_t first;
  uint8_t second;
  int whole;  // -1: dropped
};

// [RFC 3168 5.3]
TEST_P(PartialDatagramTest, CongestionExperiencedSurvives) {
  constexpr uint8_t kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3;
  const EcnRow rows[] = {
      {kNotEct, kNotEct, kNotEct}, {kEct0, kEct0, kEct0},
      {kEct1, kEct1, kEct1},       {kCe, kCe, kCe},
      {kEct0, kCe, kCe},           {kCe, kEct0, kCe},
      {kEct1, kCe, kCe},           {kCe, kEct1, kCe},
      {kNotEct, kCe, -1},          {kCe, kNotEct, -1},
      {kEct0, kEct1, kEct0},       {kNotEct, kEct0, kNotEct},
  };
  for (const EcnRow& row : rows) {
    sim::IpFragment first = Part(0, 8, true);
    first.tos = 0xb8 | row.first;
    sim::IpFragment second = Part(8, 16, false);
    second.tos = 0x28 | row.second;
    Offer(second);
    Offer(first);
    if (row.whole < 0) {
      Packet whole;
      EXPECT_EQ(parts_.Take(pool_, whole), DropReason::kIpFragmentEcn);
      parts_.Clear();
      continue;
    }
    EXPECT_EQ(TakeData(), Pattern(16));
    EXPECT_EQ(tos_, 0xb8 | row.whole) << int{row.first} << int{row.second};
  }
}

// [fault X19] eight bytes at a time must not keep two kilobytes each
TEST_P(PartialDatagramTest, SmallFragmentsSharePages) {
  constexpr uint32_t kSize = 1480;
  for (uint32_t at = kSize; at > 0; at -= 8) {
    ASSERT_EQ(Offer(Part(at - 8, at, at < kSize)), Fit::kNew);
  }
  EXPECT_EQ(parts_.fragments(), 185u);
  EXPECT_LE(pool_.stats().live, 2u);
  EXPECT_LE(parts_.charged_bytes(),
            2 * 2048 + 185 * PartialDatagram::kFragmentOverhead);
  EXPECT_EQ(TakeData(), Pattern(kSize));
}

TEST_P(PartialDatagramTest, FullFragmentsStayWhereTheyAre) {
  Offer(Part(1448, 2896, true));
  Offer(Part(0, 1448, true));
  Offer(Part(2896, 4000, false));
  EXPECT_EQ(pool_.stats().live, 3u);
  EXPECT_EQ(pool_.stats().allocated, 3u);
  EXPECT_EQ(TakeData(), Pattern(4000));
}

// Larger than the first block of a packet.
TEST_P(PartialDatagramTest, FragmentsOfJumboFramesAreFine) {
  for (const bool backwards : {false, true}) {
    std::vector<sim::IpFragment> parts = {Part(0, 8952, true),
                                          Part(8952, 17904, true),
                                          Part(17904, 20000, false)};
    if (backwards) std::reverse(parts.begin(), parts.end());
    for (const sim::IpFragment& part : parts) {
      EXPECT_EQ(Offer(part), Fit::kNew);
      EXPECT_EQ(Offer(part), Fit::kDuplicate);
    }
    EXPECT_EQ(TakeData(), Pattern(20000));
  }
}

// [fault X19] the size is judged by the header of the whole
TEST_P(PartialDatagramTest, TheWholeHas65535BytesAtMost) {
  const uint32_t most = 0xffff - (v4() ? 20 : 0);
  Offer(Part(32768, most, false));
  Offer(Part(0, 32768, true));
  EXPECT_EQ(TakeData(), Pattern(most));
}

TEST(PartialDatagram, OptionsOfTheFirstCountToo) {
  SlabPool pool;
  PartialDatagram parts;
  sim::IpFragment first = {.from = *IpAddress::Parse("10.0.0.1"),
                           .to = *IpAddress::Parse("10.0.0.2"),
                           .more = true,
                           .data = Bytes(32768)};
  sim::IpFragment last = first;
  last.offset = 32768;
  last.more = false;
  last.data.resize(0xffff - 20 - 32768);
  Bytes with_options = sim::Build(first);
  // Four NOPs: header length, total length and header checksum follow.
  with_options.insert(with_options.begin() + 20, 4, 1);
  with_options[0] = 0x46;
  StoreBe16(&with_options[2], static_cast<uint16_t>(with_options.size()));
  const uint16_t words = 0x0100 + 4 + 2 * 0x0101;
  const uint32_t sum = (LoadBe16(&with_options[10]) ^ 0xffffu) + words;
  StoreBe16(&with_options[10],
            static_cast<uint16_t>(~((sum & 0xffff) + (sum >> 16))));
  for (const Bytes& bytes : {with_options, sim::Build(last)}) {
    Packet packet = Packet::Copy(pool, bytes);
    const InputVerdict verdict = CheckIp(packet, Ingress::kLink);
    ASSERT_FALSE(verdict.drop) << ToString(*verdict.drop);
    parts.Add(std::move(packet), verdict.ip, *verdict.fragment, pool);
  }
  ASSERT_TRUE(parts.complete());
  Packet whole;
  EXPECT_EQ(parts.Take(pool, whole), DropReason::kIpFragmentBad);
}

// [RFC 8200 4.5] the unfragmentable part stays, the fragment header goes
TEST(PartialDatagram, Ipv6HeadersBeforeTheFragmentHeaderStay) {
  SlabPool pool;
  PartialDatagram parts;
  sim::IpFragment part = {.from = *IpAddress::Parse("2001:db8::1"),
                          .to = *IpAddress::Parse("2001:db8::2"),
                          .more = true,
                          .tos = 0x48,
                          .data = Bytes(16, 5)};
  const Bytes options = {44, 0, 1, 4, 0, 0, 0, 0};
  for (int i = 0; i < 2; ++i) {
    Bytes bytes = sim::Build(part);
    bytes.insert(bytes.begin() + 40, options.begin(), options.end());
    bytes[6] = 0;
    StoreBe16(&bytes[4], static_cast<uint16_t>(bytes.size() - 40));
    Packet packet = Packet::Copy(pool, bytes);
    const InputVerdict verdict = CheckIp(packet, Ingress::kLink);
    ASSERT_FALSE(verdict.drop);
    parts.Add(std::move(packet), verdict.ip, *verdict.fragment, pool);
    part.offset = 16;
    part.more = false;
  }
  Packet whole;
  ASSERT_EQ(parts.Take(pool, whole), std::nullopt);
  const InputVerdict verdict = CheckIp(whole, Ingress::kLink);
  ASSERT_FALSE(verdict.drop);
  EXPECT_EQ(verdict.ip.header_size, 48u);
  EXPECT_EQ(verdict.ip.protocol, 17);
  EXPECT_EQ(verdict.ip.tos, 0x48);
  EXPECT_EQ(verdict.ip.size, 40u + 8 + 32);
  EXPECT_EQ(whole.size(), verdict.ip.size);
}

}  // namespace
}  // namespace tcpip::ip
