#include "tcpip/testing/sim_link.h"

#include <algorithm>
#include <memory>

#include "gtest/gtest.h"
#include "tcpip/testing/app.h"
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
