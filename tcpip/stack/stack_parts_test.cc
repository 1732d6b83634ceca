#include "tcpip/stack/stack_parts.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/base/rng.h"

namespace tcpip {
namespace {

class StackPartsTest : public testing::Test {
 protected:
  SlabPool pool_{0};
  SeededRng rng_{1};
  StackParts parts_{{}, pool_, rng_, Instant()};
};

TEST_F(StackPartsTest, ASocketIsFoundByItsKindOnly) {
  const SocketId id = parts_.datagrams.OpenUdp({}).value();
  EXPECT_TRUE(parts_.FindAny(id).ok());
  EXPECT_TRUE(parts_.Find<UdpSocket>(id).ok());
  EXPECT_EQ(parts_.Find<TcpSocket>(id).status().code(),
            absl::StatusCode::kFailedPrecondition);
  parts_.datagrams.Close(**parts_.FindAny(id));
  EXPECT_EQ(parts_.FindAny(id).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(parts_.Find<UdpSocket>(id).status().code(),
            absl::StatusCode::kNotFound);
}

// [fault O01]
TEST_F(StackPartsTest, NoSocketIsOpenedWhenTheMemoryBudgetIsSpent) {
  StackParts parts({.memory_budget = 10'000}, pool_, rng_, Instant());
  View held = View::Copy(pool_, std::vector<uint8_t>(15'000));
  EXPECT_EQ(parts.datagrams.OpenUdp({}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(parts.flows.Listen({.local = {IpAddress(), 80}}).status().code(),
            absl::StatusCode::kResourceExhausted);
  held = View();
  EXPECT_TRUE(parts.datagrams.OpenUdp({}).ok());
}

TEST_F(StackPartsTest, WhatLeavesIsCounted) {
  Interface& egress =
      parts_.context.interfaces.at(parts_.context.interfaces.Add({}));
  EXPECT_FALSE(parts_.NextOutput(egress, Instant()));
  EXPECT_EQ(parts_.context.stats.ip_out, 0u);
  const uint8_t bytes[100] = {};
  parts_.context.SendControl(egress, Packet::Copy(pool_, bytes));
  EXPECT_TRUE(parts_.NextOutput(egress, Instant()));
  EXPECT_FALSE(parts_.NextOutput(egress, Instant()));
  EXPECT_EQ(parts_.context.stats.ip_out, 1u);
  EXPECT_EQ(parts_.context.stats.ip_out_bytes, 100u);
}

}  // namespace
}  // namespace tcpip
