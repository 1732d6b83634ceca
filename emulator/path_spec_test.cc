#include "emulator/path_spec.h"

#include <string>

#include "gtest/gtest.h"

namespace emulator {
namespace {

using tcpip::Bandwidth;
using tcpip::Duration;
using tcpip::Instant;

Duration Ms(int64_t n) { return Duration::Milliseconds(n); }

PathConfig Parsed(const std::string& text) {
  const absl::StatusOr<PathConfig> config = ParsePathSpec(text);
  EXPECT_TRUE(config.ok()) << config.status();
  return config.ok() ? *config : PathConfig();
}

constexpr Bandwidth kRate = Bandwidth::MegabitsPerSecond(8);

// Every word, as ToText writes it, and what it means.
TEST(PathSpec, EveryWordIsReadAndWrittenTheSame) {
  const struct {
    const char* text;
    PathConfig config;
  } cases[] = {
      {"", {}},
      {"rate 100Mbit/s", {.rate = Bandwidth::MegabitsPerSecond(100)}},
      {"delay 50ms", {.delay = Ms(50)}},
      {"jitter 7.5ms", {.jitter = Duration::Microseconds(7500)}},
      {"jitter 1ms, reorder", {.jitter = Ms(1), .reorder = true}},
      {"loss 1%", {.loss = Percent(1)}},
      {"burst 0.1%/20%", {.burst = {.enter = 1000, .leave = Percent(20)}}},
      {"burst 1%/20%/50%",
       {.burst = {Percent(1), Percent(20), Percent(50), 0}}},
      {"burst 1%/20%/100%/2%",
       {.burst = {Percent(1), Percent(20), kPerMillion, Percent(2)}}},
      {"rate 8Mbit/s, queue 64KiB", {.rate = kRate, .queue_bytes = 64 << 10}},
      {"rate 8Mbit/s, queue 100packets", {.rate = kRate, .queue_packets = 100}},
      {"rate 8Mbit/s, queue 64KiB 100packets",
       {.rate = kRate, .queue_bytes = 64 << 10, .queue_packets = 100}},
      {"rate 8Mbit/s, mark 5ms", {.rate = kRate, .mark_wait = Ms(5)}},
      {"rate 8Mbit/s, mark 0ns", {.rate = kRate, .mark_wait = Ms(0)}},
      {"rate 8Mbit/s, mark 30KiB", {.rate = kRate, .mark_bytes = 30 << 10}},
      {"rate 8Mbit/s, mark 5ms 30KiB",
       {.rate = kRate, .mark_wait = Ms(5), .mark_bytes = 30 << 10}},
      {"police 10Mbit/s 64KiB",
       {.police = {Bandwidth::MegabitsPerSecond(10), 64 << 10}}},
      {"hold 3% 30ms", {.hold = Percent(3), .hold_for = Ms(30)}},
      {"duplicate 0.1%", {.duplicate = 1000}},
      {"corrupt 0.01%", {.corrupt = 100}},
      {"mtu 1500", {.max_packet_bytes = 1500}},
      {"drop-fragments", {.drop_fragments = true}},
      {"lose 3 7 9", {.lose_packets = {3, 7, 9}}},
      {"lose-data 1", {.lose_data = {1}}},
      {"outage 2s-3.5s 9s-10s",
       {.outages = {{Instant() + Ms(2000), Instant() + Ms(3500)},
                    {Instant() + Ms(9000), Instant() + Ms(10'000)}}}},
      {"rate 1.5Mbit/s, delay 50ms, loss 0.5%, queue 15000B, hold 1% 3us",
       {.rate = Bandwidth::BitsPerSecond(1'500'000),
        .delay = Ms(50),
        .queue_bytes = 15'000,
        .loss = 5000,
        .hold = Percent(1),
        .hold_for = Duration::Microseconds(3)}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ToText(c.config), c.text);
    EXPECT_EQ(Parsed(c.text), c.config) << c.text;
  }
}

TEST(PathSpec, SpaceAndOrderDoNotMatter) {
  EXPECT_EQ(Parsed("  delay   50ms ,rate 8Mbps"),
            Parsed("rate 8000kbit/s, delay 0.05s"));
}

TEST(PathSpec, AChanceOfZeroSaysNothing) {
  for (const char* text : {"loss 0%", "burst 0%/20%", "hold 0% 30ms",
                           "duplicate 0%", "corrupt 0.0%"}) {
    EXPECT_EQ(Parsed(text), PathConfig()) << text;
  }
}

TEST(PathSpec, AnErrorNamesTheWordAndShowsHowItIsWritten) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"delay 50ms, loss 1",
       R"("loss 1": write it like "loss 1%", from 0% to 100%)"},
      {"rate", R"("rate": write it like "rate 100Mbit/s", from 1kbit/s on)"},
      {"reorder yes", R"("reorder yes": write it like "reorder")"},
      {"mtu 0", R"("mtu 0": write it like "mtu 1500", from 68 to 65535)"},
      {"lose 3 3",
       R"("lose 3 3": write it like "lose 3 7 9", ascending, from 1 on)"},
      {"mark 0ms x", R"("mark 0ms x": write it like "mark 5ms 64KiB", one )"
                     R"(limit or both, the time up to 3600s)"},
      {"delay 1ms,",
       R"("delay 1ms,": there is nothing before or behind a comma)"},
      {"delay 1ms, delay 2ms", R"("delay 2ms": was said before)"},
      {"latency 5ms",
       "\"latency 5ms\": a path is made of rate, delay, jitter, reorder, loss, "
       "burst, queue, mark, police, hold, duplicate, corrupt, mtu, "
       "drop-fragments, lose, lose-data, outage"},
  };
  for (const auto& c : cases) {
    const absl::StatusOr<PathConfig> config = ParsePathSpec(c.text);
    EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(config.status().message(), c.message);
  }
}

TEST(PathSpec, RefusesWordsThatMeanNothingBesideTheOthers) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"queue 64KiB", R"("queue": means nothing without "rate")"},
      {"mark 0ms", R"("mark": means nothing without "rate")"},
      {"reorder", R"("reorder": means nothing without "jitter")"},
      {"jitter 0ms, reorder", R"("reorder": means nothing without "jitter")"},
      {"rate 8Mbit/s, queue 1499B",
       R"("queue": a limit below one packet, here 1500B, lets none pass)"},
      {"police 8Mbit/s 1KiB",
       R"("police": a burst below one packet, here 1500B, lets none pass)"},
      {"police 8Mbit/s 575B, mtu 576",
       R"("police": a burst below one packet, here 576B, lets none pass)"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ParsePathSpec(c.text).status().message(), c.message);
  }
  EXPECT_TRUE(ParsePathSpec("police 8Mbit/s 576B, mtu 576").ok());
  EXPECT_TRUE(ParsePathSpec("rate 8Mbit/s, queue 1500B").ok());
}

TEST(PathSpec, OutagesCountFromTheStart) {
  const Instant start = Instant::FromNanoseconds(77);
  EXPECT_EQ(StartingAt(Parsed("outage 1s-2s"), start).outages,
            (std::vector<Outage>{{start + Ms(1000), start + Ms(2000)}}));
}

TEST(PathSpec, ReadsADuration) {
  EXPECT_EQ(ParseDuration("1.5s").value(), Ms(1500));
  EXPECT_EQ(ParseDuration("soon").status().message(),
            "\"soon\": write it like \"7.5ms\"");
}

}  // namespace
}  // namespace emulator
