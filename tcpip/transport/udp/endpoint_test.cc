#include "tcpip/transport/udp/endpoint.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::udp {
namespace {

const IpEndpoint kLocal = {IpAddress::Ipv4(10, 0, 0, 2), 53};
const IpEndpoint kRemote = {IpAddress::Ipv4(10, 0, 0, 1), 4000};
constexpr uint32_t kPlenty = 1 << 20;

Datagram Make(SlabPool& pool, size_t size, uint8_t fill = 1) {
  Datagram datagram = {.source = kRemote, .destination = kLocal};
  datagram.payload.AppendCopy(pool, std::vector<uint8_t>(size, fill));
  return datagram;
}

TEST(UdpEndpoint, KeepsBoundariesAndOrderEmptyOnesIncluded) {
  SlabPool pool;
  Endpoint endpoint(kLocal, kPlenty, {});
  EXPECT_FALSE(endpoint.readable());
  for (const size_t size : {3u, 0u, 1400u}) {
    ASSERT_TRUE(endpoint.Enqueue(Make(pool, size), pool));
  }
  for (const size_t size : {3u, 0u, 1400u}) {
    EXPECT_TRUE(endpoint.readable());
    const auto datagram = endpoint.Receive({});
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->payload.size(), size);
    EXPECT_EQ(datagram->source, kRemote);
  }
  EXPECT_FALSE(endpoint.Receive({}));
  EXPECT_EQ(endpoint.charged_bytes(), 0u);
}

TEST(UdpEndpoint, AFullQueueRefusesUntilRead) {
  SlabPool pool;
  Endpoint endpoint(kLocal, 10'000, {});
  int queued = 0;
  while (endpoint.Enqueue(Make(pool, 1), pool)) ++queued;
  // A small datagram is charged the block it pins.
  EXPECT_EQ(queued, 5);
  EXPECT_EQ(pool.stats().live, 5u);
  ASSERT_TRUE(endpoint.Receive({}));
  EXPECT_TRUE(endpoint.Enqueue(Make(pool, 1), pool));
  EXPECT_FALSE(endpoint.Enqueue(Make(pool, 1), pool));
}

TEST(UdpEndpoint, EmptyDatagramsAreNotFree) {
  SlabPool pool;
  Endpoint endpoint(kLocal, 10'000, {});
  int queued = 0;
  while (queued < 1000 && endpoint.Enqueue(Make(pool, 0), pool)) ++queued;
  EXPECT_LT(queued, 100);
}

TEST(UdpEndpoint, ALargeDatagramFitsASmallEmptyQueue) {
  SlabPool pool;
  Endpoint endpoint(kLocal, 2048, {});
  EXPECT_TRUE(endpoint.Enqueue(Make(pool, 65507), pool));
  EXPECT_FALSE(endpoint.Enqueue(Make(pool, 1), pool));
}

TEST(UdpEndpoint, ASmallPayloadDoesNotPinALargeBlock) {
  SlabPool pool;
  Endpoint endpoint(kLocal, kPlenty, {});
  Datagram datagram = {.source = kRemote, .destination = kLocal};
  SlabRef slab = pool.Allocate(SlabClass::kLarge);
  slab.bytes()[100] = 42;
  datagram.payload.Append(View(std::move(slab), 100, 1));
  ASSERT_TRUE(endpoint.Enqueue(std::move(datagram), pool));
  EXPECT_EQ(pool.stats().live_bytes, SlabCapacity(SlabClass::kSmall));
  EXPECT_EQ(endpoint.Receive({})->payload.view(0).span()[0], 42);
}

TEST(UdpEndpoint, AShortReadTellsTheTrueSizeAndLosesTheRest) {
  SlabPool pool;
  Endpoint endpoint(kLocal, kPlenty, {});
  for (const size_t max : {0u, 99u, 100u, 101u}) {
    ASSERT_TRUE(endpoint.Enqueue(Make(pool, 100), pool));
    const auto datagram = endpoint.Receive({.max_bytes = max});
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->payload.size(), std::min<size_t>(max, 100));
    EXPECT_EQ(datagram->size, 100u);
    EXPECT_FALSE(endpoint.readable());
    EXPECT_EQ(endpoint.charged_bytes(), 0u);
  }
}

TEST(UdpEndpoint, APeekTakesNothing) {
  SlabPool pool;
  Endpoint endpoint(kLocal, kPlenty, {});
  EXPECT_FALSE(endpoint.Receive({.peek = true}));
  Datagram sent = Make(pool, 100);
  sent.interface = 3;
  sent.ttl = 7;
  sent.tos = 2;
  sent.arrival = Instant::FromNanoseconds(5);
  ASSERT_TRUE(endpoint.Enqueue(std::move(sent), pool));
  const size_t charged = endpoint.charged_bytes();
  const auto peeked = endpoint.Receive({.max_bytes = 10, .peek = true});
  EXPECT_EQ(endpoint.charged_bytes(), charged);
  const auto taken = endpoint.Receive({});
  ASSERT_TRUE(peeked && taken);
  EXPECT_EQ(peeked->payload.size(), 10u);
  EXPECT_EQ(taken->payload.size(), 100u);
  for (const Datagram* datagram : {&*peeked, &*taken}) {
    EXPECT_EQ(datagram->source, kRemote);
    EXPECT_EQ(datagram->destination, kLocal);
    EXPECT_EQ(datagram->interface, 3);
    EXPECT_EQ(datagram->ttl, 7);
    EXPECT_EQ(datagram->tos, 2);
    EXPECT_EQ(datagram->arrival, Instant::FromNanoseconds(5));
    EXPECT_EQ(datagram->size, 100u);
  }
}

TEST(UdpEndpoint, LongUseKeepsOrderAndCharge) {
  SlabPool pool;
  Endpoint endpoint(kLocal, kPlenty, {});
  uint8_t in = 0;
  uint8_t out = 0;
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < 1 + round % 5; ++i) {
      ASSERT_TRUE(endpoint.Enqueue(Make(pool, 1, in++), pool));
    }
    for (int i = 0; i < 1 + round % 5; ++i) {
      ASSERT_EQ(endpoint.Receive({})->payload.view(0).span()[0], out++);
    }
  }
  EXPECT_EQ(endpoint.charged_bytes(), 0u);
  EXPECT_EQ(pool.stats().live, 0u);
}

}  // namespace
}  // namespace tcpip::udp
