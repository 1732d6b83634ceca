#include "tcpip/wire/virtio_net.h"

#include <gtest/gtest.h>

#include <vector>

namespace tcpip::wire {
namespace {

constexpr VirtioNetHeader kHeader = {
    .flags = VirtioNetHeader::kNeedsCsum,
    .gso_type = VirtioNetHeader::kGsoTcp6 | VirtioNetHeader::kGsoEcn,
    .hdr_len = 0x0102,
    .gso_size = 0x0304,
    .csum_start = 0x0506,
    .csum_offset = 0x0708,
};

// [fault L09] words are little-endian, whatever the host is.
const std::vector<uint8_t> kGolden = {0x01, 0x84, 0x02, 0x01, 0x04,
                                      0x03, 0x06, 0x05, 0x08, 0x07};

TEST(VirtioNet, StoreWritesTheGoldenBytes) {
  std::vector<uint8_t> bytes(kVirtioNetHeaderSize, 0xee);
  StoreVirtioNet(kHeader, bytes.data());
  EXPECT_EQ(bytes, kGolden);
}

TEST(VirtioNet, LoadReadsThemBackAtAnyAlignment) {
  for (size_t shift = 0; shift < 4; ++shift) {
    std::vector<uint8_t> bytes(shift);
    bytes.insert(bytes.end(), kGolden.begin(), kGolden.end());
    EXPECT_EQ(LoadVirtioNet(bytes.data() + shift), kHeader);
  }
}

TEST(VirtioNet, DefaultIsAPlainPacket) {
  std::vector<uint8_t> bytes(kVirtioNetHeaderSize, 0xee);
  StoreVirtioNet(VirtioNetHeader(), bytes.data());
  EXPECT_EQ(bytes, std::vector<uint8_t>(kVirtioNetHeaderSize, 0));
}

}  // namespace
}  // namespace tcpip::wire
