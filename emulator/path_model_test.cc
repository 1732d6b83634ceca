#include "emulator/path_model.h"

#include <algorithm>
#include <optional>
#include <utility>
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

TEST(PathModel, LosesInRunsWhenToldTo) {
  PathModel path({.burst = {.enter = Percent(1), .leave = Percent(25)}}, 3);
  int runs = 0;
  bool before = false;
  for (const PathVerdict& v : OfferMany(path, 100'000, Us(1))) {
    const bool lost = v.drop == PathDrop::kBurst;
    runs += lost && !before;
    before = lost;
  }
  // 1/26 of all, in runs of four; six deviations.
  const auto lost = double(path.counters().Dropped(PathDrop::kBurst));
  EXPECT_NEAR(lost, 3846, 1000);
  EXPECT_NEAR(lost / runs, 4.0, 0.7);
}

TEST(PathModel, PolicesWithoutAQueue) {
  PathModel path({.delay = Ms(5),
                  .police = {.rate = Bandwidth::MegabitsPerSecond(12),
                             .burst_bytes = 15'000}},
                 1);
  const auto verdicts = OfferMany(path, 2000, Us(500));  // twice the rate
  for (int i = 0; i < 2000; ++i) {
    if (verdicts[i].copies == 0) continue;
    EXPECT_EQ(verdicts[i].arrivals[0], kStart + Us(500) * i + Ms(5));
  }
  EXPECT_NEAR(double(path.counters().Dropped(PathDrop::kPoliced)), 990, 2);
}

constexpr OfferedPacket kEct0 = {.bytes = 1500, .has_data = true, .ecn = 2};
constexpr OfferedPacket kEct1 = {.bytes = 1500, .has_data = true, .ecn = 1};
constexpr OfferedPacket kCe = {.bytes = 1500, .has_data = true, .ecn = 3};

// [RFC 3168 5] only packets of a transport that understands it are marked
TEST(PathModel, MarksWhenTheQueueIsDeeperThanTold) {
  const PathConfig by_time = {.rate = Bandwidth::MegabitsPerSecond(12),
                              .mark_wait = Ms(2)};
  const PathConfig by_bytes = {.rate = Bandwidth::MegabitsPerSecond(12),
                               .mark_bytes = 3000};
  for (const PathConfig& config : {by_time, by_bytes}) {
    PathModel path(config, 1);
    // Two may wait before one that is not marked.
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(path.Offer(kEct0, kStart).mark_ce);
    EXPECT_TRUE(path.Offer(kEct0, kStart).mark_ce);
    EXPECT_TRUE(path.Offer(kEct1, kStart).mark_ce);
    EXPECT_FALSE(path.Offer(kData, kStart).mark_ce);  // Not-ECT
    EXPECT_FALSE(path.Offer(kCe, kStart).mark_ce);    // is marked already
    EXPECT_EQ(path.counters().marked, 2u);
    EXPECT_EQ(path.counters().delivered, 7u);
    // The queue has drained to two.
    EXPECT_FALSE(path.Offer(kEct0, kStart + Ms(5)).mark_ce);
  }
}

TEST(PathModel, MarksNothingUnlessTold) {
  PathModel path({.rate = Bandwidth::MegabitsPerSecond(12)}, 1);
  OfferMany(path, 100, Duration::Zero(), kEct0);
  EXPECT_EQ(path.counters().marked, 0u);
}

TEST(PathModel, CorruptsOneBitAboutAsOftenAsToldAnywhereInThePacket) {
  PathModel path({.corrupt = Percent(2)}, 3);
  int corrupt = 0;
  uint32_t least = kData.bytes * 8;
  uint32_t most = 0;
  for (const PathVerdict& v : OfferMany(path, 100'000, Us(1))) {
    EXPECT_EQ(v.copies, 1);
    if (!v.corrupt_bit) continue;
    ++corrupt;
    least = std::min(least, *v.corrupt_bit);
    most = std::max(most, *v.corrupt_bit);
  }
  EXPECT_NEAR(corrupt, 2000, 266);  // six standard deviations
  EXPECT_EQ(path.counters().corrupted, static_cast<uint64_t>(corrupt));
  // That 2000 draws all miss a hundredth at an end: 2 in a billion.
  EXPECT_LT(least, kData.bytes * 8 / 100);
  EXPECT_GE(most, kData.bytes * 8 / 100 * 99);
  EXPECT_LT(most, kData.bytes * 8);
}

TEST(PathModel, DropsFragmentsButTheFirst) {
  const OfferedPacket later = {.bytes = 900, .is_later_fragment = true};
  PathModel path({.drop_fragments = true}, 1);
  EXPECT_EQ(path.Offer(kData, kStart).drop, PathDrop::kNone);
  EXPECT_EQ(path.Offer(later, kStart).drop, PathDrop::kFragment);
  EXPECT_EQ(PathModel({}, 1).Offer(later, kStart).drop, PathDrop::kNone);
}

std::vector<int64_t> Trace(PathConfig config, uint64_t seed) {
  PathModel path(std::move(config), seed);
  std::vector<int64_t> trace;
  for (const PathVerdict& v : OfferMany(path, 2000, Us(50))) {
    trace.push_back(static_cast<int64_t>(v.drop));
    trace.push_back(v.corrupt_bit ? int64_t{*v.corrupt_bit} : -1);
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
                             .burst = {.enter = Percent(1)},
                             .duplicate = Percent(1),
                             .corrupt = Percent(1),
                             .hold = Percent(1),
                             .hold_for = Ms(20)};
  EXPECT_EQ(Trace(config, 1), Trace(config, 1));
  EXPECT_NE(Trace(config, 1), Trace(config, 2));
}

// What chance did to each packet that was not dropped for another reason.
struct Fate {
  PathDrop loss;
  bool duplicated;
  bool held;
  Duration jitter;
  std::optional<uint32_t> corrupt_bit;
};

std::vector<Fate> Fates(const PathConfig& config) {
  PathModel path(config, 9);
  std::vector<Fate> fates;
  const auto verdicts = OfferMany(path, 3000, Us(50));
  for (int i = 0; i < 3000; ++i) {
    const PathVerdict& v = verdicts[i];
    const Duration late = v.arrivals[0] - (kStart + Us(50) * i);
    const bool held = v.copies > 0 && late >= Ms(100);
    fates.push_back({v.drop, v.copies == 2, held, held ? late - Ms(100) : late,
                     v.corrupt_bit});
  }
  return fates;
}

TEST(PathModel, NoImpairmentDisturbsAnother) {
  const PathConfig all = {.jitter = Ms(3),
                          .reorder = true,
                          .loss = Percent(5),
                          .burst = {.enter = Percent(2), .leave = Percent(20)},
                          .duplicate = Percent(20),
                          .corrupt = Percent(10),
                          .hold = Percent(20),
                          .hold_for = Ms(100)};
  const std::vector<Fate> together = Fates(all);
  const std::vector<Fate> loss = Fates({.loss = all.loss});
  const std::vector<Fate> burst = Fates({.burst = all.burst});
  const std::vector<Fate> duplicate = Fates({.duplicate = all.duplicate});
  const std::vector<Fate> corrupt = Fates({.corrupt = all.corrupt});
  const std::vector<Fate> hold =
      Fates({.hold = all.hold, .hold_for = all.hold_for});
  const std::vector<Fate> jitter =
      Fates({.jitter = all.jitter, .reorder = true});
  for (int i = 0; i < 3000; ++i) {
    // A packet both would lose counts for one of them.
    const PathDrop alone =
        loss[i].loss != PathDrop::kNone ? loss[i].loss : burst[i].loss;
    ASSERT_EQ(together[i].loss, alone) << i;
    if (alone != PathDrop::kNone) continue;
    ASSERT_EQ(together[i].duplicated, duplicate[i].duplicated) << i;
    ASSERT_EQ(together[i].corrupt_bit, corrupt[i].corrupt_bit) << i;
    ASSERT_EQ(together[i].held, hold[i].held) << i;
    ASSERT_EQ(together[i].jitter, jitter[i].jitter) << i;
  }
}

TEST(PathModel, NeighbouringSeedsShareNoStream) {
  // Were one model's loss another's duplication, they would agree.
  PathModel losing({.loss = Percent(50)}, 2);
  PathModel doubling({.duplicate = Percent(50)}, 1);
  const auto lost = OfferMany(losing, 1000, Us(1));
  const auto doubled = OfferMany(doubling, 1000, Us(1));
  int agree = 0;
  for (int i = 0; i < 1000; ++i) {
    agree += (lost[i].copies == 0) == (doubled[i].copies == 2);
  }
  EXPECT_NEAR(agree, 500, 95);  // six standard deviations
}

}  // namespace
}  // namespace emulator
