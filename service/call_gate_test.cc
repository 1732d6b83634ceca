#include "service/call_gate.h"

#include <chrono>
#include <thread>

#include "gtest/gtest.h"

namespace netstack::service {
namespace {

// [fault F10] The limit is an answer that names its flag, not a hang.
TEST(CallGate, RefusesWhatPassesTheLimitUntilSomebodyLeaves) {
  CallGate gate(2);
  EXPECT_TRUE(gate.Enter().ok());
  EXPECT_TRUE(gate.Enter().ok());
  const absl::Status refused = gate.Enter();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(refused.message().find("--max-streams"), absl::string_view::npos);
  EXPECT_EQ(gate.inside(), 2u);
  EXPECT_EQ(gate.refused(), 1u);
  gate.Leave();
  EXPECT_TRUE(gate.Enter().ok());
}

TEST(CallGate, ClosedGateRefusesEverybody) {
  CallGate gate(2);
  gate.Close();
  EXPECT_EQ(gate.Enter().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(gate.refused(), 1u);
  EXPECT_EQ(gate.inside(), 0u);
}

TEST(CallGate, WaitEmptyEndsWhenTheLastLeaves) {
  CallGate gate(2);
  ASSERT_TRUE(gate.Enter().ok());
  std::thread leaver([&] { gate.Leave(); });
  EXPECT_TRUE(gate.WaitEmpty(std::chrono::hours(1)));
  leaver.join();
}

TEST(CallGate, WaitEmptyGivesUpInTime) {
  CallGate gate(2);
  ASSERT_TRUE(gate.Enter().ok());
  EXPECT_FALSE(gate.WaitEmpty(std::chrono::nanoseconds(0)));
}

}  // namespace
}  // namespace netstack::service
