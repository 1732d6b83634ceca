#include "tcpip/testing/pattern.h"

#include <vector>

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

TEST(Pattern, AnyPartIsTheSameHoweverItIsWritten) {
  const Pattern pattern(3);
  std::vector<uint8_t> whole(300);
  pattern.Fill(1000, whole);
  for (size_t from = 0; from < 20; ++from) {
    for (size_t size = 0; size < 40; ++size) {
      std::vector<uint8_t> part(size);
      pattern.Fill(1000 + from, part);
      for (size_t i = 0; i < size; ++i) {
        ASSERT_EQ(part[i], whole[from + i]);
        ASSERT_EQ(part[i], pattern.At(1000 + from + i));
      }
      EXPECT_EQ(pattern.Mismatch(1000 + from, part), 1000 + from + size);
    }
  }
}

TEST(Pattern, MismatchFindsTheFirstWrongByte) {
  const Pattern pattern(3);
  std::vector<uint8_t> bytes(100);
  pattern.Fill(5, bytes);
  bytes[40] ^= 1;
  bytes[70] ^= 1;
  EXPECT_EQ(pattern.Mismatch(5, bytes), 45u);
  EXPECT_LT(pattern.Mismatch(6, bytes), 15u);  // shifted by one
  EXPECT_LT(Pattern(4).Mismatch(5, bytes), 15u);
}

}  // namespace
}  // namespace tcpip::sim
