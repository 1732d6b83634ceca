#include "conformance/expr_fixture.h"

#include "gtest/gtest.h"

namespace conformance {
namespace {

TEST(ExprFixture, MakesEveryKind) {
  using Kind = Expr::Kind;
  EXPECT_EQ(Any().kind, Kind::kEllipsis);
  EXPECT_EQ(N(5).integer, 5);
  EXPECT_EQ(W("AF_INET").text, "AF_INET");
  EXPECT_EQ(S("reno").kind, Kind::kString);
  EXPECT_EQ(Or({N(1), N(2)}).items.size(), 2u);
  EXPECT_EQ(A({N(1)}).kind, Kind::kArray);
  EXPECT_EQ(Apply("htons", {N(80)}).text, "htons");
  EXPECT_EQ(Struct({{"fd", N(3)}}).fields.at(0).first, "fd");
  EXPECT_EQ(Spec("close", {N(3)}).result, N(0));
}

}  // namespace
}  // namespace conformance
