// What leaves: in one packet where it fits, in fragments where it does not.
#include "tcpip/stack/context.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tcpip/stack/stack_fixture.h"

namespace tcpip {
namespace {

struct Case {
  const char* name;
  bool v4;
  uint32_t mtu;
  size_t largest;  // UDP payload
};
const Case kCases[] = {{"Ipv4Over1500", true, 1500, 65507},
                       {"Ipv4Over576", true, 576, 65507},
                       {"Ipv6Over1500", false, 1500, 65527},
                       {"Ipv6Over1280", false, 1280, 65527}};

class Fragments : public testing::TestWithParam<Case> {
 protected:
  bool v4() const { return GetParam().v4; }
  uint32_t mtu() const { return GetParam().mtu; }
  size_t largest() const { return GetParam().largest; }
  uint32_t header() const { return v4() ? 20 : 40; }
  // What fits beside IP and UDP headers.
  size_t FitsInOne() const { return mtu() - header() - 8; }
  std::string_view Prefix(const IpEndpoint& host) const {
    if (host == own_) return v4() ? "10.0.0.2/24" : "2001:db8::2/64";
    return v4() ? "10.0.0.1/24" : "2001:db8::1/64";
  }
  static Bytes Payload(size_t size) {
    Bytes payload(size);
    for (size_t i = 0; i < size; ++i)
      payload[i] = static_cast<uint8_t>(i % 253);
    return payload;
  }

