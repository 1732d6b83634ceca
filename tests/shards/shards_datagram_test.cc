// What has no connection, between groups of shards: UDP, ping, and ICMP errors
// about packets of ours. Each packet comes in on any queue.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tests/shards/group_pair.h"

namespace tcpip {
namespace {

class ShardsDatagram : public testing::Test {
 protected:
  GroupPair pair_{{2, 2}, Queueing::kRandom, {.mtu = 1500}};
};

TEST_F(ShardsDatagram, EveryDatagramReachesTheSocketItIsFor) {
  constexpr uint8_t kSockets = 8;
  constexpr uint8_t kEach = 20;
  std::vector<reply::Opened> ours;
  std::vector<reply::Opened> theirs;
  for (int i = 0; i < kSockets; ++i) {
    ours.push_back(
        pair_.client(0).Call<reply::Opened>(UdpOn(EndpointOf("10.1.0.1:0"))));
    theirs.push_back(
        pair_.client(1).Call<reply::Opened>(UdpOn(EndpointOf("10.1.0.2:0"))));
  }
  for (uint8_t n = 0; n < kEach; ++n) {
    for (uint8_t i = 0; i < kSockets; ++i) {
      OwnedBytes payload = OwnedBytes::Allocate(2);
      payload.mutable_data()[0] = i;
      payload.mutable_data()[1] = n;
      pair_.client(0).Call<reply::Done>(
          command::UdpSend{ours[i].socket, theirs[i].tuple.local, payload});
    }
  }
  for (uint8_t i = 0; i < kSockets; ++i) {
    std::vector<uint8_t> numbers;
    for (uint8_t n = 0; n < kEach; ++n) {
      const auto got = pair_.client(1).Call<reply::DatagramReceived>(
          command::UdpRecv{theirs[i].socket});
      ASSERT_EQ(got.payload.size(), 2u);
      EXPECT_EQ(got.payload.span()[0], i);
      EXPECT_EQ(got.source, ours[i].tuple.local);
      numbers.push_back(got.payload.span()[1]);
    }
    // In any order, since each took its own way.
    std::sort(numbers.begin(), numbers.end());
    for (uint8_t n = 0; n < kEach; ++n) EXPECT_EQ(numbers[n], n);
  }
  EXPECT_GT(pair_.StatsOf(1).packets_handed_over, 0u);
}

TEST_F(ShardsDatagram, EveryPingIsAnswered) {
  std::vector<uint64_t> pings;
  for (uint16_t seq = 0; seq < 40; ++seq) {
    const char* remote = seq % 2 == 0 ? "10.1.0.2" : "2001:db8::2";
    pings.push_back(
        pair_.client(0).Post(command::Ping{.remote = *IpAddress::Parse(remote),
                                           .seq = seq,
                                           .timeout = Duration::Seconds(60)}));
  }
  for (size_t i = 0; i < pings.size(); ++i) {
    const Reply reply = pair_.client(0).Wait(pings[i]);
    ASSERT_TRUE(reply.status.ok()) << reply.status;
    EXPECT_EQ(std::get<reply::PingReply>(reply.body).reply.seq, i);
  }
  EXPECT_GT(pair_.StatsOf(0).packets_handed_over, 0u);
}

// [fault I05] [fault I06] the fragments of one come in on both queues; no
// shard but the one they all go to could make it whole.
TEST_F(ShardsDatagram, DatagramsInFragmentsAreMadeWhole) {
  constexpr size_t kSize = 5000;
  constexpr int kEach = 20;
  for (const auto& [from, to] :
       {std::pair("10.1.0.1:0", "10.1.0.2:0"),
        std::pair("[2001:db8::1]:0", "[2001:db8::2]:0")}) {
    const auto ours = pair_.client(0).Call<reply::Opened>(UdpOn(from));
    const auto theirs = pair_.client(1).Call<reply::Opened>(UdpOn(to));
    OwnedBytes payload = OwnedBytes::Allocate(kSize);
    for (size_t i = 0; i < kSize; ++i) {
      payload.mutable_data()[i] = static_cast<uint8_t>(i / 8);
    }
    for (int n = 0; n < kEach; ++n) {
      pair_.client(0).Call<reply::Done>(
          command::UdpSend{ours.socket, theirs.tuple.local, payload});
      const auto got = pair_.client(1).Call<reply::DatagramReceived>(
          command::UdpRecv{theirs.socket});
      EXPECT_TRUE(std::ranges::equal(got.payload.span(), payload.span()));
      EXPECT_EQ(got.source, ours.tuple.local);
    }
  }
  const StackStats stats = pair_.StatsOf(1);
  EXPECT_GT(stats.packets_handed_over, 0u);
  EXPECT_EQ(stats.ip_reasm_oks, 2u * kEach);
  EXPECT_EQ(stats.ip_in, stats.ip_reasm_reqds);  // each counted once
}

TEST_F(ShardsDatagram, PingsInFragmentsAreAnswered) {
  for (uint16_t seq = 0; seq < 20; ++seq) {
    const char* remote = seq % 2 == 0 ? "10.1.0.2" : "2001:db8::2";
    const auto got = pair_.client(0).Call<reply::PingReply>(
        command::Ping{.remote = *IpAddress::Parse(remote),
                      .seq = seq,
                      .payload_bytes = 5000,
                      .timeout = Duration::Seconds(60)});
    EXPECT_EQ(got.reply.payload_bytes, 5000u);
  }
}

// The error comes from a router, whose address no hash can tell apart.
TEST_F(ShardsDatagram, AnIcmpErrorEndsTheDialItQuotes) {
  for (int i = 0; i < 40; ++i) {
    command::TcpDial dial = Dial(EndpointOf("192.0.2.1:80"));
    dial.timeout = Duration::Seconds(60);
    const Reply reply = pair_.client(0).Ask(dial);
    EXPECT_EQ(reply.status.code(), absl::StatusCode::kUnavailable)
        << reply.status;
  }
  EXPECT_GT(pair_.StatsOf(0).packets_handed_over, 0u);
}

TEST_F(ShardsDatagram, AClosedPortRefusesFromWhicheverShard) {
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(pair_.client(0).Ask(Dial(EndpointOf("10.1.0.2:9"))).status.code(),
              absl::StatusCode::kUnavailable);
  }
}

}  // namespace
}  // namespace tcpip
