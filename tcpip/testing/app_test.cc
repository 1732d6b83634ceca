#include "tcpip/testing/app.h"

#include <memory>

#include "gtest/gtest.h"
#include "tcpip/testing/sim_host.h"
#include "tcpip/testing/topology.h"
#include "tcpip/wire/address.h"

namespace tcpip::sim {
namespace {

const IpEndpoint kServer = TwoHosts::Endpoint(kSecond, IpFamily::kIpv4, 80);

// A talker against the app that `serve` makes; runs until the talker is done.
class Apps : public testing::Test {
 protected:
  Talker& Run(const TalkPlan& plan, SimHost::AppFactory serve,
              Duration limit = Duration::Seconds(60)) {
    net_.second.Listen({.local = kServer}, std::move(serve));
    Talker& talker =
        net_.first.Connect({.remote = kServer}, std::make_unique<Talker>(plan));
    net_.simulation.RunUntil([&] { return talker.done(); }, limit);
    EXPECT_EQ(net_.Violations(), "");
    return talker;
  }

  TwoHosts net_{1,
                {.there = {.delay = Duration::Milliseconds(1)},
                 .back = {.delay = Duration::Milliseconds(1)}}};
};

TEST_F(Apps, TalkerSucceedsWhenBothPatternsArrive) {
  Talker& talker = Run(
      {.send_bytes = 100'000, .expect_bytes = 5'000, .expect_pattern = 4}, [] {
        return std::make_unique<Talker>(TalkPlan{.send_bytes = 5'000,
                                                 .send_pattern = 4,
                                                 .expect_bytes = 100'000,
                                                 .expect_pattern = 1});
      });
  EXPECT_TRUE(talker.succeeded()) << talker.Problem();
}

TEST_F(Apps, TalkerSeesWrongBytes) {
  Talker& talker = Run({.expect_bytes = 1000, .expect_pattern = 4}, [] {
    return std::make_unique<Talker>(
        TalkPlan{.send_bytes = 1000, .send_pattern = 5});
  });
  EXPECT_EQ(talker.Problem(), "bytes are wrong; ");
}

TEST_F(Apps, AProblemIsToldWithWhoHasIt) {
  EXPECT_EQ(ProblemOf("server", nullptr), "server: no connection; ");
  Talker& talker = Run({.expect_bytes = 1001, .expect_pattern = 4}, [] {
    return std::make_unique<Talker>(
        TalkPlan{.send_bytes = 1000, .send_pattern = 4});
  });
  EXPECT_EQ(ProblemOf("client", &talker), "client: received 1000 of 1001; ");
}

TEST_F(Apps, AnAppWithoutProblemIsNotToldOf) {
  Talker& talker = Run({.send_bytes = 10}, [] {
    return std::make_unique<Talker>(
        TalkPlan{.expect_bytes = 10, .expect_pattern = 1});
  });
  EXPECT_EQ(ProblemOf("client", &talker), "");
}

TEST_F(Apps, TalkerSeesBytesMissing) {
  Talker& talker = Run({.expect_bytes = 1001, .expect_pattern = 4}, [] {
    return std::make_unique<Talker>(
        TalkPlan{.send_bytes = 1000, .send_pattern = 4});
  });
  EXPECT_EQ(talker.Problem(), "received 1000 of 1001; ");
  EXPECT_FALSE(talker.succeeded());
}

TEST_F(Apps, ASlowReaderTakesItsTime) {
  Talker& talker = Run({.expect_bytes = 10'000,
                        .expect_pattern = 4,
                        .read_bytes = 1000,
                        .read_interval = Duration::Milliseconds(100),
                        .read_after = Duration::Milliseconds(500)},
                       [] {
                         return std::make_unique<Talker>(
                             TalkPlan{.send_bytes = 10'000, .send_pattern = 4});
                       });
  EXPECT_EQ(talker.Problem(), "");
  EXPECT_EQ(talker.last_received_at() - VirtualClock::kStart,
            Duration::Milliseconds(500 + 10 * 100));
}

TEST_F(Apps, AnOnOffSourceIsSilentBetweenItsBursts) {
  Talker* reader = nullptr;
  net_.second.Listen({.local = kServer}, [&] {
    auto talker = std::make_unique<Talker>(
        TalkPlan{.fin_after_peer = true, .expect_bytes = 25'000});
    reader = talker.get();
    return talker;
  });
  Talker& source = net_.first.Connect(
      {.remote = kServer}, std::make_unique<Talker>(TalkPlan{
                               .send_bytes = 25'000,
                               .send_pattern = 2,
                               .write_bytes = 10'000,
                               .write_interval = Duration::Milliseconds(100)}));
  for (const uint64_t want : {10'000, 20'000}) {
    net_.simulation.RunFor(Duration::Milliseconds(50));
    EXPECT_EQ(reader->received(), want);
    net_.simulation.RunFor(Duration::Milliseconds(49));
    EXPECT_EQ(reader->received(), want);
    net_.simulation.RunFor(Duration::Milliseconds(1));
  }
  net_.simulation.RunUntil([&] { return source.done(); }, Duration::Seconds(1));
  EXPECT_EQ(source.Problem() + reader->Problem() + net_.Violations(), "");
  EXPECT_LT(net_.simulation.elapsed(), Duration::Milliseconds(210));
}

// [req B-09] a full send buffer holds the echo up, and loses nothing
TEST_F(Apps, EchoWaitsForASlowReader) {
  constexpr uint64_t kBytes = 8'000'000;
  net_.second.Listen(
      {.local = kServer, .settings = {.send_buffer_bytes = 64 << 10}},
      [] { return std::make_unique<Echo>(); });
  Talker& talker = net_.first.Connect(
      {.remote = kServer}, std::make_unique<Talker>(TalkPlan{
                               .send_bytes = kBytes,
                               .send_pattern = 9,
                               .expect_bytes = kBytes,
                               .expect_pattern = 9,
                               .read_bytes = 40'000,
                               .read_interval = Duration::Milliseconds(5)}));
  net_.simulation.RunUntil([&] { return talker.done(); },
                           Duration::Seconds(60));
  EXPECT_EQ(talker.Problem() + net_.Violations(), "");
}

TEST_F(Apps, EchoReturnsEverythingAndThenTheFin) {
  Talker& talker = Run({.send_bytes = 50'000,
                        .send_pattern = 9,
                        .expect_bytes = 50'000,
                        .expect_pattern = 9},
                       [] { return std::make_unique<Echo>(); });
  EXPECT_EQ(talker.Problem(), "");
}

TEST_F(Apps, ARefusedConnectionIsAnError) {
  Talker& talker = net_.first.Connect({.remote = kServer},
                                      std::make_unique<Talker>(TalkPlan{}));
  net_.simulation.RunFor(Duration::Seconds(1));
  EXPECT_TRUE(talker.done());
  EXPECT_EQ(talker.error(), tcp::TcpError::kRefused);
  EXPECT_FALSE(talker.succeeded());
}

TEST_F(Apps, AskerTimesEveryTurn) {
  const TurnPlan plan = {
      .rounds = 5, .request_bytes = 3, .response_bytes = 5000};
  net_.second.Listen({.local = kServer},
                     [&] { return std::make_unique<Answerer>(plan); });
  Asker& asker =
      net_.first.Connect({.remote = kServer}, std::make_unique<Asker>(plan));
  net_.simulation.RunFor(Duration::Seconds(10));
  EXPECT_TRUE(asker.done());
  EXPECT_EQ(asker.error(), tcp::TcpError::kNone);
  ASSERT_EQ(asker.latencies().size(), 5u);
  for (const Duration latency : asker.latencies()) {
    EXPECT_GE(latency, Duration::Milliseconds(2));
    EXPECT_LE(latency, Duration::Milliseconds(6));
  }
}

}  // namespace
}  // namespace tcpip::sim
