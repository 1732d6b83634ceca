#include "service/claims.h"

#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace netstack::service {
namespace {

using tcpip::Duration;
using tcpip::Instant;

constexpr Duration kLifetime = Duration::Seconds(10);

class ClaimsTest : public testing::Test {
 protected:
  static Claimed Socket(uint32_t slot, uint64_t listener = 1) {
    return {{slot, 1}, {}, {}, listener};
  }

  tcpip::SeededRng rng_{1};
  Claims claims_{rng_, kLifetime};
  const Instant start_ = Instant() + Duration::Seconds(100);
};

TEST_F(ClaimsTest, TokenIsGoodOnce) {
  const std::string token = claims_.Issue(Socket(7), start_);
  EXPECT_EQ(token.size(), Claims::kTokenBytes);
  const auto claimed = claims_.Redeem(token, start_);
  ASSERT_TRUE(claimed.has_value());
  EXPECT_EQ(claimed->socket.slot, 7u);
  EXPECT_FALSE(claims_.Redeem(token, start_).has_value());
  EXPECT_EQ(claims_.size(), 0u);
}

// [fault X36] Nothing but the token counts.
TEST_F(ClaimsTest, WrongTokenIsNothing) {
  std::string token = claims_.Issue(Socket(7), start_);
  token[15] ^= 1;
  for (const std::string& wrong : {token, std::string(), std::string("x")}) {
    EXPECT_FALSE(claims_.Redeem(wrong, start_).has_value());
  }
  EXPECT_EQ(claims_.size(), 1u);
}

TEST_F(ClaimsTest, TokensDiffer) {
  std::set<std::string> tokens;
  for (uint32_t i = 0; i < 1000; ++i) {
    tokens.insert(claims_.Issue(Socket(i), start_));
  }
  EXPECT_EQ(tokens.size(), 1000u);
}

TEST_F(ClaimsTest, TokenIsTooOldAtItsDeadline) {
  const std::string token = claims_.Issue(Socket(7), start_);
  EXPECT_EQ(claims_.NextDeadline(), start_ + kLifetime);
  EXPECT_FALSE(claims_.Redeem(token, start_ + kLifetime).has_value());
  EXPECT_EQ(claims_.Expire(start_ + kLifetime).size(), 1u);
  EXPECT_TRUE(claims_.NextDeadline().IsNever());
}

TEST_F(ClaimsTest, ExpireTakesWhatIsDueAndLeavesTheRest) {
  claims_.Issue(Socket(1), start_);
  const std::string later =
      claims_.Issue(Socket(2), start_ + Duration::Seconds(1));
  const auto expired = claims_.Expire(start_ + kLifetime);
  ASSERT_EQ(expired.size(), 1u);
  EXPECT_EQ(expired[0].socket.slot, 1u);
  EXPECT_TRUE(claims_.Redeem(later, start_ + kLifetime).has_value());
}

// A client that claims one by one, each within a lifetime, loses none.
TEST_F(ClaimsTest, EachClaimPutsOffTheDeadlinesOfWhatWasReportedLater) {
  std::vector<std::string> tokens;
  for (uint32_t i = 0; i < 5; ++i) {
    tokens.push_back(claims_.Issue(Socket(i), start_));
  }
  Instant now = start_;
  for (const std::string& token : tokens) {
    now = now + kLifetime - Duration::Milliseconds(1);
    EXPECT_TRUE(claims_.Expire(now).empty());
    EXPECT_EQ(claims_.NextDeadline(), now + Duration::Milliseconds(1));
    EXPECT_TRUE(claims_.Redeem(token, now).has_value());
  }
  EXPECT_TRUE(claims_.NextDeadline().IsNever());
}

// What the client has passed over has its time and no more; so has what other
// listeners reported.
TEST_F(ClaimsTest, ClaimPutsOffNothingEarlierAndNothingOfOthers) {
  claims_.Issue(Socket(1), start_);
  const std::string second = claims_.Issue(Socket(2), start_);
  claims_.Issue(Socket(3), start_);
  claims_.Issue(Socket(4, 2), start_);
  EXPECT_TRUE(claims_.Redeem(second, start_ + Duration::Seconds(9)));
  std::set<uint32_t> expired;
  for (const Claimed& c : claims_.Expire(start_ + kLifetime)) {
    expired.insert(c.socket.slot);
  }
  EXPECT_EQ(expired, (std::set<uint32_t>{1, 4}));
  EXPECT_EQ(claims_.NextDeadline(), start_ + Duration::Seconds(9) + kLifetime);
}

TEST_F(ClaimsTest, RevokeTakesWhatOneListenerLeftBehind) {
  const std::string first = claims_.Issue(Socket(1), start_);
  const std::string second = claims_.Issue(Socket(2, 2), start_);
  const auto revoked = claims_.Revoke(1);
  ASSERT_EQ(revoked.size(), 1u);
  EXPECT_EQ(revoked[0].socket.slot, 1u);
  EXPECT_FALSE(claims_.Redeem(first, start_).has_value());
  EXPECT_TRUE(claims_.Redeem(second, start_).has_value());
}

}  // namespace
}  // namespace netstack::service
