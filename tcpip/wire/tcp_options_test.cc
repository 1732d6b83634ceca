#include "tcpip/wire/tcp_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tcpip/base/rng.h"

namespace tcpip::wire {
namespace {

using Bytes = std::vector<uint8_t>;

TcpOptions Make(std::optional<uint16_t> mss, std::optional<uint8_t> wscale,
                bool sack_permitted, bool timestamps, int sack_blocks) {
  TcpOptions o;
  o.mss = mss;
  o.window_scale = wscale;
  o.sack_permitted = sack_permitted;
  if (timestamps) o.timestamps = {0x01020304, 0x05060708};
  for (int i = 0; i < sack_blocks; ++i) {
    const uint32_t left = 0x11111111u * static_cast<uint32_t>(2 * i + 1);
    o.sack_blocks[i] = {left, left + 0x11111111};
  }
  o.sack_block_count = static_cast<uint8_t>(sack_blocks);
  return o;
}

struct LayoutRow {
  const char* name;
  TcpOptions options;
  Bytes bytes;
};

// The layouts are Linux's, so that on the wire we look like the majority.
std::vector<LayoutRow> LayoutRows() {
  return {
      {"Nothing", {}, {}},
      {"SynWithEverything",
       Make(1460, 7, true, true, 0),
       {2, 4, 0x05, 0xb4, 4, 2, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 3, 3, 7}},
      {"SynWithoutTimestamps",
       Make(1460, 7, true, false, 0),
       {2, 4, 0x05, 0xb4, 1, 1, 4, 2, 1, 3, 3, 7}},
      {"SynWithoutSack",
       Make(1460, 7, false, true, 0),
       {2, 4, 0x05, 0xb4, 1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 3, 3, 7}},
      {"SynWithMssOnly", Make(536, {}, false, false, 0), {2, 4, 0x02, 0x18}},
      {"SynWithWindowScale0",
       Make(1460, 0, false, false, 0),
       {2, 4, 0x05, 0xb4, 1, 3, 3, 0}},
      {"Data",
       Make({}, {}, false, true, 0),
       {1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8}},
      {"DataWithSack",
       Make({}, {}, false, true, 1),
       {1, 1, 8, 10, 1,    2,    3,    4,    5,    6,    7,    8,
        1, 1, 5, 10, 0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22}},
      {"SackWithoutTimestamps",
       Make({}, {}, false, false, 2),
       {1,    1,    5,    18,   0x11, 0x11, 0x11, 0x11, 0x22, 0x22,
        0x22, 0x22, 0x33, 0x33, 0x33, 0x33, 0x44, 0x44, 0x44, 0x44}},
  };
}

class TcpOptionsLayoutTest : public testing::TestWithParam<LayoutRow> {};

// [RFC 9293 3.1 MUST-4, MUST-68, MUST-69]
TEST_P(TcpOptionsLayoutTest, EmitsTheseBytesAndParsesThem) {
  const LayoutRow& row = GetParam();
  ASSERT_EQ(TcpOptionsSize(row.options), row.bytes.size());
  Bytes bytes(row.bytes.size(), 0xee);
  EXPECT_EQ(EmitTcpOptions(row.options, bytes), row.bytes.size());
  EXPECT_EQ(bytes, row.bytes);
  EXPECT_EQ(ParseTcpOptions(row.bytes), row.options);
}

INSTANTIATE_TEST_SUITE_P(TcpOptions, TcpOptionsLayoutTest,
                         testing::ValuesIn(LayoutRows()), [](const auto& info) {
                           return std::string(info.param.name);
                         });

struct FitRow {
  TcpOptions options;
  int blocks;
};

// [RFC 2018 3] four blocks fill the space, three beside timestamps.
TEST(TcpOptions, SackBlocksThatDoNotFitAreLeftOutLastFirst) {
  const FitRow kRows[] = {
      {Make({}, {}, false, false, 4), 4},  {Make({}, {}, false, true, 4), 3},
      {Make({}, {}, false, true, 3), 3},   {Make(1460, {}, false, false, 4), 4},
      {Make(1460, 7, true, false, 4), 3},  {Make(1460, 7, true, true, 4), 2},
      {Make(1460, 7, false, false, 4), 3}, {Make(1460, {}, false, true, 4), 2},
  };
  for (const FitRow& row : kRows) {
    Bytes bytes(TcpOptionsSize(row.options));
    EXPECT_LE(bytes.size(), 40u);
    EXPECT_EQ(EmitTcpOptions(row.options, bytes), bytes.size());
    TcpOptions expected = row.options;
    expected.sack_block_count = static_cast<uint8_t>(row.blocks);
    std::fill(expected.sack_blocks.begin() + row.blocks,
              expected.sack_blocks.end(), SackBlock());
    EXPECT_EQ(ParseTcpOptions(bytes), expected);
  }
}

struct ParseRow {
  const char* name;
  Bytes bytes;
  TcpOptions options;
};

const TcpOptions kMss1460 = Make(1460, {}, false, false, 0);

// [RFC 9293 3.1 MUST-6] [RFC 9293 3.1 MUST-7] [fault X23]
std::vector<ParseRow> ParseRows() {
  return {
      {"EndStops", {2, 4, 5, 0xb4, 0, 4, 2, 1}, kMss1460},
      {"EndFirst", {0, 2, 4, 5, 0xb4}, {}},
      {"NopsOnly", {1, 1, 1, 1}, {}},
      {"UnknownIsSkipped", {254, 4, 1, 2, 30, 2, 2, 4, 5, 0xb4}, kMss1460},
      {"KnownWithAnotherLengthIsSkipped",
       {2, 3, 9, 3, 4, 9, 9, 4, 3, 9, 8, 9, 1, 2, 3, 4, 5, 6, 7, 2, 4, 5, 0xb4},
       kMss1460},
      {"LengthZeroStops", {2, 4, 5, 0xb4, 9, 0, 4, 2}, kMss1460},
      {"LengthOneStops", {2, 4, 5, 0xb4, 9, 1, 4, 2}, kMss1460},
      {"LengthZeroOfKnownStops", {2, 0, 5, 0xb4, 4, 2}, {}},
      {"OverrunStops", {2, 4, 5, 0xb4, 3, 4, 7}, kMss1460},
      {"OverrunByOneOfKnownStops",
       {4, 2, 2, 4, 5},
       Make({}, {}, true, false, 0)},
      {"KindWithoutLengthStops", {2, 4, 5, 0xb4, 3}, kMss1460},
      {"FirstMssWins", {2, 4, 5, 0xb4, 2, 4, 1, 1}, kMss1460},
      {"FirstWindowScaleWins",
       {3, 3, 7, 3, 3, 9},
       Make({}, 7, false, false, 0)},
      {"WindowScaleIsNotClamped", {3, 3, 255}, Make({}, 255, false, false, 0)},
      {"FirstTimestampsWin",
       {1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 8, 10, 9, 9, 9, 9, 9, 9, 9, 9},
       Make({}, {}, false, true, 0)},
      {"FirstSackWins",
       {5, 10, 0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22,
        5, 10, 9,    9,    9,    9,    9,    9,    9,    9},
       Make({}, {}, false, false, 1)},
      {"EmptySackIsNone", {5, 2}, {}},
      {"SackOfHalfABlockIsSkipped",
       {5, 6, 1, 2, 3, 4, 4, 2},
       Make({}, {}, true, false, 0)},
      {"TimestampsUnaligned",
       {8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1},
       Make({}, {}, false, true, 0)},
      {"TimestampsCutOff", {1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7}, {}},
  };
}

class TcpOptionsParseTest : public testing::TestWithParam<ParseRow> {};

TEST_P(TcpOptionsParseTest, ReadsWhatTheRowSays) {
  Bytes exact = GetParam().bytes;
  exact.shrink_to_fit();
  EXPECT_EQ(ParseTcpOptions(exact), GetParam().options);
}

INSTANTIATE_TEST_SUITE_P(TcpOptions, TcpOptionsParseTest,
                         testing::ValuesIn(ParseRows()), [](const auto& info) {
                           return std::string(info.param.name);
                         });

TEST(TcpOptions, FiveSackBlocksAreNotBelieved) {
  Bytes bytes = {5, 42};
  bytes.resize(42, 7);
  EXPECT_EQ(ParseTcpOptions(bytes), TcpOptions());
}

TcpOptions Random(Rng& rng) {
  TcpOptions o =
      Make({}, {}, rng.Below(2) != 0, false, static_cast<int>(rng.Below(3)));
  if (rng.Below(2) != 0) o.mss = static_cast<uint16_t>(rng.Next());
  if (rng.Below(2) != 0) o.window_scale = static_cast<uint8_t>(rng.Next());
  if (rng.Below(2) != 0) {
    o.timestamps = {static_cast<uint32_t>(rng.Next()),
                    static_cast<uint32_t>(rng.Next())};
  }
  for (int i = 0; i < o.sack_block_count; ++i) {
    o.sack_blocks[i] = {static_cast<uint32_t>(rng.Next()),
                        static_cast<uint32_t>(rng.Next())};
  }
  return o;
}

TEST(TcpOptions, ParseUndoesEmit) {
  constexpr uint64_t kSeed = 8;
  SeededRng rng(kSeed);
  for (int i = 0; i < 10'000; ++i) {
    const TcpOptions o = Random(rng);
    Bytes bytes(TcpOptionsSize(o), 0xee);
    ASSERT_EQ(bytes.size() % 4, 0u);
    ASSERT_LE(bytes.size(), 40u);
    ASSERT_EQ(EmitTcpOptions(o, bytes), bytes.size());
    ASSERT_EQ(ParseTcpOptions(bytes), o) << "seed " << kSeed << " round " << i;
  }
}

// The parse as the RFC tells it: split first, then look at what is there.
TcpOptions SlowParse(const Bytes& bytes) {
  TcpOptions o;
  size_t i = 0;
  while (i < bytes.size() && bytes[i] != 0) {
    if (bytes[i] == 1) {
      ++i;
      continue;
    }
    const size_t size = i + 1 < bytes.size() ? bytes[i + 1] : 0;
    if (size < 2 || i + size > bytes.size()) break;
    const std::pair<int, size_t> what = {bytes[i], size};
    const uint8_t* const v = bytes.data() + i + 2;
    i += size;
    if (what == std::pair<int, size_t>(2, 4)) {
      o.mss = o.mss.value_or(LoadBe16(v));
    } else if (what == std::pair<int, size_t>(3, 3)) {
      o.window_scale = o.window_scale.value_or(v[0]);
    } else if (what == std::pair<int, size_t>(4, 2)) {
      o.sack_permitted = true;
    } else if (what == std::pair<int, size_t>(8, 10)) {
      o.timestamps =
          o.timestamps.value_or(TcpTimestamps{LoadBe32(v), LoadBe32(v + 4)});
    } else if (what.first == 5 && o.sack_block_count == 0) {
      for (uint8_t n = 1; n <= kMaxSackBlocks; ++n) {
        if (size != 2u + 8u * n) continue;
        for (int k = 0; k < n; ++k) {
          o.sack_blocks[k] = {LoadBe32(v + 8 * k), LoadBe32(v + 8 * k + 4)};
        }
        o.sack_block_count = n;
      }
    }
  }
  return o;
}

// [fault X23] all lengths 0..40; the sanitizers watch the reads.
TEST(TcpOptions, NoiseIsReadAsTheSlowParserReadsIt) {
  constexpr uint64_t kSeed = 9;
  constexpr uint8_t kLikely[] = {0, 1, 1, 2, 3, 4, 5, 8, 2, 4, 3, 10, 10, 18};
  SeededRng rng(kSeed);
  int read_something = 0;
  for (int i = 0; i < 100'000; ++i) {
    Bytes bytes(rng.Below(41));
    for (uint8_t& b : bytes) {
      b = rng.Below(4) == 0 ? static_cast<uint8_t>(rng.Next())
                            : kLikely[rng.Below(std::size(kLikely))];
    }
    if (bytes.size() >= 4 && rng.Below(4) == 0) {
      StoreBe32(bytes.data(), 0x0101080a);  // the fast path
    }
    const TcpOptions o = ParseTcpOptions(bytes);
    ASSERT_EQ(o, SlowParse(bytes)) << "seed " << kSeed << " round " << i;
    if (o != TcpOptions()) ++read_something;
  }
  EXPECT_GT(read_something, 10'000);
}

// One bit off anywhere in a good list: still no read out of bounds, and the
// same reading as the slow parser's.
TEST(TcpOptions, EveryFlippedBitIsReadAsTheSlowParserReadsIt) {
  const TcpOptions o = Make(1460, 7, true, true, 2);
  Bytes bytes(TcpOptionsSize(o));
  EmitTcpOptions(o, bytes);
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    Bytes flipped = bytes;
    flipped[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_EQ(ParseTcpOptions(flipped), SlowParse(flipped)) << bit;
  }
}

}  // namespace
}  // namespace tcpip::wire
