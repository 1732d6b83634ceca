#include "tcpip/transport/udp/endpoint.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tcpip::udp {
namespace {

const IpEndpoint kLocal = {IpAddress::Ipv4(10, 0, 0, 2), 53};
const IpEndpoint kRemote = {IpAddress::Ipv4(10, 0, 0, 1), 4000};
constexpr uint32_t kPlenty = 1 << 20;

Datagram Make(SlabPool& pool, size_t size, uint8_t fill = 1) {
  Datagram datagram = {kRemote, kLocal, {}};
  datagram.payload.AppendCopy(pool, std::vector<uint8_t>(size, fill));
  return datagram;
}

struct ChecksumCase {
  const char* name;
  IpFamily family;
  uint16_t field;
  uint16_t sum;
  bool want;
};

// [RFC 768] none is fine with IPv4, [RFC 8200 8.1] and forbidden with IPv6
const ChecksumCase kChecksumCases[] = {
    {"Right", IpFamily::kIpv4, 0x1234, 0xffff, true},
    {"Wrong", IpFamily::kIpv4, 0x1234, 0xfffe, false},
    {"NoneOnIpv4", IpFamily::kIpv4, 0, 0x5555, true},
    {"RightOnIpv6", IpFamily::kIpv6, 0x1234, 0xffff, true},
    {"WrongOnIpv6", IpFamily::kIpv6, 0x1234, 0x0001, false},
    {"NoneOnIpv6", IpFamily::kIpv6, 0, 0xffff, false},
};

TEST(UdpChecksum, ZeroMeansNoneOnIpv4Only) {
  for (const ChecksumCase& c : kChecksumCases) {
    EXPECT_EQ(IsChecksumAcceptable(c.family, c.field, PartialSum(c.sum)),
              c.want)
        << c.name;
  }
}

TEST(UdpChecksum, AComputedZeroGoesOutAsAllOnes) {
  EXPECT_EQ(ChecksumField(PartialSum(0xffff)), 0xffff);
  EXPECT_EQ(ChecksumField(PartialSum(0x0001)), 0xfffe);
}

TEST(UdpEndpoint, KeepsBoundariesAndOrderEmptyOnesIncluded) {
  SlabPool pool;
  Endpoint endpoint(kLocal, std::nullopt, kPlenty);
  EXPECT_FALSE(endpoint.readable());
  for (const size_t size : {3u, 0u, 1400u}) {
    ASSERT_TRUE(endpoint.Enqueue(Make(pool, size), pool));
  }
  for (const size_t size : {3u, 0u, 1400u}) {
    EXPECT_TRUE(endpoint.readable());
    const auto datagram = endpoint.Dequeue();
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->payload.size(), size);
    EXPECT_EQ(datagram->source, kRemote);
  }
  EXPECT_FALSE(endpoint.Dequeue());
  EXPECT_EQ(endpoint.charged_bytes(), 0u);
}

TEST(UdpEndpoint, AFullQueueRefusesUntilRead) {
  SlabPool pool;
  Endpoint endpoint(kLocal, std::nullopt, 10'000);
  int queued = 0;
  while (endpoint.Enqueue(Make(pool, 1), pool)) ++queued;
  // A small datagram is charged the block it pins.
  EXPECT_EQ(queued, 5);
  EXPECT_EQ(pool.stats().live, 5u);
  ASSERT_TRUE(endpoint.Dequeue());
  EXPECT_TRUE(endpoint.Enqueue(Make(pool, 1), pool));
  EXPECT_FALSE(endpoint.Enqueue(Make(pool, 1), pool));
}

TEST(UdpEndpoint, EmptyDatagramsAreNotFree) {
  SlabPool pool;
  Endpoint endpoint(kLocal, std::nullopt, 10'000);
  int queued = 0;
  while (queued < 1000 && endpoint.Enqueue(Make(pool, 0), pool)) ++queued;
  EXPECT_LT(queued, 100);
}

TEST(UdpEndpoint, ALargeDatagramFitsASmallEmptyQueue) {
  SlabPool pool;
  Endpoint endpoint(kLocal, std::nullopt, 2048);
  EXPECT_TRUE(endpoint.Enqueue(Make(pool, 65507), pool));
  EXPECT_FALSE(endpoint.Enqueue(Make(pool, 1), pool));
}

TEST(UdpEndpoint, ASmallPayloadDoesNotPinALargeBlock) {
  SlabPool pool;
  Endpoint endpoint(kLocal, std::nullopt, kPlenty);
  Datagram datagram = {kRemote, kLocal, {}};
  SlabRef slab = pool.Allocate(SlabClass::kLarge);
  slab.bytes()[100] = 42;
  datagram.payload.Append(View(std::move(slab), 100, 1));
  ASSERT_TRUE(endpoint.Enqueue(std::move(datagram), pool));
  EXPECT_EQ(pool.stats().live_bytes, SlabCapacity(SlabClass::kSmall));
  EXPECT_EQ(endpoint.Dequeue()->payload.view(0).span()[0], 42);
}

TEST(UdpEndpoint, ConnectedOnesTakeFromTheirRemoteOnly) {
  const Endpoint open(kLocal, std::nullopt, kPlenty);
  const Endpoint connected(kLocal, kRemote, kPlenty);
  const IpEndpoint other = {kRemote.address, 4001};
  EXPECT_TRUE(open.AcceptsFrom(other));
  EXPECT_TRUE(connected.AcceptsFrom(kRemote));
  EXPECT_FALSE(connected.AcceptsFrom(other));
}

TEST(UdpEndpoint, LongUseKeepsOrderAndCharge) {
  SlabPool pool;
  Endpoint endpoint(kLocal, std::nullopt, kPlenty);
  uint8_t in = 0;
  uint8_t out = 0;
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < 1 + round % 5; ++i) {
      ASSERT_TRUE(endpoint.Enqueue(Make(pool, 1, in++), pool));
    }
    for (int i = 0; i < 1 + round % 5; ++i) {
      ASSERT_EQ(endpoint.Dequeue()->payload.view(0).span()[0], out++);
    }
  }
  EXPECT_EQ(endpoint.charged_bytes(), 0u);
  EXPECT_EQ(pool.stats().live, 0u);
}

}  // namespace
}  // namespace tcpip::udp
