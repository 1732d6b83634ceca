#include "tcpip/shard/link_watch.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tcpip/testing/idle_link.h"

namespace tcpip {
namespace {

// Says how often it was asked, and comes back when it is told to.
class TendedLink final : public sim::IdleLink {
 public:
  void Refresh() override { ++refreshed; }
  absl::Status Reopen() override {
    ++reopened;
    return reopen;
  }

  int refreshed = 0;
  int reopened = 0;
  absl::Status reopen = absl::NotFoundError("gone");
};

class LinkWatchTest : public testing::Test {
 protected:
  static Instant At(int64_t milliseconds) {
    return Instant::FromNanoseconds(0) + Duration::Milliseconds(milliseconds);
  }

  TendedLink link_;
  LinkWatch watch_{link_, At(0)};
};

TEST_F(LinkWatchTest, AsksOnceASecondAndWakesNobodyForIt) {
  for (int64_t ms = 0; ms < 3500; ms += 10) {
    EXPECT_FALSE(watch_.Tend(At(ms)));
    EXPECT_TRUE(watch_.NextDeadline().IsNever());
  }
  EXPECT_EQ(link_.refreshed, 3);
  EXPECT_EQ(link_.reopened, 0);
}

// [fault L12] [fault L16] less and less often
TEST_F(LinkWatchTest, TriesToReopenAtGrowingIntervals) {
  watch_.OnLost(At(0));
  EXPECT_TRUE(watch_.lost());
  std::vector<Instant> tried;
  while (tried.size() < 8) {
    tried.push_back(watch_.NextDeadline());
    EXPECT_FALSE(watch_.Tend(tried.back() - Duration::Nanoseconds(1)));
    EXPECT_EQ(link_.reopened + 1, static_cast<int>(tried.size()));
    EXPECT_FALSE(watch_.Tend(tried.back()));
  }
  EXPECT_EQ(tried, (std::vector{At(100), At(300), At(700), At(1500), At(3100),
                                At(6300), At(11300), At(16300)}));
  EXPECT_EQ(link_.refreshed, 0);
}

TEST_F(LinkWatchTest, ADeviceThatIsBackIsToldOnce) {
  watch_.OnLost(At(0));
  link_.reopen = absl::OkStatus();
  EXPECT_TRUE(watch_.Tend(At(100)));
  EXPECT_FALSE(watch_.lost());
  EXPECT_TRUE(watch_.NextDeadline().IsNever());
  EXPECT_FALSE(watch_.Tend(At(200)));
  EXPECT_EQ(link_.reopened, 1);
  EXPECT_FALSE(watch_.Tend(At(1100)));
  EXPECT_EQ(link_.refreshed, 1);
}

// [fault L16] unless that was but for a moment
TEST_F(LinkWatchTest, SaysWhyTheDeviceThatIsThereCannotBeHad) {
  watch_.OnLost(At(0));
  const absl::Status wrong = absl::FailedPreconditionError("wrong");
  const absl::Status taken = absl::UnavailableError("taken");
  const std::vector<std::pair<absl::Status, bool>> attempts = {
      {taken, false},          {absl::NotFoundError("gone"), false},
      {taken, false},          {wrong, false},
      {wrong, true},           {wrong, true},
      {absl::OkStatus(), true}};
  for (const auto& [outcome, told] : attempts) {
    link_.reopen = outcome;
    const auto said = watch_.Tend(watch_.NextDeadline());
    ASSERT_EQ(said.has_value(), told) << outcome;
    if (said) {
      EXPECT_EQ(*said, outcome);
    }
  }
}

// The pause starts anew.
TEST_F(LinkWatchTest, ASecondLossIsTakenLikeTheFirst) {
  link_.reopen = absl::OkStatus();
  for (const int64_t ms : {0, 5000}) {
    watch_.OnLost(At(ms));
    EXPECT_EQ(watch_.NextDeadline(), At(ms + 100));
    EXPECT_TRUE(watch_.Tend(At(ms + 100)));
  }
}

}  // namespace
}  // namespace tcpip
