#include "tcpip/tun/vnet_offload.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

using wire::VirtioNetHeader;

struct InboundCase {
  const char* name;
  VirtioNetHeader header;
  uint8_t first_byte = 0x45;
  size_t size = 60;
  std::optional<Offload> want = std::nullopt;
};

const InboundCase kInbound[] = {
    {.name = "PlainPacketHasNoFacts", .header = {}, .want = Offload{}},
    {.name = "NeedsCsumIsPartial",
     .header = {.flags = VirtioNetHeader::kNeedsCsum,
                .csum_start = 20,
                .csum_offset = 16},
     .want = Offload{.checksum = ChecksumState::kPartial,
                     .checksum_start = 20,
                     .checksum_offset = 16}},
    {.name = "DataValidIsVerified",
     .header = {.flags = VirtioNetHeader::kDataValid},
     .want = Offload{.checksum = ChecksumState::kVerified}},
    {.name = "Tcp4SuperSegment",
     .header = {.gso_type = VirtioNetHeader::kGsoTcp4, .gso_size = 1448},
     .want = Offload{.gso_type = GsoType::kTcp4, .gso_size = 1448}},
    {.name = "EcnBitDoesNotChangeTheType",
     .header = {.gso_type =
                    VirtioNetHeader::kGsoTcp6 | VirtioNetHeader::kGsoEcn,
                .gso_size = 1428},
     .first_byte = 0x60,
     .want = Offload{.gso_type = GsoType::kTcp6, .gso_size = 1428}},
    // [fault L10] nonsense is refused
    {.name = "SuperSegmentWithoutSizeIsRefused",
     .header = {.gso_type = VirtioNetHeader::kGsoTcp4}},
    {.name = "Tcp4OfAnIpv6PacketIsRefused",
     .header = {.gso_type = VirtioNetHeader::kGsoTcp4, .gso_size = 1448},
     .first_byte = 0x60},
    {.name = "Tcp6OfAnIpv4PacketIsRefused",
     .header = {.gso_type = VirtioNetHeader::kGsoTcp6, .gso_size = 1448}},
    {.name = "UdpFragmentationIsRefused",
     .header = {.gso_type = VirtioNetHeader::kGsoUdp, .gso_size = 1448}},
    {.name = "UdpSegmentationIsRefused",
     .header = {.gso_type = VirtioNetHeader::kGsoUdpL4, .gso_size = 1448}},
    {.name = "UnknownTypeIsRefused",
     .header = {.gso_type = 0x42, .gso_size = 1448}},
    {.name = "ChecksumFieldBeyondThePacketIsRefused",
     .header = {.flags = VirtioNetHeader::kNeedsCsum,
                .csum_start = 43,
                .csum_offset = 16}},
    {.name = "ChecksumOffsetsDoNotWrap",
     .header = {.flags = VirtioNetHeader::kNeedsCsum,
                .csum_start = 0xffff,
                .csum_offset = 0xffff}},
    {.name = "ChecksumFieldAtTheVeryEndIsTaken",
     .header = {.flags = VirtioNetHeader::kNeedsCsum,
                .csum_start = 42,
                .csum_offset = 16},
     .want = Offload{.checksum = ChecksumState::kPartial,
                     .checksum_start = 42,
                     .checksum_offset = 16}},
};

class VnetOffloadInbound : public testing::TestWithParam<InboundCase> {};

TEST_P(VnetOffloadInbound, GivesTheFactsOrRefuses) {
  const InboundCase& c = GetParam();
  const std::vector<uint8_t> front(20, c.first_byte);
  const std::optional<Offload> got = OffloadFromVnet(c.header, front, c.size);
  ASSERT_EQ(got.has_value(), c.want.has_value());
  if (!got) return;
  EXPECT_EQ(got->gso_type, c.want->gso_type);
  EXPECT_EQ(got->gso_size, c.want->gso_size);
  EXPECT_EQ(got->checksum, c.want->checksum);
  EXPECT_EQ(got->checksum_start, c.want->checksum_start);
  EXPECT_EQ(got->checksum_offset, c.want->checksum_offset);
}

INSTANTIATE_TEST_SUITE_P(Headers, VnetOffloadInbound,
                         testing::ValuesIn(kInbound),
                         [](const auto& row) { return row.param.name; });

// IPv4 header of 20 bytes, then a TCP header of `tcp_words` words.
std::vector<uint8_t> Headers(uint8_t tcp_words) {
  std::vector<uint8_t> bytes(20 + size_t{tcp_words} * 4);
  bytes[0] = 0x45;
  bytes[20 + 12] = static_cast<uint8_t>(tcp_words << 4);
  return bytes;
}

TEST(VnetOffload, CompleteChecksumNeedsNothing) {
  EXPECT_EQ(VnetFromOffload(Offload{}, Headers(5)), VirtioNetHeader{});
}

TEST(VnetOffload, PartialChecksumNamesItsField) {
  const Offload offload = {.checksum = ChecksumState::kPartial,
                           .checksum_start = 20,
                           .checksum_offset = 16};
  const VirtioNetHeader want = {.flags = VirtioNetHeader::kNeedsCsum,
                                .csum_start = 20,
                                .csum_offset = 16};
  EXPECT_EQ(VnetFromOffload(offload, Headers(5)), want);
}

TEST(VnetOffload, SuperSegmentSaysWhereItsHeadersEnd) {
  const Offload offload = {.gso_type = GsoType::kTcp4,
                           .gso_size = 1448,
                           .checksum = ChecksumState::kPartial,
                           .checksum_start = 20,
                           .checksum_offset = 16};
  std::vector<uint8_t> front = Headers(8);
  front.resize(front.size() + 700);  // payload may share the head block
  const VirtioNetHeader want = {.flags = VirtioNetHeader::kNeedsCsum,
                                .gso_type = VirtioNetHeader::kGsoTcp4,
                                .hdr_len = 52,
                                .gso_size = 1448,
                                .csum_start = 20,
                                .csum_offset = 16};
  EXPECT_EQ(VnetFromOffload(offload, front), want);
}

TEST(VnetOffload, WhatGoesOutComesBackTheSame) {
  for (GsoType type : {GsoType::kTcp4, GsoType::kTcp6}) {
    const Offload sent = {.gso_type = type,
                          .gso_size = 1220,
                          .checksum = ChecksumState::kPartial,
                          .checksum_start = 20,
                          .checksum_offset = 16};
    std::vector<uint8_t> front = Headers(5);
    if (type == GsoType::kTcp6) front[0] = 0x60;
    const std::optional<Offload> got =
        OffloadFromVnet(VnetFromOffload(sent, front), front, 5000);
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->gso_type, sent.gso_type);
    EXPECT_EQ(got->gso_size, sent.gso_size);
    EXPECT_EQ(got->checksum, sent.checksum);
    EXPECT_EQ(got->checksum_start, sent.checksum_start);
    EXPECT_EQ(got->checksum_offset, sent.checksum_offset);
  }
}

}  // namespace
}  // namespace tcpip
