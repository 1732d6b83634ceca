#include "tcpip/base/checksum.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip {
namespace {

constexpr uint64_t kSeed = 1071;

std::vector<uint8_t> RandomBytes(Rng& rng, size_t n) {
  std::vector<uint8_t> bytes(n);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng.Next());
  return bytes;
}

// The definition, one word at a time.
PartialSum NaiveSum(ByteSpan bytes) {
  PartialSum sum;
  for (size_t i = 0; i < bytes.size(); i += 2) {
    const int low = i + 1 < bytes.size() ? bytes[i + 1] : 0;
    sum.AddWord(static_cast<uint16_t>(bytes[i] << 8 | low));
  }
  return sum;
}

// [RFC 1071 3] the numerical example: 00 01 f2 03 f4 f5 f6 f7 sums to ddf2
TEST(Checksum, SumsTheExampleOfTheRfc) {
  const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  EXPECT_EQ(SumBytes(bytes).value(), 0xddf2);
  EXPECT_EQ(SumBytes(bytes).Checksum(), 0x220d);
}

TEST(Checksum, NothingSumsToZero) {
  EXPECT_EQ(SumBytes({}).value(), 0);
  EXPECT_EQ(SumBytes({}).Checksum(), 0xffff);
  EXPECT_EQ(CopyAndSum({}, nullptr).value(), 0);
}

TEST(Checksum, AnOddByteIsTheHighHalfOfItsWord) {
  const uint8_t bytes[] = {0x12, 0x34, 0x56};
  EXPECT_EQ(SumBytes(bytes).value(), 0x1234 + 0x5600);
}

TEST(Checksum, EqualsTheDefinitionAtEveryLengthAndAlignment) {
  SeededRng rng(kSeed);
  const std::vector<uint8_t> bytes = RandomBytes(rng, 256);
  for (size_t offset = 0; offset < 9; ++offset) {
    for (size_t n = 0; n + offset <= bytes.size(); ++n) {
      const ByteSpan range = ByteSpan(bytes).subspan(offset, n);
      ASSERT_EQ(SumBytes(range), NaiveSum(range)) << offset << "+" << n;
    }
  }
}

// All-ones words carry out of every addition.
TEST(Checksum, CarriesAreNeverLost) {
  std::vector<uint8_t> ones(65'535, 0xff);
  for (size_t n : {7, 8, 31, 32, 33, 64, 1'460, 65'535}) {
    const ByteSpan range = ByteSpan(ones).first(n);
    EXPECT_EQ(SumBytes(range), NaiveSum(range)) << n;
  }
}

TEST(Checksum, CopyAndSumCopiesExactlyAndSumsTheSame) {
  SeededRng rng(kSeed);
  const std::vector<uint8_t> from = RandomBytes(rng, 200);
  for (size_t n = 0; n < from.size(); ++n) {
    for (size_t offset : {0, 1, 3}) {
      std::vector<uint8_t> to(n + offset + 1, 0xa5);
      const ByteSpan range = ByteSpan(from).first(n);
      ASSERT_EQ(CopyAndSum(range, to.data() + offset), SumBytes(range)) << n;
      ASSERT_TRUE(std::equal(range.begin(), range.end(), to.data() + offset));
      ASSERT_EQ(to.back(), 0xa5) << "wrote past the end at " << n;
    }
  }
}

TEST(Checksum, RangesCombineAtAnySplit) {
  SeededRng rng(kSeed);
  for (int round = 0; round < 10'000; ++round) {
    const auto bytes = RandomBytes(rng, rng.Below(120));
    const size_t split = rng.Below(static_cast<uint32_t>(bytes.size()) + 1);
    PartialSum sum = SumBytes(ByteSpan(bytes).first(split));
    sum.Combine(SumBytes(ByteSpan(bytes).subspan(split)),
                static_cast<uint32_t>(split));
    ASSERT_EQ(sum, SumBytes(bytes)) << "seed " << kSeed << " round " << round;
  }
}

TEST(Checksum, ARangeWithItsOwnChecksumIsValidUntilABitFlips) {
  SeededRng rng(kSeed);
  auto bytes = RandomBytes(rng, 40);
  StoreBe16(bytes.data() + 16, 0);
  StoreBe16(bytes.data() + 16, SumBytes(bytes).Checksum());
  EXPECT_TRUE(SumBytes(bytes).IsValid());
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_FALSE(SumBytes(bytes).IsValid()) << "bit " << bit;
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
  }
}

// [RFC 1624 4] the example that the older equation of RFC 1141 gets wrong
TEST(Checksum, UpdateOfTheRfcsExampleIsZeroAndNotAllOnes) {
  EXPECT_EQ(UpdateChecksum(0xdd2f, 0x5555, 0x3285), 0x0000);
}

// [RFC 1624 3] an update gives what summing everything anew gives
TEST(Checksum, UpdateEqualsSummingAnew) {
  SeededRng rng(kSeed);
  for (int round = 0; round < 10'000; ++round) {
    auto bytes = RandomBytes(rng, 20);
    const uint16_t before = SumBytes(bytes).Checksum();
    const size_t at = 2 * rng.Below(10);
    const uint16_t from = LoadBe16(bytes.data() + at);
    const auto to = static_cast<uint16_t>(rng.Next());
    StoreBe16(bytes.data() + at, to);
    ASSERT_EQ(UpdateChecksum(before, from, to), SumBytes(bytes).Checksum())
        << "seed " << kSeed << " round " << round;
  }
}

// [RFC 768]
TEST(Checksum, AComputedZeroGoesOutAsAllOnes) {
  EXPECT_EQ(NonZeroChecksum(PartialSum(0xffff).Checksum()), 0xffff);
  EXPECT_EQ(NonZeroChecksum(PartialSum(0x0001).Checksum()), 0xfffe);
}

}  // namespace
}  // namespace tcpip
