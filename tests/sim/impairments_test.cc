#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "emulator/path_model.h"
#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"
#include "tcpip/testing/app.h"
#include "tcpip/testing/packet_reader.h"
#include "tcpip/testing/topology.h"
#include "tcpip/testing/virtual_clock.h"
#include "tcpip/wire/address.h"
#include "tests/sim/transfer_fixture.h"

// One kind of trouble at a time, and how well we come out of it.
namespace tcpip::sim {
namespace {

using emulator::Outage;
using emulator::PathConfig;
using emulator::Percent;

constexpr Instant kStart = VirtualClock::kStart;
constexpr uint64_t kMegabyte = 1 << 20;

Duration Ms(int64_t n) { return Duration::Milliseconds(n); }

PathConfig Plain() {
  return {.rate = Bandwidth::MegabitsPerSecond(50), .delay = Ms(15)};
}

class Impairments : public testing::TestWithParam<bool> {
 protected:
  TransferPlan Plan(uint64_t up_bytes, uint64_t down_bytes = 0) {
    return {.link = Symmetric(Plain(), GetParam()),
            .up_bytes = up_bytes,
            .down_bytes = down_bytes,
            .server_fins_last = true};
  }
};

INSTANTIATE_TEST_SUITE_P(Sim, Impairments, testing::Bool(), [](const auto& i) {
  return i.param ? "Offload" : "Plain";
});

// [fault S26] nothing passes for two seconds in the middle of a transfer
TEST_P(Impairments, ABlackoutOfTwoSecondsIsSurvived) {
  TransferPlan plan = Plan(3 * kMegabyte);
  const Outage outage = {kStart + Ms(300), kStart + Ms(2300)};
  plan.link.there.outages = plan.link.back.outages = {outage};
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const TransferResult result = RunTransfer(plan, seed);
    EXPECT_EQ(result.problem, "");
    EXPECT_GT(result.took, Ms(2300));
    EXPECT_LT(result.took, Ms(5500));
  }
}

TEST_P(Impairments, LostAcknowledgmentsCostLittle) {
  TransferPlan plan = Plan(3 * kMegabyte);
  const Duration clean = RunTransfer(plan, 1).took;
  plan.link.back.loss = Percent(20);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const TransferResult result = RunTransfer(plan, seed);
    EXPECT_EQ(result.problem, "");
    // The last ones may cost an RTO each.
    EXPECT_LT(result.took, clean * 2 + Ms(2000));
  }
}

// [fault W01] the window closes and opens again; nothing is lost by it
TEST_P(Impairments, ASlowReaderClosesTheWindowAndOpensItAgain) {
  TransferPlan plan = Plan(kMegabyte);
  plan.server_settings.receive_buffer_bytes = 64 << 10;
  plan.server_read_after = Duration::Seconds(5);
  plan.server_read_bytes = 32 << 10;
  plan.server_read_interval = Ms(50);
  const TransferResult result = RunTransfer(plan, 1);
  EXPECT_EQ(result.problem, "");
  EXPECT_GT(result.info.zero_window_probes, 0u);
  // 32 reads of 32 KiB.
  EXPECT_GE(result.took, Ms(5000 + 32 * 50));
  EXPECT_LT(result.took, Ms(5000 + 64 * 50));
}

// [fault W01] the window update is lost: only a probe can find out
TEST_P(Impairments, ALostWindowUpdateIsFoundByAProbe) {
  TransferPlan plan = Plan(kMegabyte);
  plan.server_settings.receive_buffer_bytes = 64 << 10;
  plan.server_read_after = Duration::Seconds(10);
  plan.link.back.outages = {{kStart + Ms(9900), kStart + Ms(10100)}};
  const TransferResult result = RunTransfer(plan, 1);
  EXPECT_EQ(result.problem, "");
  EXPECT_LT(result.took, Duration::Seconds(25));
}

struct LostSegment {
  const char* name;
  Side from;
  bool (*is_it)(const ReadTcp&);
};

const LostSegment kLostSegments[] = {
    {"Syn", kFirst, [](const ReadTcp& t) { return t.header.flags.syn(); }},
    {"SynAck", kSecond, [](const ReadTcp& t) { return t.header.flags.syn(); }},
    {"FirstAck", kFirst,
     [](const ReadTcp& t) { return !t.header.flags.syn() && t.len() == 0; }},
    {"ClientFin", kFirst,
     [](const ReadTcp& t) { return t.header.flags.fin(); }},
    {"ServerFin", kSecond,
     [](const ReadTcp& t) { return t.header.flags.fin(); }},
};

