#include "tcpip/stack/steering.h"

#include <array>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip {
namespace {

constexpr SipHashKey kKey = {0x0123456789abcdef, 0xfedcba9876543210};

IpEndpoint Endpoint(uint32_t host, uint16_t port) {
  return {IpAddress::Ipv4(10, static_cast<uint8_t>(host >> 16),
                          static_cast<uint8_t>(host >> 8),
                          static_cast<uint8_t>(host)),
          port};
}

FourTuple Flow(uint32_t i) {
  return {Endpoint(1, 80), Endpoint(2 + i / 1000, 1024 + i % 1000)};
}

TEST(Steering, AShardThatIsAloneOwnsEverything) {
  const Steering alone;
  for (uint32_t i = 0; i < 1000; ++i) {
    EXPECT_TRUE(alone.OwnsTcp(Flow(i)));
    EXPECT_TRUE(alone.OwnsPort(static_cast<uint16_t>(i)));
  }
}

TEST(Steering, EveryFlowHasOneOwnerAndAllShardsAgree) {
  constexpr uint32_t kShards = 3;
  std::vector<Steering> shards;
  for (uint32_t i = 0; i < kShards; ++i) shards.emplace_back(i, kShards, kKey);
  for (uint32_t i = 0; i < 1000; ++i) {
    const uint32_t owner = shards[0].OwnerOfTcp(Flow(i));
    for (uint32_t shard = 0; shard < kShards; ++shard) {
      EXPECT_EQ(shards[shard].OwnerOfTcp(Flow(i)), owner);
      EXPECT_EQ(shards[shard].OwnsTcp(Flow(i)), shard == owner);
    }
  }
}

TEST(Steering, BothEndsOfAConnectionToOurselvesHaveOneOwner) {
  const Steering shard(0, 16, kKey);
  for (uint32_t i = 0; i < 1000; ++i) {
    const FourTuple flow = Flow(i);
    EXPECT_EQ(shard.OwnerOfTcp(flow),
              shard.OwnerOfTcp({flow.remote, flow.local}));
  }
}

// [fault I06] whatever their identification and their ports
TEST(Steering, TheFragmentsOfAPairOfAddressesHaveOneOwner) {
  const Steering zero(0, 2, kKey);
  const Steering one(1, 2, kKey);
  const Steering alone;
  const IpAddress to = IpAddress::Ipv4(10, 0, 0, 1);
  int owned_by_zero = 0;
  for (uint32_t host = 2; host < 1002; ++host) {
    const IpAddress from = Endpoint(host, 0).address;
    const uint32_t owner = zero.OwnerOfFragments(from, to);
    EXPECT_EQ(one.OwnerOfFragments(from, to), owner);
    EXPECT_EQ(alone.OwnerOfFragments(from, to), 0u);
    if (owner == 0) ++owned_by_zero;
  }
  EXPECT_NEAR(owned_by_zero, 500, 100);
}

double ChiSquare(const std::vector<int>& bins, double expected) {
  double sum = 0;
  for (const int count : bins) {
    sum += (count - expected) * (count - expected) / expected;
  }
  return sum;
}

// [fault X09] flows that differ in one port, and ports that follow each other,
// spread evenly: 99.9 % of random spreads over 16 are below 37.7
TEST(Steering, NeighboursSpreadEvenly) {
  constexpr int kShards = 16;
  constexpr double kPerShard = 4096;
  const Steering shard(0, kShards, kKey);
  std::vector<int> flows(kShards), ports(kShards);
  for (uint32_t i = 0; i < kShards * kPerShard; ++i) {
    ++flows[shard.OwnerOfTcp(Flow(i))];
    ++ports[shard.OwnerOfPort(static_cast<uint16_t>(i))];
  }
  EXPECT_LT(ChiSquare(flows, kPerShard), 37.7);
  EXPECT_LT(ChiSquare(ports, kPerShard), 37.7);
}

// [fault X09] flows chosen to meet in one shard are scattered by another key
TEST(Steering, FlowsAimedAtOneShardMissItUnderAnotherKey) {
  const Steering known(0, 8, kKey);
  const Steering secret(0, 8, {kKey.k0 ^ 1, kKey.k1});
  std::vector<int> hits(8);
  int aimed = 0;
  for (uint32_t i = 0; aimed < 8000; ++i) {
    if (!known.OwnsTcp(Flow(i))) continue;
    ++aimed;
    ++hits[secret.OwnerOfTcp(Flow(i))];
  }
  EXPECT_LT(ChiSquare(hits, 1000), 24.3);  // 99.9 % of random spreads over 8
}

}  // namespace
}  // namespace tcpip
