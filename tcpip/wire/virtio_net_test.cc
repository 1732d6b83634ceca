#include "tcpip/wire/virtio_net.h"

#include <gtest/gtest.h>

#include <bit>
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

// [fault L09] words in the order of the host, whatever that is.
std::vector<uint8_t> GoldenBytes() {
  if (std::endian::native == std::endian::little) {
    return {0x01, 0x84, 0x02, 0x01, 0x04, 0x03, 0x06, 0x05, 0x08, 0x07};
  }
  return {0x01, 0x84, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08};
}

TEST(VirtioNet, StoreWritesTheGoldenBytes) {
  std::vector<uint8_t> bytes(kVirtioNetHeaderSize, 0xee);
  StoreVirtioNet(kHeader, bytes.data());
  EXPECT_EQ(bytes, GoldenBytes());
}

TEST(VirtioNet, LoadReadsThemBackAtAnyAlignment) {
  const std::vector<uint8_t> golden = GoldenBytes();
  for (size_t shift = 0; shift < 4; ++shift) {
    std::vector<uint8_t> bytes(shift);
    bytes.insert(bytes.end(), golden.begin(), golden.end());
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
