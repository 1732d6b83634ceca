#include "tcpip/testing/simulation.h"

#include <string>

#include "gtest/gtest.h"

namespace tcpip::sim {
namespace {

Duration Ms(int64_t n) { return Duration::Milliseconds(n); }

TEST(Simulation, RunsEventsByTimeAndThenInTheOrderTheyWereAdded) {
  Simulation sim(1);
  std::string order;
  const Instant start = sim.now();
  sim.At(start + Ms(2), [&] { order += 'c'; });
  sim.At(start + Ms(1), [&] { order += 'a'; });
  sim.At(start + Ms(2), [&] { order += 'd'; });
  sim.At(start + Ms(1), [&] {
    order += 'b';
    sim.At(sim.now() + Ms(1), [&] { order += 'e'; });
  });
  sim.RunFor(Ms(10));
  EXPECT_EQ(order, "abcde");
  EXPECT_EQ(sim.elapsed(), Ms(10));
  EXPECT_EQ(sim.events_run(), 5u);
}

TEST(Simulation, RunForStopsAtItsEnd) {
  Simulation sim(1);
  int runs = 0;
  sim.At(sim.now() + Ms(5), [&] { ++runs; });
  sim.At(sim.now() + Ms(6), [&] { ++runs; });
  sim.RunFor(Ms(5));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(sim.elapsed(), Ms(5));
}

TEST(Simulation, RunUntilSaysWhetherItHappened) {
  Simulation sim(1);
  bool happened = false;
  sim.At(sim.now() + Ms(5), [&] { happened = true; });
  const auto done = [&] { return happened; };
  EXPECT_FALSE(sim.RunUntil(done, Ms(4)));
  EXPECT_TRUE(sim.RunUntil(done, Ms(4)));
  EXPECT_EQ(sim.elapsed(), Ms(5));
  EXPECT_FALSE(sim.RunUntil([] { return false; }, Ms(1000)));
}

TEST(Simulation, EventsInThePastRunNowAndThoseAtNeverDoNot) {
  Simulation sim(1);
  int runs = 0;
  sim.RunFor(Ms(10));
  sim.At(sim.now() - Ms(5), [&] { ++runs; });
  sim.At(Instant::Never(), [&] { ++runs; });
  sim.RunFor(Ms(0));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(sim.elapsed(), Ms(10));
}

TEST(Simulation, AViolationStopsTheRunAndNamesTimeAndSeed) {
  Simulation sim(77);
  int runs = 0;
  sim.At(sim.now() + Ms(3), [&] { sim.Violation("the rule"); });
  sim.At(sim.now() + Ms(4), [&] { ++runs; });
  EXPECT_FALSE(sim.RunUntil([&] { return runs > 0; }, Ms(10)));
  ASSERT_EQ(sim.violations().size(), 1u);
  EXPECT_EQ(sim.violations()[0], "seed 77 at 3000 us: the rule");
}

TEST(Simulation, AnEndlessInstantIsAViolation) {
  Simulation sim(1);
  struct Loop {
    Simulation& sim;
    void operator()() const { sim.At(sim.now(), Loop{sim}); }
  };
  sim.At(sim.now(), Loop{sim});
  EXPECT_FALSE(sim.RunUntil([] { return false; }, Ms(1)));
  EXPECT_EQ(sim.violations().size(), 1u);
}

TEST(Simulation, TheSeedDecidesWhatPartsDraw) {
  Simulation a(5);
  Simulation b(5);
  Simulation c(6);
  const uint64_t first = a.NextSeed();
  EXPECT_EQ(first, b.NextSeed());
  EXPECT_NE(first, c.NextSeed());
  EXPECT_NE(first, a.NextSeed());
}

}  // namespace
}  // namespace tcpip::sim
