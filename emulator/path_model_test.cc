#include "emulator/path_model.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

namespace emulator {
namespace {

using tcpip::Bandwidth;
using tcpip::Duration;
using tcpip::Instant;

constexpr Instant kStart = Instant::FromNanoseconds(5'000'000'000);
constexpr OfferedPacket kData = {.bytes = 1500, .has_data = true};
constexpr OfferedPacket kAck = {.bytes = 52, .has_data = false};

Duration Ms(int64_t n) { return Duration::Milliseconds(n); }
Duration Us(int64_t n) { return Duration::Microseconds(n); }

// Offers `count` packets `apart` and returns the verdicts.
std::vector<PathVerdict> OfferMany(PathModel& path, int count, Duration apart,
                                   OfferedPacket packet = kData) {
  std::vector<PathVerdict> verdicts;
  verdicts.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    verdicts.push_back(path.Offer(packet, kStart + apart * i));
  }
  return verdicts;
}

TEST(PathModel, AddsDelayAndNothingElseByDefault) {
  PathModel path({.delay = Ms(30)}, 1);
  for (int i = 0; i < 3; ++i) {
    const PathVerdict v = path.Offer(kData, kStart);
    EXPECT_EQ(v.drop, PathDrop::kNone);
    EXPECT_EQ(v.copies, 1);
    EXPECT_EQ(v.arrivals[0], kStart + Ms(30));
  }
  EXPECT_EQ(path.counters().offered, 3u);
  EXPECT_EQ(path.counters().delivered_bytes, 4500u);
}

TEST(PathModel, SerializesAtItsRate) {
  // 1500 bytes at 12 Mbit/s take a millisecond.
  PathModel path({.rate = Bandwidth::MegabitsPerSecond(12), .delay = Ms(10)},
                 1);
  EXPECT_EQ(path.Offer(kData, kStart).arrivals[0], kStart + Ms(11));
  EXPECT_EQ(path.Offer(kData, kStart).arrivals[0], kStart + Ms(12));
  EXPECT_EQ(path.IdleAt(), kStart + Ms(2));
  // After a pause it is idle again: nothing is saved up.
  EXPECT_EQ(path.Offer(kData, kStart + Ms(50)).arrivals[0], kStart + Ms(61));
}

TEST(PathModel, DropsTheTailWhenTheQueueIsFull) {
  PathModel bytes(
      {.rate = Bandwidth::MegabitsPerSecond(12), .queue_bytes = 3 * 1500}, 1);
  PathModel packets(
      {.rate = Bandwidth::MegabitsPerSecond(12), .queue_packets = 3}, 1);
  for (PathModel* path : {&bytes, &packets}) {
    const auto verdicts = OfferMany(*path, 5, Duration::Zero());
    EXPECT_EQ(verdicts[2].drop, PathDrop::kNone);
    EXPECT_EQ(verdicts[3].drop, PathDrop::kQueueFull);
    EXPECT_EQ(verdicts[3].copies, 0);
    EXPECT_EQ(path->counters().Dropped(PathDrop::kQueueFull), 2u);
    // One has left: there is room for one.
    EXPECT_EQ(path->Offer(kData, kStart + Ms(1)).drop, PathDrop::kNone);
    EXPECT_EQ(path->Offer(kData, kStart + Ms(1)).drop, PathDrop::kQueueFull);
  }
}

TEST(PathModel, AnIdleBottleneckTakesAPacketLargerThanItsQueue) {
  PathModel path(
      {.rate = Bandwidth::MegabitsPerSecond(12), .queue_bytes = 1000}, 1);
  EXPECT_EQ(path.Offer(kData, kStart).drop, PathDrop::kNone);
  EXPECT_EQ(path.Offer(kAck, kStart).drop, PathDrop::kQueueFull);
}

TEST(PathModel, JitterKeepsTheOrderUnlessToldOtherwise) {
  for (const bool reorder : {false, true}) {
    PathModel path({.delay = Ms(10), .jitter = Ms(5), .reorder = reorder}, 7);
    const auto verdicts = OfferMany(path, 1000, Us(100));
    bool in_order = true;
    Duration least = Ms(1000);
    Duration most = Duration::Zero();
    for (int i = 0; i < 1000; ++i) {
      const Instant arrival = verdicts[i].arrivals[0];
      const Duration took = arrival - (kStart + Us(100) * i);
      least = std::min(least, took);
      most = std::max(most, took);
      if (i > 0 && arrival < verdicts[i - 1].arrivals[0]) in_order = false;
    }
    EXPECT_EQ(in_order, !reorder);
    EXPECT_GE(least, Ms(10));
    EXPECT_LT(most, Ms(15));
    EXPECT_GT(most - least, Ms(1));  // keeping the order evens it out
  }
}

TEST(PathModel, LosesAtRandomAboutAsOftenAsTold) {
  PathModel path({.loss = Percent(2)}, 3);
  OfferMany(path, 100'000, Us(1));
  // Six standard deviations of a binomial distribution are about 266.
  EXPECT_NEAR(path.counters().Dropped(PathDrop::kRandom), 2000.0, 266.0);
}

TEST(PathModel, LosesWhatIsListed) {
  PathModel path({.lose_packets = {2}, .lose_data = {2, 3}}, 1);
  const OfferedPacket offers[] = {kAck, kAck, kData, kAck, kData, kData, kData};
  std::vector<bool> passed;
  for (const OfferedPacket& packet : offers) {
    passed.push_back(path.Offer(packet, kStart).copies == 1);
  }
  EXPECT_EQ(passed,
            (std::vector<bool>{true, false, true, true, false, false, true}));
  EXPECT_EQ(path.counters().Dropped(PathDrop::kListed), 3u);
}

TEST(PathModel, NothingPassesDuringAnOutage) {
  PathModel path({.outages = {{kStart + Ms(1), kStart + Ms(3)}}}, 1);
  const auto verdicts = OfferMany(path, 5, Ms(1));
  EXPECT_EQ(verdicts[0].drop, PathDrop::kNone);
  EXPECT_EQ(verdicts[1].drop, PathDrop::kOutage);
  EXPECT_EQ(verdicts[2].drop, PathDrop::kOutage);
  EXPECT_EQ(verdicts[3].drop, PathDrop::kNone);
}

TEST(PathModel, RefusesPacketsAboveItsSizeLimit) {
  PathModel path({.max_packet_bytes = 1280}, 1);
  EXPECT_EQ(path.Offer({.bytes = 1280}, kStart).drop, PathDrop::kNone);
  EXPECT_EQ(path.Offer({.bytes = 1281}, kStart).drop, PathDrop::kTooBig);
}

TEST(PathModel, DuplicatesArriveTwice) {
  PathModel path({.delay = Ms(1), .duplicate = Percent(100)}, 1);
  const PathVerdict v = path.Offer(kData, kStart);
  EXPECT_EQ(v.copies, 2);
  EXPECT_EQ(v.arrivals[0], kStart + Ms(1));
  EXPECT_EQ(v.arrivals[1], kStart + Ms(1));
  EXPECT_EQ(path.counters().delivered, 2u);
}

TEST(PathModel, HeldDataIsOvertakenAndAcknowledgmentsAreNeverHeld) {
  PathModel path({.delay = Ms(1), .hold = Percent(10), .hold_for = Ms(50)}, 5);
  int held = 0;
  for (const PathVerdict& v : OfferMany(path, 1000, Duration::Zero())) {
    EXPECT_TRUE(v.arrivals[0] == kStart + Ms(1) ||
                v.arrivals[0] == kStart + Ms(51));
    held += v.arrivals[0] == kStart + Ms(51);
  }
  EXPECT_NEAR(held, 100, 57);  // six standard deviations
  for (const PathVerdict& v : OfferMany(path, 1000, Duration::Zero(), kAck)) {
    EXPECT_EQ(v.arrivals[0], kStart + Ms(1));
  }
}

std::vector<int64_t> Trace(PathConfig config, uint64_t seed) {
  PathModel path(std::move(config), seed);
  std::vector<int64_t> trace;
  for (const PathVerdict& v : OfferMany(path, 2000, Us(50))) {
    trace.push_back(static_cast<int64_t>(v.drop));
    for (int i = 0; i < v.copies; ++i) {
      trace.push_back(v.arrivals[i].nanoseconds());
    }
  }
  return trace;
}

TEST(PathModel, TheSeedDecidesEverything) {
  const PathConfig config = {.rate = Bandwidth::MegabitsPerSecond(100),
                             .delay = Ms(10),
                             .jitter = Ms(3),
                             .reorder = true,
                             .queue_packets = 20,
                             .loss = Percent(3),
                             .duplicate = Percent(1),
                             .hold = Percent(1),
                             .hold_for = Ms(20)};
  EXPECT_EQ(Trace(config, 1), Trace(config, 1));
  EXPECT_NE(Trace(config, 1), Trace(config, 2));
}

TEST(PathModel, ImpairmentsDoNotDisturbEachOther) {
  const auto lost = [](const PathConfig& config) {
    PathModel path(config, 9);
    std::vector<bool> lost;
    for (const PathVerdict& v : OfferMany(path, 1000, Us(50))) {
      lost.push_back(v.drop == PathDrop::kRandom);
    }
    return lost;
  };
  EXPECT_EQ(lost({.loss = Percent(5)}), lost({.jitter = Ms(1),
                                              .loss = Percent(5),
                                              .duplicate = Percent(20),
                                              .hold = Percent(20)}));
}

}  // namespace
}  // namespace emulator
