#include "tcpip/testing/sim_link.h"

#include <algorithm>
#include <memory>

#include "emulator/chance.h"
#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"
#include "tcpip/stack/socket_id.h"
#include "tcpip/stack/stack.h"
#include "tcpip/testing/app.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/testing/topology.h"
#include "tcpip/wire/address.h"

namespace tcpip::sim {
namespace {

const IpEndpoint kServer = TwoHosts::Endpoint(kSecond, IpFamily::kIpv6, 80);

// Sends `bytes` from the first host to the second; true when they arrived.
bool Send(TwoHosts& net, uint64_t bytes) {
  Talker* receiver = nullptr;
  net.second.Listen({.local = kServer}, [&] {
    auto talker = std::make_unique<Talker>(
        TalkPlan{.fin_after_peer = true, .expect_bytes = bytes});
    receiver = talker.get();
    return talker;
  });
  Talker& sender = net.first.Connect(
      {.remote = kServer}, std::make_unique<Talker>(TalkPlan{
                               .send_bytes = bytes, .send_pattern = 2}));
  net.simulation.RunUntil([&] { return sender.done(); }, Duration::Seconds(60));
  net.simulation.RunFor(Duration::Seconds(1));
  EXPECT_EQ(net.Violations(), "");
  return receiver != nullptr && receiver->succeeded();
}

TEST(SimLink, CutsForTheWireAndMergesWhatArrives) {
  TwoHosts net(1, {.offload = true});
  size_t largest = 0;
  net.link.set_filter([&](Side, const ReadPacket& packet) {
    largest = std::max(largest, packet.tcp->payload.size());
    return true;
  });
  EXPECT_TRUE(Send(net, 1'000'000));
  EXPECT_EQ(largest, 1500u - 40 - 20 - 12);
  // Far fewer packets reach the receiver than crossed the wire.
  EXPECT_GT(net.link.path(kFirst).counters().delivered, 690u);
  EXPECT_LT(net.second.stack().Stats().ip_in, 200u);
}

TEST(SimLink, DeliversTheRestOfASuperSegmentWithHoles) {
  TwoHosts net(1,
               {.offload = true, .there = {.lose_data = {3, 4, 20, 41, 100}}});
  EXPECT_TRUE(Send(net, 300'000));
  EXPECT_EQ(
      net.link.path(kFirst).counters().Dropped(emulator::PathDrop::kListed),
      5u);
}

TEST(SimLink, TellsDataFromAcknowledgments) {
  TwoHosts net(1, {.there = {.lose_data = {1}}, .back = {.lose_data = {1}}});
  EXPECT_TRUE(Send(net, 1));
  EXPECT_EQ(
      net.link.path(kFirst).counters().Dropped(emulator::PathDrop::kListed),
      1u);
  EXPECT_EQ(
      net.link.path(kSecond).counters().Dropped(emulator::PathDrop::kListed),
      0u);
}

// Segments that lost a bit on the way are dropped by their checksums: the
// stream that arrives is whole, with and without offload.
TEST(SimLink, WhatThePathCorruptsIsNotBelieved) {
  for (const bool offload : {false, true}) {
    TwoHosts net(1, {.offload = offload,
                     .there = {.corrupt = emulator::Percent(3)},
                     .back = {.corrupt = emulator::Percent(3)}});
    EXPECT_TRUE(Send(net, 1'000'000));
    EXPECT_GT(net.link.path(kFirst).counters().corrupted, 10u);
    EXPECT_GT(net.link.path(kSecond).counters().corrupted, 1u);
  }
}

// [RFC 3168 5] a queue marks, and the receiver's IP checksum still is right
TEST(SimLink, WhatThePathMarksArrivesMarked) {
  for (const IpFamily family : {IpFamily::kIpv4, IpFamily::kIpv6}) {
    TwoHosts net(1, {.there = {.rate = Bandwidth::MegabitsPerSecond(1),
                               .mark_wait = Duration::Zero()}});
    const IpEndpoint to = TwoHosts::Endpoint(kSecond, family, 53);
    const SocketId receiver = *net.second.stack().UdpOpen({.local = to});
    const SocketId sender = *net.first.stack().UdpOpen(
        {.local = TwoHosts::Endpoint(kFirst, family, 53),
         .settings = {.tos = 2}});
    net.first.Act([&](Stack& stack, Instant) {
      for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(stack.UdpSend(sender, to, Bytes(100)).ok());
      }
    });
    net.simulation.RunFor(Duration::Seconds(1));
    // The first meets an empty queue.
    for (const int tos : {2, 3}) {
      const auto datagram = *net.second.stack().UdpRecv(receiver);
      ASSERT_TRUE(datagram);
      EXPECT_EQ(datagram->tos, tos);
    }
    EXPECT_EQ(net.Violations(), "");
  }
}

TEST(SimLink, EveryPacketChangesTheTrace) {
  TwoHosts once(1, {});
  TwoHosts again(1, {});
  TwoHosts longer(1, {});
  EXPECT_TRUE(Send(once, 1000));
  EXPECT_TRUE(Send(again, 1000));
  EXPECT_TRUE(Send(longer, 1001));
  EXPECT_EQ(once.simulation.trace().value(), again.simulation.trace().value());
  EXPECT_NE(once.simulation.trace().value(), longer.simulation.trace().value());
}

}  // namespace
}  // namespace tcpip::sim
