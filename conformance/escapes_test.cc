#include "conformance/escapes.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(Escapes, EveryByteComesBack) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(Unescape(Escape(all)), all);
}

TEST(Escapes, WhatIsPrintableStaysAsItIs) {
  EXPECT_EQ(Escape("it's 5%"), "it's 5%");
  EXPECT_EQ(Escape("a\nb\"\\"), R"(a\nb\"\\)");
  EXPECT_EQ(Escape("\x01\xff"), R"(\x01\xff)");
}

TEST(Escapes, UnknownAndUnfinishedEscapesAreRefused) {
  for (const char* bad : {"\\", "\\q", "\\x", "\\x1", "\\x1g", "\\1"}) {
    EXPECT_EQ(Unescape(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace conformance
