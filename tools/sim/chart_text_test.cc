#include "tools/sim/chart_text.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

using Lines = std::vector<std::string>;

TEST(TextWidth, KnowsNarrowLettersFromWideOnes) {
  EXPECT_LT(TextWidth("ill"), TextWidth("one"));
  EXPECT_LT(TextWidth("one"), TextWidth("mwm"));
  EXPECT_EQ(TextWidth(""), 0);
}

TEST(Wrapped, BreaksAtBlanksAndNowhereElse) {
  const std::string text = "one two three";
  EXPECT_EQ(Wrapped(text, 1000), (Lines{text}));
  EXPECT_EQ(Wrapped(text, TextWidth(text)), (Lines{text}));
  EXPECT_EQ(Wrapped(text, TextWidth("one two")), (Lines{"one two", "three"}));
  EXPECT_EQ(Wrapped(text, 1), (Lines{"one", "two", "three"}));
  EXPECT_EQ(Wrapped("", 100), (Lines{""}));
}

TEST(Escaped, LeavesNothingThatXmlWouldRead) {
  EXPECT_EQ(Escaped("a<b & c>d"), "a&lt;b &amp; c&gt;d");
}

}  // namespace
}  // namespace tcpip::sim
