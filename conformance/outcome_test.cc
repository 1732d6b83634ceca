#include "conformance/outcome.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(OutcomeTest, WhatTheHostLacksSkipsAndNonsenseFails) {
  const Ended skipped =
      SkipOrFail(SkipReason::kCall, absl::UnimplementedError("call splice"));
  EXPECT_EQ(skipped->verdict, Verdict::kSkip);
  EXPECT_EQ(skipped->skip, SkipReason::kCall);
  EXPECT_EQ(skipped->message, "call splice");
  const Ended failed =
      SkipOrFail(SkipReason::kCall, absl::InvalidArgumentError("no"));
  EXPECT_EQ(failed->verdict, Verdict::kFail);
  EXPECT_EQ(failed->skip, SkipReason::kNone);
}

TEST(OutcomeTest, TheFirstLineStands) {
  EXPECT_EQ(At(9, At(4, Fail("x")))->line, 4);
  EXPECT_FALSE(At(9, std::nullopt));
}

TEST(OutcomeTest, OnlyFailuresAndUnexpectedPassesAreBad) {
  EXPECT_TRUE(IsGood(Verdict::kPass));
  EXPECT_TRUE(IsGood(Verdict::kSkip));
  EXPECT_TRUE(IsGood(Verdict::kExpectedFail));
  EXPECT_FALSE(IsGood(Verdict::kFail));
  EXPECT_FALSE(IsGood(Verdict::kUnexpectedPass));
}

TEST(OutcomeTest, EveryReasonAndVerdictHasItsOwnName) {
  std::set<std::string> names;
  for (int i = 0; i < kSkipReasonCount; ++i) {
    names.insert(SkipReasonName(static_cast<SkipReason>(i)));
  }
  EXPECT_EQ(names.size(), size_t{kSkipReasonCount});
  names.clear();
  for (int i = 0; i < kVerdictCount; ++i) {
    names.insert(VerdictName(static_cast<Verdict>(i)));
  }
  EXPECT_EQ(names.size(), size_t{kVerdictCount});
}

}  // namespace
}  // namespace conformance
