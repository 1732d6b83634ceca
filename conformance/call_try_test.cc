#include "conformance/call_try.h"

#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(CallTry, ResultsSayWhichTheyAre) {
  EXPECT_EQ(Value(5).value, 5);
  EXPECT_EQ(Value(5).error, 0);
  EXPECT_EQ(Failed(Linux("EPIPE")).value, -1);
  EXPECT_EQ(Failed(Linux("EPIPE")).error, 32);
  EXPECT_EQ(Unsupported("option TCP_CORK").unsupported, "option TCP_CORK");
  EXPECT_EQ(Blocked().error, Linux("EAGAIN"));
  EXPECT_EQ(TotalOf({}), 0u);
  EXPECT_EQ(TotalOf({1, UINT32_MAX}), size_t{1} << 32);
}

}  // namespace
}  // namespace conformance
