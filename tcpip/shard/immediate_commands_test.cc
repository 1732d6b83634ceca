#include "tcpip/shard/immediate_commands.h"

#include <variant>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"
#include "tcpip/buffer/slab.h"
#include "tcpip/testing/idle_link.h"

namespace tcpip {
namespace {

// Has offloads and counts.
class SwitchedLink final : public sim::IdleLink {
 public:
  LinkCounters counters() const override { return {.packets_out = 5}; }
  SwitchedOffloads offloads() const override { return offloads_; }
  absl::Status SetOffloads(const LinkOffloads& rx,
                           const LinkOffloads& tx) override {
    offloads_ = {rx, tx};
    return absl::OkStatus();
  }

 private:
  SwitchedOffloads offloads_;
};

class ImmediateCommandsTest : public testing::Test {
 protected:
  const Instant now_ = Instant::FromNanoseconds(1'000'000'000);
  SlabPool pool_;
  SeededRng rng_{42};
  Stack stack_{StackConfig{}, pool_, rng_, now_};
  SwitchedLink link_;
  const LoopStats loop_{.start = now_, .turns = 7};
  ImmediateCommands run_{stack_, link_, loop_};
};

TEST_F(ImmediateCommandsTest, StatsTellOfLoopAndLink) {
  const auto answer = run_(command::GetStats{}, now_ + Duration::Seconds(3));
  const auto& stats = std::get<reply::Stats>(answer.value());
  EXPECT_EQ(stats.uptime, Duration::Seconds(3));
  EXPECT_EQ(stats.turns, 7u);
  EXPECT_EQ(stats.link.packets_out, 5u);
}

// [fault L02]
TEST_F(ImmediateCommandsTest, TheNetworkTellsTheOffloadsThatWereSwitched) {
  const command::SetOffloads change = {.rx = {.checksum = true},
                                       .tx = {.checksum = true, .tso6 = true}};
  ASSERT_TRUE(run_(change, now_).ok());
  const auto answer = run_(command::GetNetwork{}, now_);
  EXPECT_EQ(std::get<reply::Network>(answer.value()).offloads,
            (SwitchedOffloads{change.rx, change.tx}));
}

}  // namespace
}  // namespace tcpip
