#include "tcpip/network/reassembly.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/network/ip.h"
#include "tcpip/testing/counting_allocator.h"
#include "tcpip/testing/packet_builder.h"

namespace tcpip::ip {
namespace {

using sim::Bytes;

constexpr Instant kStart = Instant::FromNanoseconds(1'000'000'000);

struct Rig {
  explicit Rig(const ReassemblyConfig& config = {})
      : reassembly(config, pool, rng) {}

  Reassembly::Outcome Offer(const Bytes& bytes, Instant now = kStart) {
    Packet packet = Packet::Copy(pool, bytes);
    packet.set_ingress(now);
    const InputVerdict verdict = CheckIp(packet, Ingress::kLink);
    EXPECT_TRUE(!verdict.drop && verdict.fragment);
    Reassembly::Outcome outcome = reassembly.OnFragment(
        std::move(packet), verdict.ip, *verdict.fragment, now);
    return outcome;
  }
  // As Offer, and checks the accounts.
  Reassembly::Outcome Step(const sim::IpFragment& fragment,
                           Instant now = kStart) {
    Reassembly::Outcome outcome = Offer(sim::Build(fragment), now);
    reassembly.CheckInvariants();
    return outcome;
  }
  uint64_t Dropped(DropReason reason) const {
    return reassembly.dropped()[static_cast<size_t>(reason)];
  }

  SlabPool pool;
  SeededRng rng{7};
  Reassembly reassembly;
};

class ReassemblyTest : public testing::TestWithParam<bool> {
 protected:
  bool v4() const { return GetParam(); }
  Duration timeout() const { return Duration::Seconds(v4() ? 30 : 60); }

  sim::IpFragment First(uint32_t id, size_t size = 16) const {
    return {.from = *IpAddress::Parse(v4() ? "10.0.0.1" : "2001:db8::1"),
            .to = *IpAddress::Parse(v4() ? "10.0.0.2" : "2001:db8::2"),
            .id = id,
            .more = true,
            .data = Bytes(size, static_cast<uint8_t>(id))};
  }
  sim::IpFragment Last(uint32_t id, uint16_t at = 16) const {
    sim::IpFragment last = First(id);
    last.offset = at;
    last.more = false;
    return last;
  }
};
INSTANTIATE_TEST_SUITE_P(Families, ReassemblyTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& info) {
                           return info.param ? "Ipv4" : "Ipv6";
                         });

TEST_P(ReassemblyTest, WhatIsWholeLeavesWithTheTimeOfTheLastArrival) {
  Rig rig;
  EXPECT_FALSE(rig.Step(Last(1)).whole);
  const Instant later = kStart + Duration::Seconds(2);
  const Reassembly::Outcome outcome = rig.Step(First(1), later);
  ASSERT_TRUE(outcome.whole);
  EXPECT_EQ(outcome.whole->ingress(), later);
  EXPECT_EQ(outcome.whole->size(), (v4() ? 20u : 40u) + 32);
  EXPECT_EQ(rig.reassembly.datagrams(), 0u);
  EXPECT_EQ(rig.reassembly.charged_bytes(), 0u);
  EXPECT_EQ(rig.reassembly.fails(), 0u);
}

// [RFC 791 3.2] [RFC 8200 4.5] by source, destination and ID, and with IPv4 by
// the protocol
TEST_P(ReassemblyTest, OnlyFragmentsOfOnePacketMeet) {
  Rig rig;
  rig.Step(First(1));
  sim::IpFragment other = Last(1);
  other.from = *IpAddress::Parse(v4() ? "10.0.0.9" : "2001:db8::9");
  EXPECT_FALSE(rig.Step(other).whole);
  other = Last(1);
  other.to = *IpAddress::Parse(v4() ? "10.0.0.9" : "2001:db8::9");
  EXPECT_FALSE(rig.Step(other).whole);
  EXPECT_FALSE(rig.Step(Last(2)).whole);
  EXPECT_EQ(rig.reassembly.datagrams(), 4u);
  other = Last(1);
  other.protocol = 132;
  EXPECT_EQ(rig.Step(other).whole.has_value(), !v4());
}

// [RFC 5722 4] with what is still on the way
TEST_P(ReassemblyTest, AConflictEndsTheDatagramAndWhatComesLater) {
  Rig rig;
  rig.Step(First(1));
  sim::IpFragment overlap = First(1, 24);
  overlap.offset = 8;
  EXPECT_EQ(rig.Step(overlap).drop, DropReason::kIpFragmentOverlap);
  EXPECT_EQ(rig.Dropped(DropReason::kIpFragmentOverlap), 1u);
  EXPECT_EQ(rig.pool.stats().live, 0u);
  for (const sim::IpFragment& part : {First(1), Last(1)}) {
    const Reassembly::Outcome outcome = rig.Step(part);
    EXPECT_EQ(outcome.drop, DropReason::kIpFragmentOverlap);
    EXPECT_FALSE(outcome.whole);
  }
  EXPECT_EQ(rig.reassembly.fails(), 1u);
  // Nobody is told, and then the ID is good again.
  const auto expired = rig.reassembly.PopExpired(kStart + timeout());
  ASSERT_TRUE(expired);
  EXPECT_EQ(expired->first.size(), 0u);
  rig.Step(First(1), kStart + timeout());
  EXPECT_TRUE(rig.Step(Last(1), kStart + timeout()).whole);
}

TEST_P(ReassemblyTest, ACopyIsDroppedAlone) {
  Rig rig;
  rig.Step(First(1));
  EXPECT_EQ(rig.Step(First(1)).drop, DropReason::kIpFragmentDuplicate);
  EXPECT_TRUE(rig.Step(Last(1)).whole);
}

// [RFC 3168 5.3]
TEST_P(ReassemblyTest, CongestionMarksThatContradictDropThePacket) {
  Rig rig;
  rig.Step(First(1));
  sim::IpFragment last = Last(1);
  last.tos = 3;
  const Reassembly::Outcome outcome = rig.Step(last);
  EXPECT_EQ(outcome.drop, DropReason::kIpFragmentEcn);
  EXPECT_FALSE(outcome.whole);
  EXPECT_EQ(rig.Dropped(DropReason::kIpFragmentEcn), 1u);
  EXPECT_EQ(rig.reassembly.datagrams(), 0u);
}

// [RFC 8200 4.5] from the first to arrive, and not one moment earlier
TEST_P(ReassemblyTest, TimeIsOverAfterTheTimeout) {
  Rig rig;
  rig.Step(Last(1));
  rig.Step(First(1, 8), kStart + Duration::Seconds(20));
  rig.Step(Last(2), kStart + Duration::Seconds(1));
  const Instant due = kStart + timeout();
  EXPECT_EQ(rig.reassembly.NextDeadline(), due);
  EXPECT_FALSE(
      rig.reassembly.PopExpired(due - Duration::Nanoseconds(1)).has_value());
  const auto expired = rig.reassembly.PopExpired(due);
  ASSERT_TRUE(expired);
  EXPECT_EQ(sim::Flatten(expired->first), sim::Build(First(1, 8)));
  EXPECT_EQ(expired->ip.source, First(1).from);
  EXPECT_FALSE(rig.reassembly.PopExpired(due));
  EXPECT_EQ(rig.reassembly.NextDeadline(), due + Duration::Seconds(1));
  EXPECT_EQ(rig.Dropped(DropReason::kIpReassemblyTimeout), 2u);
  // [RFC 4443 3.3] without its first fragment there is nothing to tell
  const auto other = rig.reassembly.PopExpired(due + Duration::Seconds(1));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->first.size(), 0u);
  EXPECT_TRUE(rig.reassembly.NextDeadline().IsNever());
  EXPECT_EQ(rig.reassembly.fails(), 2u);
  EXPECT_EQ(rig.reassembly.charged_bytes(), 0u);
}

TEST_P(ReassemblyTest, AtTheLimitTheOldestGoes) {
  Rig rig({.max_datagrams = 4});
  for (uint32_t id = 1; id <= 5; ++id) rig.Step(First(id));
  EXPECT_EQ(rig.reassembly.datagrams(), 4u);
  EXPECT_EQ(rig.Dropped(DropReason::kIpReassemblyFull), 1u);
  for (uint32_t id = 2; id <= 5; ++id) EXPECT_TRUE(rig.Step(Last(id)).whole);
  EXPECT_FALSE(rig.Step(Last(1)).whole);
}

// [fault I07] dropped and counted, and never taken for packets
TEST_P(ReassemblyTest, ALimitOfNoneTurnsItOff) {
  Rig rig({.max_datagrams = 0});
  EXPECT_EQ(rig.Step(First(1)).drop, DropReason::kIpReassemblyFull);
  EXPECT_EQ(rig.Step(Last(1)).drop, DropReason::kIpReassemblyFull);
  EXPECT_EQ(rig.pool.stats().live, 0u);
}

// A source that loses fragments loses its own, and goes on.
TEST_P(ReassemblyTest, ASourceHasItsShare) {
  Rig rig({.max_datagrams_per_source = 2});
  sim::IpFragment friendly = First(9);
  friendly.from = *IpAddress::Parse(v4() ? "10.0.0.9" : "2001:db8::9");
  rig.Step(friendly);
  for (uint32_t id = 1; id <= 100; ++id) rig.Step(First(id));
  EXPECT_EQ(rig.reassembly.datagrams(), 3u);
  friendly.offset = 16;
  friendly.more = false;
  EXPECT_TRUE(rig.Step(friendly).whole);
  EXPECT_TRUE(rig.Step(Last(99)).whole);
  EXPECT_TRUE(rig.Step(Last(100)).whole);
}

TEST_P(ReassemblyTest, ADatagramHasSoManyFragments) {
  Rig rig({.max_fragments = 3});
  for (uint16_t at = 0; at < 48; at += 16) {
    sim::IpFragment part = First(1);
    part.offset = at;
    EXPECT_FALSE(rig.Step(part).drop);
  }
  EXPECT_EQ(rig.Step(Last(1, 48)).drop, DropReason::kIpFragmentTooMany);
  EXPECT_EQ(rig.Dropped(DropReason::kIpFragmentTooMany), 3u);
  EXPECT_EQ(rig.pool.stats().live, 0u);
}

// [fault X19] charged by what is pinned, not by what is carried
TEST_P(ReassemblyTest, BytesAreBounded) {
  constexpr size_t kMax = 100'000;
  Rig rig({.max_bytes = kMax});
  for (uint32_t id = 1; id <= 60; ++id) rig.Step(First(id, 1400));
  EXPECT_LE(rig.reassembly.charged_bytes(), kMax);
  EXPECT_LE(rig.pool.stats().live_bytes, kMax);
  EXPECT_GE(rig.pool.stats().live_bytes, kMax / 2);
  EXPECT_TRUE(rig.Step(Last(60, 1400)).whole);
}

TEST_P(ReassemblyTest, ADatagramLargerThanTheBoundGoesItself) {
  Rig rig({.max_bytes = 5000});
  sim::IpFragment part = First(1, 1400);
  EXPECT_FALSE(rig.Step(part).drop);
  part.offset = 1400;
  EXPECT_FALSE(rig.Step(part).drop);
  part.offset = 2800;
  EXPECT_EQ(rig.Step(part).drop, DropReason::kIpReassemblyFull);
  EXPECT_EQ(rig.Dropped(DropReason::kIpReassemblyFull), 2u);
  EXPECT_EQ(rig.reassembly.datagrams(), 0u);
}

// [fault X19] a million IDs
TEST_P(ReassemblyTest, MemoryStaysFlatUnderAFloodOfIds) {
  Rig rig;
  const Bytes bytes = sim::Build(First(1));
  InputVerdict verdict = CheckIp(Packet::Copy(rig.pool, bytes), Ingress::kLink);
  ASSERT_TRUE(verdict.fragment);
  std::vector<IpAddress> sources;
  for (int i = 100; i < 200; ++i) {
    sources.push_back(*IpAddress::Parse((v4() ? "10.0.0." : "2001:db8::") +
                                        std::to_string(i)));
  }
  const auto flood = [&](uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; ++i) {
      verdict.ip.source = sources[i % sources.size()];
      verdict.fragment->id = v4() ? i % 65536 : i;  // unique with the source
      rig.reassembly.OnFragment(Packet::Copy(rig.pool, bytes), verdict.ip,
                                *verdict.fragment, kStart);
    }
  };
  flood(0, 100'000);
  const size_t charged = rig.reassembly.charged_bytes();
  const size_t live = rig.pool.stats().live_bytes;
  const sim::AllocationCounter allocations;
  flood(100'000, v4() ? 200'000 : 1'000'000);
  EXPECT_EQ(allocations.count(), 0u);
  EXPECT_LE(rig.reassembly.datagrams(), 1024u);
  EXPECT_LE(rig.reassembly.charged_bytes(), charged + 8192);
  EXPECT_LE(rig.pool.stats().live_bytes, live + 8192);
  EXPECT_LE(live, size_t{4} << 20);
  rig.reassembly.CheckInvariants();
}

// [fault O01] nothing of it is waited for, and what waits already stays
TEST_P(ReassemblyTest, NoFragmentIsKeptWhenTheMemoryBudgetIsSpent) {
  Rig rig;
  EXPECT_FALSE(rig.Step(First(1)).drop);
  rig.pool.SetBudget(0);
  EXPECT_EQ(rig.Step(First(2)).drop, DropReason::kMemorySpent);
  EXPECT_EQ(rig.Step(Last(1)).drop, DropReason::kMemorySpent);
  EXPECT_EQ(rig.reassembly.datagrams(), 1u);
  rig.pool.SetBudget(SIZE_MAX);
  EXPECT_TRUE(rig.Step(Last(1)).whole);
}

// After warm-up a packet of up to three fragments costs no allocation, a
// longer one a single one, for its list of blocks.
TEST_P(ReassemblyTest, NothingIsAllocatedPerFragment) {
  Rig rig;
  const auto run = [&](uint32_t id, int fragments) {
    const sim::IpFragment shape = First(id, 1400);
    std::vector<Bytes> parts;
    for (int i = 0; i < fragments; ++i) {
      sim::IpFragment part = shape;
      part.offset = static_cast<uint16_t>(i * 1400);
      part.more = i + 1 < fragments;
      parts.push_back(sim::Build(part));
    }
    const sim::AllocationCounter allocations;
    for (int i = 0; i < fragments; ++i) {
      EXPECT_EQ(rig.Offer(parts[i]).whole.has_value(), i + 1 == fragments);
    }
    return allocations.count();
  };
  run(1, 40);
  EXPECT_EQ(run(2, 3), 0u);
  EXPECT_LE(run(3, 40), 1u);
}

}  // namespace
}  // namespace tcpip::ip
