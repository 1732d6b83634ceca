#include "tcpip/base/bytes.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(Bytes, LoadsAreBigEndianAtAnyAlignment) {
  const uint8_t bytes[] = {0xff, 0x12, 0x34, 0x56, 0x78};
  EXPECT_EQ(LoadBe16(bytes + 1), 0x1234);
  EXPECT_EQ(LoadBe32(bytes + 1), 0x12345678u);
}

TEST(Bytes, StoresAreBigEndianAndTouchNothingElse) {
  uint8_t bytes[8] = {};
  StoreBe16(bytes + 1, 0xa1b2);
  StoreBe32(bytes + 3, 0xc3d4e5f6);
  const uint8_t want[8] = {0, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0};
  EXPECT_EQ(std::memcmp(bytes, want, sizeof want), 0);
}

TEST(Bytes, HostToBigEndianIsItsOwnInverse) {
  EXPECT_EQ(HostToBe16(HostToBe16(0x1234)), 0x1234);
  EXPECT_EQ(HostToBe32(HostToBe32(0x12345678)), 0x12345678u);
}

}  // namespace
}  // namespace tcpip
