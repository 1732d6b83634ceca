#include "tcpip/testing/topology.h"

#include <memory>

#include "emulator/path_model.h"
#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"
#include "tcpip/testing/app.h"

namespace tcpip::sim {
namespace {

constexpr uint16_t kPort = 80;

IpEndpoint Server() {
  return TwoHosts::Endpoint(kSecond, IpFamily::kIpv4, kPort);
}

TEST(TwoHosts, ReachEachOtherInBothFamilies) {
  for (const IpFamily family : {IpFamily::kIpv4, IpFamily::kIpv6}) {
    TwoHosts net(1, {.there = {.delay = Duration::Milliseconds(5)},
                     .back = {.delay = Duration::Milliseconds(5)}});
    const IpEndpoint server = TwoHosts::Endpoint(kSecond, family, kPort);
    const TurnPlan plan = {.rounds = 3, .request_bytes = 10};
    net.second.Listen({.local = server},
                      [&] { return std::make_unique<Answerer>(plan); });
    Asker& asker =
        net.first.Connect({.remote = server}, std::make_unique<Asker>(plan));
    EXPECT_TRUE(net.simulation.RunUntil([&] { return asker.done(); },
                                        Duration::Seconds(5)));
    EXPECT_EQ(net.Violations(), "");
    ASSERT_EQ(asker.latencies().size(), 3u);
    for (const Duration d : asker.latencies()) {
      EXPECT_EQ(d, Duration::Milliseconds(10));
    }
    net.simulation.RunFor(Duration::Seconds(120));
    EXPECT_EQ(net.Leftovers(), "");
  }
}

TEST(TwoHosts, EchoComesBackUnchanged) {
  TwoHosts net(1, {.offload = true});
  net.second.Listen({.local = Server()},
                    [] { return std::make_unique<Echo>(); });
  Talker& talker = net.first.Connect(
      {.remote = Server()},
      std::make_unique<Talker>(TalkPlan{.send_bytes = 300'000,
                                        .send_pattern = 7,
                                        .expect_bytes = 300'000,
                                        .expect_pattern = 7}));
  EXPECT_TRUE(net.simulation.RunUntil([&] { return talker.done(); },
                                      Duration::Seconds(5)));
  EXPECT_EQ(net.Violations(), "");
  EXPECT_EQ(talker.Problem(), "");
}

TEST(TwoHosts, AHostTalksToItselfOverItsLoopback) {
  TwoHosts net(1, {});
  const IpEndpoint here = {*IpAddress::Parse("127.0.0.1"), kPort};
  net.first.Listen({.local = here}, [] { return std::make_unique<Echo>(); });
  Talker& talker = net.first.Connect(
      {.remote = here},
      std::make_unique<Talker>(TalkPlan{.send_bytes = 300'000,
                                        .send_pattern = 7,
                                        .expect_bytes = 300'000,
                                        .expect_pattern = 7}));
  EXPECT_TRUE(net.simulation.RunUntil([&] { return talker.done(); },
                                      Duration::Seconds(5)));
  EXPECT_EQ(net.Violations(), "");
  EXPECT_EQ(talker.Problem(), "");
  EXPECT_EQ(net.link.path(kFirst).counters().offered, 0u);
}

TEST(TwoHosts, TheFilterSeesPacketsAndLosesThem) {
  TwoHosts net(1, {});
  int syns = 0;
  net.link.set_filter([&](Side from, const ReadPacket& packet) {
    const bool syn = from == kFirst && packet.tcp->header.flags.syn();
    syns += syn;
    return !syn || syns > 2;
  });
  net.second.Listen({.local = Server()},
                    [] { return std::make_unique<Echo>(); });
  Talker& talker = net.first.Connect({.remote = Server()},
                                     std::make_unique<Talker>(TalkPlan{}));
  EXPECT_TRUE(net.simulation.RunUntil([&] { return talker.done(); },
                                      Duration::Seconds(10)));
  EXPECT_EQ(syns, 3);
  EXPECT_EQ(net.simulation.elapsed(), Duration::Seconds(3));
}

TEST(TwoHosts, ANetworkCardSendsAtItsOwnRateAndDropsNothing) {
  TwoHosts net(1, {.wait_for_idle = true,
                   .there = {.rate = Bandwidth::MegabitsPerSecond(10),
                             .delay = Duration::Milliseconds(1),
                             .queue_packets = 1},
                   .back = {.delay = Duration::Milliseconds(1)}});
  net.second.Listen({.local = Server()}, [] {
    return std::make_unique<Talker>(
        TalkPlan{.fin_after_peer = true, .expect_bytes = 1'000'000});
  });
  Talker& talker = net.first.Connect(
      {.remote = Server()}, std::make_unique<Talker>(TalkPlan{
                                .send_bytes = 1'000'000, .send_pattern = 2}));
  EXPECT_TRUE(net.simulation.RunUntil([&] { return talker.done(); },
                                      Duration::Seconds(5)));
  EXPECT_EQ(net.Violations(), "");
  EXPECT_EQ(
      net.link.path(kFirst).counters().Dropped(emulator::PathDrop::kQueueFull),
      0u);
  // 1 MB and headers at 10 Mbit/s.
  EXPECT_GE(net.simulation.elapsed(), Duration::Milliseconds(820));
  EXPECT_LE(net.simulation.elapsed(), Duration::Milliseconds(900));
}

}  // namespace
}  // namespace tcpip::sim
