#include "conformance/option_codec.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace conformance {
namespace {

struct Row {
  std::string name;
  std::vector<OptionSpec> options;
  std::vector<uint8_t> bytes;
};

std::vector<Row> Rows() {
  return {
      {"Mss", {option::Mss{1460}}, {2, 4, 0x05, 0xb4}},
      {"WindowScaleAfterNop",
       {option::Nop{}, option::WindowScale{7}},
       {1, 3, 3, 7}},
      {"SackPermitted", {option::SackPermitted{}}, {4, 2}},
      {"SackBlocksInOrder",
       {option::Sack{.blocks = {{1, 2}, {0x01020304, 5}}}},
       {5, 18, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4, 0, 0, 0, 5}},
      {"Timestamps",
       {option::Timestamps{0xa0b0c0d0, 7}},
       {8, 10, 0xa0, 0xb0, 0xc0, 0xd0, 0, 0, 0, 7}},
      {"EndOfList", {option::Eol{}, option::Eol{}}, {0, 0}},
      {"FastOpenRequest", {option::FastOpen{}}, {34, 2}},
      {"FastOpenCookie",
       {option::FastOpen{.cookie = {1, 2, 3, 4}}},
       {34, 6, 1, 2, 3, 4}},
      {"ExperimentalFastOpen",
       {option::FastOpen{.experimental = true, .cookie = {9, 8}}},
       {254, 6, 0xf9, 0x89, 9, 8}},
      {"Md5",
       {option::Md5{std::vector<uint8_t>(16, 3)}},
       {19, 18, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3}},
      {"AccurateEcn",
       {option::AccEcn{.order = 1, .counters = {1, 0x020304}}},
       {174, 8, 0, 0, 1, 2, 3, 4}},
      {"KindNobodyKnows", {option::Other{{77, 3, 1}}}, {77, 3, 1}},
  };
}

class OptionCodecTest : public testing::TestWithParam<Row> {};

TEST_P(OptionCodecTest, IsWrittenSo) {
  EXPECT_EQ(EmitOptions(GetParam().options), GetParam().bytes);
}

TEST_P(OptionCodecTest, IsReadBack) {
  EXPECT_EQ(ReadOptions(GetParam().bytes), GetParam().options);
}

INSTANTIATE_TEST_SUITE_P(, OptionCodecTest, testing::ValuesIn(Rows()),
                         [](const auto& info) { return info.param.name; });

TEST(ReadOptionsTest, ALengthOfAnotherKindIsNotThatKind) {
  const std::vector<uint8_t> bytes = {2, 3, 1};
  EXPECT_EQ(ReadOptions(bytes),
            (std::vector<OptionSpec>{option::Other{{2, 3, 1}}}));
}

TEST(ReadOptionsTest, WhatIsCutShortIsTheRest) {
  const std::vector<uint8_t> bytes = {1, 8, 10, 0};
  EXPECT_EQ(ReadOptions(bytes), (std::vector<OptionSpec>{
                                    option::Nop{}, option::Other{{8, 10, 0}}}));
}

TEST(ReadOptionsTest, ALengthOfZeroEndsTheList) {
  const std::vector<uint8_t> bytes = {9, 0, 1, 1};
  EXPECT_EQ(ReadOptions(bytes),
            (std::vector<OptionSpec>{option::Other{{9, 0, 1, 1}}}));
}

}  // namespace
}  // namespace conformance
