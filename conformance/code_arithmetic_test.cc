#include "conformance/code_arithmetic.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(CodeArithmetic, EveryOperatorAndWhereItHasNoResult) {
  constexpr std::optional<int64_t> kNone;
  struct {
    int64_t a;
    const char* name;
    int64_t b;
    std::optional<int64_t> result;
  } const kCases[] = {
      {6, "|", 3, 7},
      {6, "^", 3, 5},
      {6, "&", 3, 2},
      {3, "<<", 2, 12},
      {0, "<<", 62, 0},
      {1, "<<", 63, kNone},
      {1, "<<", -1, kNone},
      {2, "<<", 62, kNone},
      {-8, ">>", 1, -4},
      {-8, ">>", 1000, -1},
      {8, ">>", -1, kNone},
      {1, "+", 2, 3},
      {INT64_MAX, "+", 1, kNone},
      {1, "-", 2, -1},
      {INT64_MIN, "-", 1, kNone},
      {3, "*", -2, -6},
      {INT64_MAX, "*", 2, kNone},
      {7, "//", 2, 3},
      {-7, "//", 2, -4},
      {7, "//", -2, -4},
      {-7, "//", -2, 3},
      {6, "//", -2, -3},
      {1, "//", 0, kNone},
      {INT64_MIN, "//", -1, kNone},
      {7, "%", 3, 1},
      {-7, "%", 3, 2},
      {7, "%", -3, -2},
      {-6, "%", 3, 0},
      {1, "%", 0, kNone},
      {INT64_MIN, "%", -1, 0},
      {1, "**", 1, kNone},
  };
  for (const auto& c : kCases) {
    const absl::StatusOr<int64_t> result = Calculate(c.name, c.a, c.b);
    EXPECT_EQ(result.ok(), c.result.has_value())
        << c.a << " " << c.name << " " << c.b;
    if (result.ok()) {
      EXPECT_EQ(*result, c.result) << c.a << " " << c.name << " " << c.b;
    }
  }
}

TEST(CodeArithmetic, BindsAsInPython) {
  const std::vector<const char*> kByLevel[kBinaryLevels] = {
      {"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "//", "%"}};
  for (size_t level = 0; level < kBinaryLevels; ++level) {
    for (const char* name : kByLevel[level]) {
      EXPECT_EQ(BinaryLevel(name), level) << name;
    }
  }
  for (const char* name : {"==", "/", "**", "="}) {
    EXPECT_EQ(BinaryLevel(name), kBinaryLevels) << name;
  }
}

TEST(CodeArithmetic, Comparisons) {
  struct {
    const char* name;
    bool less, equal, greater;
  } const kCases[] = {
      {"==", false, true, false}, {"!=", true, false, true},
      {"<", true, false, false},  {"<=", true, true, false},
      {">", false, false, true},  {">=", false, true, true},
  };
  for (const auto& c : kCases) {
    EXPECT_TRUE(IsComparison(c.name));
    EXPECT_EQ(Compare(c.name, 1, 2), c.less) << c.name;
    EXPECT_EQ(Compare(c.name, 2, 2), c.equal) << c.name;
    EXPECT_EQ(Compare(c.name, 3, 2), c.greater) << c.name;
  }
  EXPECT_FALSE(IsComparison("="));
}

}  // namespace
}  // namespace conformance
