#include "tcpip/timer/timer_wheel.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip {
namespace {

constexpr Instant kStart = Instant::FromNanoseconds(1'000'000'007);

constexpr Instant After(Duration d) { return kStart + d; }

class TimerWheelTest : public ::testing::Test {
 protected:
  ~TimerWheelTest() override {
    for (TimerNode& node : nodes_) wheel_.Cancel(node);
  }

  TimerNode& Node(size_t i) {
    while (nodes_.size() <= i) nodes_.emplace_back();
    return nodes_[i];
  }
  void Set(size_t i, Instant deadline) { wheel_.Set(Node(i), deadline); }

  // Indices of all that expires at `now`, in order.
  std::vector<size_t> Pop(Instant now) {
    std::vector<size_t> popped;
    while (TimerNode* node = wheel_.PopExpired(now)) {
      EXPECT_FALSE(node->armed());
      size_t i = 0;
      while (&nodes_[i] != node) ++i;
      popped.push_back(i);
    }
    return popped;
  }

  using Indices = std::vector<size_t>;
  std::deque<TimerNode> nodes_;
  TimerWheel wheel_{kStart};
};

TEST_F(TimerWheelTest, EmptyWheelHasNoDeadline) {
  EXPECT_EQ(wheel_.armed(), 0u);
  EXPECT_TRUE(wheel_.NextDeadline().IsNever());
  EXPECT_EQ(wheel_.PopExpired(After(Duration::Seconds(1))), nullptr);
}

TEST_F(TimerWheelTest, NeverFiresEarlyAndFiresAtTheVeryNanosecond) {
  // One row per level of the wheel, nanoseconds to weeks.
  for (int64_t ns = 1; ns < 4'000'000'000'000'000; ns = ns * 7 + 1) {
    const Instant deadline = After(Duration::Nanoseconds(ns));
    Set(0, deadline);
    EXPECT_EQ(wheel_.NextDeadline(), deadline);
    EXPECT_EQ(Pop(deadline - Duration::Nanoseconds(1)), Indices{}) << ns;
    EXPECT_EQ(Pop(deadline), Indices{0}) << ns;
  }
}

TEST_F(TimerWheelTest, ExpiredNodesComeInOrderOfDeadlineAcrossBuckets) {
  Set(0, After(Duration::Seconds(3)));
  Set(1, After(Duration::Nanoseconds(20)));
  Set(2, After(Duration::Milliseconds(90)));
  Set(3, After(Duration::Nanoseconds(10)));
  Set(4, After(Duration::Seconds(86'400 * 9)));
  EXPECT_EQ(Pop(After(Duration::Seconds(86'400 * 10))),
            (Indices{3, 1, 2, 0, 4}));
}

// Equal deadlines must not depend on buckets or addresses, or two runs of the
// same simulation would differ.
TEST_F(TimerWheelTest, TiesComeInOrderOfSet) {
  const Instant deadline = After(Duration::Milliseconds(200));
  for (size_t i : {5, 2, 9, 0, 7}) Set(i, deadline);
  EXPECT_EQ(Pop(deadline), (Indices{5, 2, 9, 0, 7}));
}

TEST_F(TimerWheelTest, SettingAgainToTheSameDeadlineGoesBehindItsTies) {
  const Instant deadline = After(Duration::Milliseconds(200));
  for (size_t i : {0, 1, 2}) Set(i, deadline);
  Set(0, deadline);
  EXPECT_EQ(Pop(deadline), (Indices{1, 2, 0}));
}

TEST_F(TimerWheelTest, TiesReachedByDifferentRoadsComeInOrderOfTheLastSet) {
  const Instant deadline = After(Duration::Milliseconds(200));
  Set(0, After(Duration::Milliseconds(100)));  // moved back below
  Set(1, After(Duration::Seconds(5)));         // moved forward below
  Set(2, deadline);
  Set(1, deadline);
  Pop(After(Duration::Milliseconds(50)));
  Set(3, deadline);  // filed from a later present, in a finer bucket
  Set(0, deadline);
  EXPECT_EQ(Pop(deadline), (Indices{2, 1, 3, 0}));
}

TEST_F(TimerWheelTest, MovingBackIsHonouredExactly) {
  Set(0, After(Duration::Milliseconds(200)));
  Set(1, After(Duration::Milliseconds(300)));
  Set(0, After(Duration::Milliseconds(400)));
  EXPECT_EQ(Node(0).deadline(), After(Duration::Milliseconds(400)));
  EXPECT_EQ(wheel_.NextDeadline(), After(Duration::Milliseconds(300)));
  EXPECT_EQ(Pop(After(Duration::Milliseconds(399))), Indices{1});
  EXPECT_EQ(Pop(After(Duration::Milliseconds(400))), Indices{0});
}

TEST_F(TimerWheelTest, MovingForwardIsHonouredExactly) {
  Set(0, After(Duration::Seconds(60)));
  Set(1, After(Duration::Seconds(2)));
  Set(0, After(Duration::Seconds(1)));
  EXPECT_EQ(wheel_.NextDeadline(), After(Duration::Seconds(1)));
  EXPECT_EQ(Pop(After(Duration::Seconds(2))), (Indices{0, 1}));
}

TEST_F(TimerWheelTest, MovingBackThenForwardAgainEndsAtTheLastDeadline) {
  Set(0, After(Duration::Milliseconds(100)));
  Set(0, After(Duration::Milliseconds(500)));
  Set(0, After(Duration::Milliseconds(200)));  // still behind where it is filed
  EXPECT_EQ(wheel_.NextDeadline(), After(Duration::Milliseconds(200)));
  Set(0, After(Duration::Milliseconds(50)));
  EXPECT_EQ(wheel_.NextDeadline(), After(Duration::Milliseconds(50)));
  EXPECT_EQ(Pop(After(Duration::Seconds(1))), Indices{0});
  EXPECT_EQ(wheel_.armed(), 0u);
}

TEST_F(TimerWheelTest, NextDeadlineIsExactAfterTheEarliestLeaves) {
  Set(0, After(Duration::Milliseconds(10)));
  Set(1, After(Duration::Milliseconds(11)));
  Set(2, After(Duration::Seconds(10)));
  EXPECT_EQ(wheel_.NextDeadline(), After(Duration::Milliseconds(10)));
  wheel_.Cancel(Node(0));
  EXPECT_EQ(wheel_.NextDeadline(), After(Duration::Milliseconds(11)));
  Set(1, After(Duration::Seconds(20)));
  EXPECT_EQ(wheel_.NextDeadline(), After(Duration::Seconds(10)));
  wheel_.Cancel(Node(2));
  wheel_.Cancel(Node(1));
  EXPECT_TRUE(wheel_.NextDeadline().IsNever());
}

TEST_F(TimerWheelTest, CancelDisarmsOnceAndForAll) {
  Set(0, After(Duration::Milliseconds(1)));
  wheel_.Cancel(Node(0));
  wheel_.Cancel(Node(0));
  EXPECT_FALSE(Node(0).armed());
  EXPECT_EQ(wheel_.armed(), 0u);
  EXPECT_EQ(Pop(After(Duration::Seconds(1))), Indices{});
}

TEST_F(TimerWheelTest, SettingToNeverCancels) {
  Set(0, After(Duration::Milliseconds(1)));
  Set(0, Instant::Never());
  EXPECT_FALSE(Node(0).armed());
  Set(1, Instant::Never());
  EXPECT_EQ(wheel_.armed(), 0u);
}

TEST_F(TimerWheelTest, AnInstantThatHasPassedExpiresAtOnceAndFirst) {
  Pop(After(Duration::Seconds(10)));
  Set(0, After(Duration::Seconds(10)));
  Set(1, After(Duration::Seconds(9)));
  Set(2, kStart - Duration::Seconds(1));
  EXPECT_EQ(wheel_.NextDeadline(), kStart - Duration::Seconds(1));
  EXPECT_EQ(Pop(After(Duration::Seconds(10))), (Indices{2, 1, 0}));
}

// A caller whose clock steps back gets nothing early and loses nothing.
TEST_F(TimerWheelTest, TimeSteppingBackChangesNothing) {
  const Instant now = After(Duration::Seconds(10));
  Pop(now);
  Set(0, now + Duration::Milliseconds(300));
  Set(1, now + Duration::Milliseconds(400));
  for (int ms = 1; ms < 600; ++ms) {
    EXPECT_EQ(Pop(now - Duration::Milliseconds(ms)), Indices{});
    Set(2, now + Duration::Milliseconds(200));
    wheel_.Cancel(Node(2));  // the wheel has to look for its earliest again
    EXPECT_EQ(wheel_.NextDeadline(), now + Duration::Milliseconds(300));
  }
  EXPECT_EQ(Pop(now + Duration::Seconds(1)), (Indices{0, 1}));
}

// [fault S24] a timer cancelled in the very tick it expires must not fire,
// and one armed again must not fire twice
TEST_F(TimerWheelTest, CancelWhileItsPeersAreHandedOutIsHonoured) {
  const Instant deadline = After(Duration::Milliseconds(5));
  for (size_t i : {0, 1, 2}) Set(i, deadline);
  EXPECT_EQ(wheel_.PopExpired(deadline), &Node(0));
  wheel_.Cancel(Node(1));
  EXPECT_EQ(Pop(deadline), Indices{2});
}

// [fault S24]
TEST_F(TimerWheelTest, ArmingAgainInTheTickOfExpiryFiresAfterItsPeers) {
  const Instant deadline = After(Duration::Milliseconds(5));
  for (size_t i : {0, 1, 2}) Set(i, deadline);
  EXPECT_EQ(wheel_.PopExpired(deadline), &Node(0));
  Set(0, deadline);
  Set(1, deadline + Duration::Nanoseconds(1));
  EXPECT_EQ(Pop(deadline), (Indices{2, 0}));
  EXPECT_EQ(Pop(deadline + Duration::Nanoseconds(1)), Indices{1});
}

// [fault S24] the owner of an expired node may be gone at once
TEST(TimerWheel, ANodeMayBeDestroyedAsSoonAsItIsHandedOut) {
  TimerWheel wheel(kStart);
  auto* node = new TimerNode;
  wheel.Set(*node, kStart);
  ASSERT_EQ(wheel.PopExpired(kStart), node);
  delete node;
  EXPECT_EQ(wheel.PopExpired(kStart), nullptr);
  EXPECT_TRUE(wheel.NextDeadline().IsNever());
}

TEST(TimerWheel, DestructionDisarmsWhatIsLeft) {
  std::array<TimerNode, 3> nodes;
  {
    TimerWheel wheel(kStart);
    for (TimerNode& n : nodes) wheel.Set(n, After(Duration::Seconds(7)));
  }
  for (const TimerNode& n : nodes) EXPECT_FALSE(n.armed());
}

TEST(TimerWheel, SpansTheWholeRangeOfInstants) {
  const Instant first = Instant::LongAgo();
  const Instant last =
      Instant::FromNanoseconds(std::numeric_limits<int64_t>::max() - 1);
  TimerWheel wheel(first);
  TimerNode node;
  wheel.Set(node, last);
  EXPECT_EQ(wheel.NextDeadline(), last);
  EXPECT_EQ(wheel.PopExpired(last - Duration::Nanoseconds(1)), nullptr);
  EXPECT_EQ(wheel.PopExpired(last), &node);
}

// A naive model: deadlines in a multimap, which keeps ties in order.
class Model {
 public:
  void Set(size_t i, Instant deadline) {
    Cancel(i);
    if (!deadline.IsNever()) where_[i] = due_.emplace(deadline, i);
  }
  void Cancel(size_t i) {
    const auto it = where_.find(i);
    if (it == where_.end()) return;
    due_.erase(it->second);
    where_.erase(it);
  }
  Instant Next() const {
    return due_.empty() ? Instant::Never() : due_.begin()->first;
  }
  // The next index expired, or -1.
  int Pop(Instant now) {
    if (Next() > now || due_.empty()) return -1;
    const size_t i = due_.begin()->second;
    Cancel(i);
    return static_cast<int>(i);
  }
  size_t size() const { return due_.size(); }

 private:
  using Due = std::multimap<Instant, size_t>;
  Due due_;
  std::map<size_t, Due::iterator> where_;
};

class TimerWheelModel : public ::testing::TestWithParam<uint64_t> {
 protected:
  static constexpr size_t kNodes = 200;

  ~TimerWheelModel() override {
    for (TimerNode& node : nodes_) wheel_.Cancel(node);
  }

  // Distances of every size, with many ties; some in the past.
  Instant RandomDeadline() {
    const uint32_t bits = rng_.Below(44);
    const auto ns = static_cast<int64_t>(rng_.Next() >> (63 - bits));
    switch (rng_.Below(8)) {
      case 0:
        return now_;
      case 1:
        return now_ - Duration::Nanoseconds(ns % 1'000'000);
      case 2:
      case 3:
        return now_ + Duration::Milliseconds(rng_.Below(4) * 100);
      default:
        return now_ + Duration::Nanoseconds(ns);
    }
  }

  void SetOrCancelOne() {
    const size_t i = rng_.Below(kNodes);
    if (rng_.Below(4) == 0) {
      wheel_.Cancel(nodes_[i]);
      model_.Cancel(i);
    } else {
      const Instant deadline = RandomDeadline();
      wheel_.Set(nodes_[i], deadline);
      model_.Set(i, deadline);
      EXPECT_EQ(nodes_[i].deadline(), deadline);
    }
  }

  void Advance() {
    switch (rng_.Below(4)) {
      case 0:
        if (!model_.Next().IsNever()) now_ = std::max(now_, model_.Next());
        break;
      case 1:
        now_ += Duration::Nanoseconds(rng_.Below(1'000'000'000));
        break;
      default:
        now_ += Duration::Nanoseconds(
            static_cast<int64_t>(rng_.Next() >> (25 + rng_.Below(38))));
    }
  }

  // [fault S24] nodes are set and cancelled between two that expire together
  void PopAll() {
    for (int budget = 3 * kNodes; budget > 0; --budget) {
      const int want = model_.Pop(now_);
      TimerNode* node = wheel_.PopExpired(now_);
      ASSERT_EQ(node == nullptr ? -1 : static_cast<int>(node - nodes_.data()),
                want);
      if (node == nullptr) return;
      ASSERT_FALSE(node->armed());
      if (rng_.Below(3) == 0) SetOrCancelOne();
    }
  }

  SeededRng rng_{GetParam()};
  std::array<TimerNode, kNodes> nodes_;
  Instant now_ = kStart;
  TimerWheel wheel_{kStart};
  Model model_;
};

TEST_P(TimerWheelModel, BehavesAsAnOrderedMapWhateverHappens) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  for (int step = 0; step < 10'000; ++step) {
    const uint32_t dice = rng_.Below(10);
    if (dice < 7) {
      SetOrCancelOne();
    } else if (dice < 8) {
      Advance();
      PopAll();
    }
    // Not after every step: answering files nodes anew, and chains of moves
    // without a question in between must work as well.
    if (dice != 9) continue;
    ASSERT_EQ(wheel_.NextDeadline(), model_.Next()) << "step " << step;
    ASSERT_EQ(wheel_.armed(), model_.size()) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TimerWheelModel,
                         ::testing::Values(1, 2, 3, 4, 5));

}  // namespace
}  // namespace tcpip
