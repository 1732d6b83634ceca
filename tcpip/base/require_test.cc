#include "tcpip/base/require.h"

#include "gtest/gtest.h"

namespace tcpip {
namespace {

TEST(RequireDeathTest, SaysWhoBrokeWhichRule) {
  EXPECT_DEATH(Require(1 + 1 == 3, "arithmetic", "one and one are three"),
               "^arithmetic: one and one are three\n");
}

TEST(Require, WhatHoldsIsSilent) { Require(true, "arithmetic", "1 is 1"); }

}  // namespace
}  // namespace tcpip