  const IpEndpoint own_ = {Ip(v4() ? "10.0.0.2" : "2001:db8::2"), 53};
  const IpEndpoint peer_ = {Ip(v4() ? "10.0.0.1" : "2001:db8::1"), 4000};
};
INSTANTIATE_TEST_SUITE_P(Links, Fragments, testing::ValuesIn(kCases),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

// [fault I09] whatever the link offers for whole packets
TEST_P(Fragments, ADatagramOfAnySizeLeaves) {
  for (const bool checksum : {false, true}) {
    Host host(
        1, {.name = "x", .link = {.mtu = mtu(), .tx = {.checksum = checksum}}},
        {Prefix(own_)});
    const SocketId id = host.stack().UdpOpen({.local = own_}).value();
    for (const size_t size :
         {FitsInOne() + 1, FitsInOne() + 9, size_t{9000}, largest()}) {
      const Bytes payload = Payload(size);
      ASSERT_TRUE(host.stack().UdpSend(id, peer_, payload).ok());
      const std::vector<Bytes> out = host.Drain();
      const size_t per_fragment = (mtu() - header() - (v4() ? 0 : 8)) / 8 * 8;
      EXPECT_EQ(out.size(), (size + 8 + per_fragment - 1) / per_fragment);
      for (const Bytes& fragment : out) EXPECT_LE(fragment.size(), mtu());
      EXPECT_EQ(Reassemble(out),
                Open(MakeUdp({own_, peer_}, payload)).transport);
    }
    EXPECT_EQ(host.stack().Stats().ip_frag_oks, 4u);
    EXPECT_EQ(host.stack().Stats().udp_out_datagrams, 4u);
    EXPECT_EQ(host.pool().stats().live, 0u);
  }
}

// [RFC 6864 4.1] and nothing changes for them
TEST_P(Fragments, WhatFitsLeavesWhole) {
  Host host(1, {.name = "x", .link = {.mtu = mtu()}}, {Prefix(own_)});
  const SocketId id = host.stack().UdpOpen({.local = own_}).value();
  const Bytes payload = Payload(FitsInOne());
  ASSERT_TRUE(host.stack().UdpSend(id, peer_, payload).ok());
  const std::vector<Bytes> out = host.Drain();
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0], MakeUdp({own_, peer_}, payload));
  EXPECT_EQ(host.stack().Stats().ip_frag_oks, 0u);
}

TEST(StackContext, AnswersToStrangersAreLimitedCounted) {
  SlabPool pool;
  SeededRng rng(1);
  StackContext context(
      {.unowned_answers_per_second = 10, .unowned_answers_burst = 3}, pool, rng,
      Instant());
  int allowed = 0;
  for (int i = 0; i < 10; ++i) {
    const auto receiver = IpAddress::Ipv4(10, 0, 0, static_cast<uint8_t>(i));
    allowed += context.MayAnswerUnowned(receiver, Instant());
  }
  EXPECT_EQ(allowed, 3);
  EXPECT_EQ(context.stats.Dropped(DropReason::kAnswerRateLimited), 7u);
}

TEST_P(Fragments, TheLargestDatagramGetsThereAndBack) {
  Host a(1, {.name = "x", .link = {.mtu = mtu()}}, {Prefix(peer_)});
  Host b(2, {.name = "x", .link = {.mtu = mtu()}}, {Prefix(own_)});
  const SocketId client = a.stack().UdpOpen({.local = peer_}).value();
  const SocketId server = b.stack().UdpOpen({.local = own_}).value();
  const Bytes payload = Payload(largest());
  ASSERT_TRUE(a.stack().UdpSend(client, own_, payload).ok());
  for (const Bytes& fragment : a.Drain()) b.Receive(fragment);
  const auto there = b.stack().UdpRecv(server).value();
  ASSERT_TRUE(there);
  EXPECT_EQ(there->source, peer_);
  EXPECT_EQ(Flatten(there->payload), payload);
  ASSERT_TRUE(b.stack().UdpSend(server, peer_, payload).ok());
  for (const Bytes& fragment : b.Drain()) a.Receive(fragment);
  const auto back = a.stack().UdpRecv(client).value();
  ASSERT_TRUE(back);
  EXPECT_EQ(Flatten(back->payload), payload);
  EXPECT_EQ(a.stack().Stats().ip_reasm_oks, 1u);
  EXPECT_EQ(b.stack().Stats().ip_reasm_oks, 1u);
}

TEST_P(Fragments, WithoutOneFragmentNothingIsDelivered) {
  Host a(1, {.name = "x", .link = {.mtu = mtu()}}, {Prefix(peer_)});
  Host b(2, {.name = "x", .link = {.mtu = mtu()}}, {Prefix(own_)});
  const SocketId client = a.stack().UdpOpen({.local = peer_}).value();
  const SocketId server = b.stack().UdpOpen({.local = own_}).value();
  ASSERT_TRUE(a.stack().UdpSend(client, own_, Payload(9000)).ok());
  std::vector<Bytes> fragments = a.Drain();
  fragments.erase(fragments.begin() + 1);
  for (const Bytes& fragment : fragments) b.Receive(fragment);
  const Instant end = b.stack().NextDeadline();
  ASSERT_FALSE(end.IsNever());
  b.stack().OnTimers(end);
  EXPECT_FALSE(b.stack().UdpRecv(server).value());
  EXPECT_EQ(b.stack().Stats().ip_reasm_fails, 1u);
  EXPECT_EQ(b.Dropped(DropReason::kIpReassemblyTimeout), fragments.size());
  // The first was there, so the sender hears of it.
  for (const Bytes& error : b.Drain(end)) a.Receive(error, end);
  EXPECT_EQ(a.stack().Stats().icmp_in_msgs, 1u);
  EXPECT_TRUE(b.stack().NextDeadline().IsNever());
}

// All fragments of a packet, or an answer.
TEST_P(Fragments, AFullQueueTakesNoPartOfADatagram) {
  StackConfig config;
  config.max_control_packets = 2;
  Host host(1, {.name = "x", .link = {.mtu = mtu()}}, {Prefix(own_)}, config);
  const SocketId id = host.stack().UdpOpen({.local = own_}).value();
  const Bytes large = Payload(9000);
  const auto send = [&] {
    return host.stack().UdpSend(id, peer_, large).code();
  };
  EXPECT_EQ(send(), absl::StatusCode::kOk);
  EXPECT_EQ(send(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Reassemble(host.Drain()).size(), large.size() + 8);
  EXPECT_EQ(send(), absl::StatusCode::kOk);
  // Echo replies wait in another queue, by the same rule.
  const Bytes ping = MakeIcmp(
      {peer_.address, own_.address, static_cast<uint8_t>(v4() ? 1 : 58)},
      v4() ? 8 : 128, 1, Payload(4000));
  for (int i = 0; i < 3; ++i) host.Receive(ping);
  EXPECT_EQ(host.Dropped(DropReason::kControlQueueFull), 2u);
  EXPECT_EQ(host.stack().Stats().ip_frag_fails, 2u);
}

// [fault X09] chi-square over the high and the low bits of the ID
TEST_P(Fragments, IdsAreRandom) {
  constexpr int kSamples = 4000;
  constexpr int kBins = 16;
  Host host(1, {.name = "x", .link = {.mtu = mtu()}}, {Prefix(own_)});
  const SocketId id = host.stack().UdpOpen({.local = own_}).value();
  std::array<int, kBins> high = {};
  std::array<int, kBins> low = {};
  for (int i = 0; i < kSamples; ++i) {
    ASSERT_TRUE(host.stack().UdpSend(id, peer_, Bytes(1600)).ok());
    const Bytes first = host.Drain().front();
    const uint32_t value =
        v4() ? LoadBe16(&first[4]) * 65537u : LoadBe32(&first[44]);
    ++high[value >> 28];
    ++low[value % kBins];
  }
  for (const auto& bins : {high, low}) {
    double chi_square = 0;
    constexpr double kExpected = double{kSamples} / kBins;
    for (const int n : bins) {
      chi_square += (n - kExpected) * (n - kExpected) / kExpected;
    }
    // 15 degrees of freedom: above 44 once in 10,000 times.
    EXPECT_LT(chi_square, 44);
    EXPECT_GT(chi_square, 1) << "too even: not random but counted";
  }
}

}  // namespace
}  // namespace tcpip