// [fault C06] each of them lost once, twice, three times
TEST_P(Impairments, OpeningAndClosingSurviveLoss) {
  for (const LostSegment& lost : kLostSegments) {
    for (int times = 1; times <= 3; ++times) {
      for (const uint64_t bytes : {uint64_t{0}, uint64_t{10'000}}) {
        int count = 0;
        const TransferResult result =
            RunTransfer(Plan(bytes, bytes), 1, [&](TwoHosts& net) {
              net.link.set_filter([&](Side from, const ReadPacket& packet) {
                if (from != lost.from || !lost.is_it(*packet.tcp)) return true;
                return ++count > times;
              });
            });
        EXPECT_EQ(result.problem, "")
            << lost.name << " lost " << times << " times, " << bytes;
        EXPECT_GE(count, times) << lost.name;
      }
    }
  }
}

// A reset is sent once; when it is lost, the next segment draws another.
TEST_P(Impairments, ALostResetIsSentAgainWhenThePeerSpeaks) {
  TwoHosts net(1, Symmetric(Plain(), GetParam()));
  const IpEndpoint address = TwoHosts::Endpoint(kSecond, IpFamily::kIpv4, 80);
  Talker* server = nullptr;
  net.second.Listen({.local = address}, [&] {
    auto talker = std::make_unique<Talker>(TalkPlan{.send_bytes = kMegabyte});
    server = talker.get();
    return talker;
  });
  SocketId client;
  net.first.Act([&](Stack& stack, Instant now) {
    client = *stack.TcpConnect({.remote = address}, now);
  });
  net.simulation.RunFor(Ms(100));
  ASSERT_NE(server, nullptr);
  int resets = 0;
  net.link.set_filter([&](Side, const ReadPacket& packet) {
    return !packet.tcp->header.flags.rst() || ++resets > 1;
  });
  net.first.Act([&](Stack& stack, Instant now) {
    EXPECT_TRUE(stack.Abort(client, now).ok());
  });
  // The server has not heard of it and goes on sending.
  net.simulation.RunFor(Duration::Seconds(10));
  EXPECT_EQ(net.Violations(), "");
  EXPECT_GE(resets, 2);
  EXPECT_TRUE(server->done());
  EXPECT_EQ(server->error(), tcp::TcpError::kReset);
  net.simulation.RunFor(Duration::Seconds(60));
  EXPECT_EQ(net.Leftovers(), "");
}

// [req B-07] a hole of 180 segments is not repaired one RTO at a time: 20
// rounds do from a window of one segment, with an ACK per round
TEST_P(Impairments, AHoleOfManySegmentsDrainsInBoundedRounds) {
  TransferPlan plan = Plan(kMegabyte);
  plan.link = Symmetric({.delay = Ms(50)}, GetParam());
  constexpr uint32_t kHoleBegin = 200 * 1448;
  constexpr uint32_t kHoleEnd = 380 * 1448;
  uint32_t iss = 0;
  uint32_t lost_up_to = 0;  // each segment of the hole is lost once
  Instant first_repair = Instant::Never();
  Instant repaired = Instant::Never();
  const TransferResult result = RunTransfer(plan, 1, [&](TwoHosts& net) {
    net.link.set_filter([&](Side from, const ReadPacket& packet) {
      const ReadTcp& tcp = *packet.tcp;
      if (from == kSecond) {
        if (tcp.header.ack - iss - 1 >= kHoleEnd && lost_up_to > 0) {
          repaired = std::min(repaired, net.simulation.now());
        }
        return true;
      }
      if (tcp.header.flags.syn()) iss = tcp.header.seq;
      const uint32_t offset = tcp.header.seq - iss - 1;
      if (tcp.payload.empty() || offset < kHoleBegin || offset >= kHoleEnd) {
        return true;
      }
      if (offset >= lost_up_to) {
        lost_up_to = offset + 1;
        return false;
      }
      first_repair = std::min(first_repair, net.simulation.now());
      return true;
    });
  });
  EXPECT_EQ(result.problem, "");
  ASSERT_FALSE(repaired.IsNever());
  EXPECT_LE(repaired - first_repair, Ms(100) * 20);
}

TEST_P(Impairments, FiftyConnectionsAtOnceAllFinish) {
  PathConfig path = Plain();
  path.loss = Percent(1);
  TwoHosts net(3, Symmetric(path, GetParam()));
  std::vector<Talker*> talkers;
  net.second.Listen(
      {.local = TwoHosts::Endpoint(kSecond, IpFamily::kIpv6, 80)}, [&] {
        auto talker = std::make_unique<Talker>(
            TalkPlan{.send_bytes = 20'000, .expect_bytes = 40'000});
        talkers.push_back(talker.get());
        return talker;
      });
  for (int i = 0; i < 50; ++i) {
    talkers.push_back(&net.first.Connect(
        {.remote = TwoHosts::Endpoint(kSecond, IpFamily::kIpv6, 80)},
        std::make_unique<Talker>(TalkPlan{.send_bytes = 40'000,
                                          .send_pattern = 2,
                                          .expect_bytes = 20'000,
                                          .expect_pattern = 1})));
  }
  const auto all_done = [&] {
    return talkers.size() == 100 &&
           std::all_of(talkers.begin(), talkers.end(),
                       [](const Talker* t) { return t->done(); });
  };
  EXPECT_TRUE(net.simulation.RunUntil(all_done, Duration::Seconds(120)));
  for (const Talker* talker : talkers) EXPECT_EQ(talker->Problem(), "");
  net.simulation.RunFor(Duration::Seconds(120));
  EXPECT_EQ(net.Violations(), "");
  EXPECT_EQ(net.Leftovers(), "");
}

// [req A-25] five seeds of fifty when time is short
TEST_P(Impairments, FiveMegabytesUnderTwoPercentLossNeverFail) {
  TransferPlan plan = Plan(5 * kMegabyte);
  plan.link = Symmetric({.rate = Bandwidth::MegabitsPerSecond(100),
                         .delay = Ms(15),
                         .loss = Percent(2)},
                        GetParam());
  std::vector<int64_t> times;
  const bool all = std::getenv("NETSTACK_LONG_TESTS") != nullptr;
  for (uint64_t seed = 1; seed <= (all ? 50 : 5); ++seed) {
    const TransferResult result = RunTransfer(plan, seed);
    EXPECT_EQ(result.problem, "");
    times.push_back(result.took.milliseconds());
  }
  std::sort(times.begin(), times.end());
  std::printf(
      "5 MiB at 30 ms and 2%% loss: min %lld, median %lld, max %lld ms\n",
      static_cast<long long>(times.front()),
      static_cast<long long>(times[times.size() / 2]),
      static_cast<long long>(times.back()));
  EXPECT_LT(times.back(), 60'000);
}

}  // namespace
}  // namespace tcpip::sim
