#include "conformance/ascii.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace conformance {
namespace {

std::string AllOf(bool (*is_in_class)(char)) {
  std::string all;
  for (int c = 0; c < 256; ++c) {
    if (is_in_class(static_cast<char>(c))) all += static_cast<char>(c);
  }
  return all;
}

TEST(Ascii, ClassesHoldTheseCharactersAndNoneBeyondAscii) {
  EXPECT_EQ(AllOf(IsDigit), "0123456789");
  EXPECT_EQ(AllOf(IsHexDigit), "0123456789ABCDEFabcdef");
  EXPECT_EQ(AllOf(IsSpace), "\t\n\v\f\r ");
  EXPECT_EQ(AllOf(IsWordStart),
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(AllOf(IsWordPart).size(), AllOf(IsWordStart).size() + 10);
}

TEST(Ascii, LengthOfStopsAtTheFirstOther) {
  EXPECT_EQ(LengthOf(IsDigit, "12a3"), 2u);
  EXPECT_EQ(LengthOf(IsDigit, "12"), 2u);
  EXPECT_EQ(LengthOf(IsDigit, ""), 0u);
}

TEST(Ascii, SqueezesGapsToOneBlank) {
  EXPECT_EQ(SqueezeBlanks("  a \n\t b  "), "a b");
  EXPECT_EQ(SqueezeBlanks(" \n "), "");
}

TEST(Ascii, LowersLettersOnly) {
  EXPECT_EQ(ToLower('Z'), 'z');
  EXPECT_EQ(ToLower('['), '[');
}

TEST(Ascii, TrimsBothEnds) {
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trim(" \n"), "");
}

TEST(Ascii, SplitsAtAnyOfSeveralAndLeavesOutWhatIsEmpty) {
  EXPECT_EQ(SplitAny(";a;;b\nc;", "\n;"),
            (std::vector<std::string_view>{"a", "b", "c"}));
  EXPECT_TRUE(SplitAny("", ";").empty());
  EXPECT_TRUE(SplitAny(";;", ";").empty());
}

}  // namespace
}  // namespace conformance
