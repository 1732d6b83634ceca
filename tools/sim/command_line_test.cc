#include "tools/sim/command_line.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tcpip/base/time.h"
#include "tcpip/base/units.h"

namespace tcpip::sim {
namespace {

using emulator::PathConfig;
using testing::HasSubstr;

CommandLine Parsed(const std::vector<std::string>& args) {
  const auto line = ParseCommandLine(args, 4);
  EXPECT_TRUE(line.ok()) << line.status();
  return line.ok() ? *line : CommandLine{};
}

std::string Refusal(const std::vector<std::string>& args) {
  const auto line = ParseCommandLine(args, 4);
  return line.ok() ? "accepted" : std::string(line.status().message());
}

TEST(ParseCommandLine, HasAUsualForEverything) {
  const CommandLine line = Parsed({});
  EXPECT_EQ(line.scenario.app, AppKind::kBulk);
  EXPECT_EQ(line.scenario.bytes, 5'000'000u);
  EXPECT_EQ(line.scenario.link.mtu, 1500u);
  const PathConfig& there = line.scenario.link.there;
  EXPECT_EQ(there.rate, Bandwidth::MegabitsPerSecond(100));
  EXPECT_EQ(there.delay, Duration::Milliseconds(15));
  EXPECT_EQ(there.loss, 0u);
  EXPECT_EQ(there.queue_bytes, 375'000u);  // 30 ms at 100 Mbit/s
  EXPECT_EQ(line.first_seed, 1u);
  EXPECT_EQ(line.seeds, 10u);
  EXPECT_EQ(line.jobs, 4u);
  EXPECT_EQ(line.scenario_flags, "");
}

TEST(ParseCommandLine, MakesAPathOfFlags) {
  const CommandLine line =
      Parsed({"--rtt", "100ms", "--rate=10Mbps", "--loss", "1%", "--ack-loss",
              "0.5%", "--jitter", "5ms", "--reorder", "--hold", "3%/30ms",
              "--duplicate", "0.1%", "--queue", "20p", "--mss", "1128"});
  const PathConfig& there = line.scenario.link.there;
  EXPECT_EQ(there.rate, Bandwidth::MegabitsPerSecond(10));
  EXPECT_EQ(there.delay, Duration::Milliseconds(50));
  EXPECT_EQ(there.loss, 10'000u);
  EXPECT_EQ(line.scenario.link.back.loss, 5'000u);
  EXPECT_EQ(there.jitter, Duration::Milliseconds(5));
  EXPECT_TRUE(there.reorder);
  EXPECT_EQ(there.hold, 30'000u);
  EXPECT_EQ(there.hold_for, Duration::Milliseconds(30));
  EXPECT_EQ(there.duplicate, 1'000u);
  EXPECT_EQ(there.queue_packets, 20u);
  EXPECT_EQ(there.queue_bytes, PathConfig::kUnlimited);
  EXPECT_EQ(line.scenario.link.mtu, 1168u);
}

TEST(ParseCommandLine, TakesAPathInWordsInsteadOfFlags) {
  const CommandLine line =
      Parsed({"--loss", "1%", "--back", "delay 5ms, corrupt 0.1%"});
  EXPECT_EQ(line.scenario.link.there.loss, 10'000u);
  EXPECT_EQ(line.scenario.link.back.loss, 0u);
  EXPECT_EQ(line.scenario.link.back.corrupt, 1'000u);
  EXPECT_THAT(line.path, HasSubstr("back: delay 5ms, corrupt 0.1%; MSS 1460"));
  EXPECT_THAT(Parsed({"--back", ""}).path, HasSubstr("; back: as it is; MSS"));
  EXPECT_THAT(line.scenario_flags,
              HasSubstr("--back \"delay 5ms, corrupt 0.1%\""));
  EXPECT_THAT(Refusal({"--there", "delay 5ms, speed 5"}),
              HasSubstr("--there: \"speed 5\": a path is made of rate"));
}

TEST(ParseCommandLine, MakesHostsOfFlags) {
  const CommandLine line =
      Parsed({"--app", "on-off", "--burst", "20KB/50ms", "--bytes", "1MiB",
              "--delayed-ack", "40ms", "--buffers", "64KiB", "--offload",
              "--limit", "20s", "--congestion", "reno"});
  EXPECT_EQ(line.scenario.app, AppKind::kOnOff);
  EXPECT_EQ(line.scenario.burst_bytes, 20'000u);
  EXPECT_EQ(line.scenario.burst_interval, Duration::Milliseconds(50));
  EXPECT_EQ(line.scenario.bytes, 1u << 20);
  EXPECT_EQ(line.scenario.stack.tcp.delayed_ack, Duration::Milliseconds(40));
  EXPECT_EQ(line.scenario.settings.send_buffer_bytes, 64u << 10);
  EXPECT_EQ(line.scenario.settings.receive_buffer_bytes, 64u << 10);
  EXPECT_TRUE(line.scenario.link.offload);
  EXPECT_EQ(line.scenario.limit, Duration::Seconds(20));
}

TEST(ParseCommandLine, KnowsWhatHasToBeGivenAgain) {
  const CommandLine line =
      Parsed({"--seed", "7", "--rtt", "100ms", "--seeds=50", "--verbose",
              "--offload", "--jobs", "2", "--plot", "a.svg", "--loss=1%"});
  EXPECT_EQ(line.scenario_flags, "--rtt 100ms --offload --loss 1% ");
  EXPECT_EQ(line.first_seed, 7u);
  EXPECT_EQ(line.seeds, 50u);
  EXPECT_EQ(line.jobs, 2u);
  EXPECT_EQ(line.plot, "a.svg");
  EXPECT_TRUE(line.verbose);
}

TEST(ParseCommandLine, DescribesTheScenarioInItsOwnWords) {
  const CommandLine usual = Parsed({});
  EXPECT_EQ(usual.task, "bulk of 5MB");
  EXPECT_EQ(usual.path,
            "100Mbps, RTT 30ms, loss 0% each way, queue 375KB; MSS 1460, reno");
  const CommandLine other =
      Parsed({"--app", "slow-reader", "--read", "1KB/5ms", "--jitter", "2ms",
              "--reorder", "--ack-loss", "20%", "--queue", "50p"});
  EXPECT_EQ(other.task, "slow-reader of 5MB, 1KB/5ms");
  EXPECT_EQ(other.path,
            "100Mbps, RTT 30ms, loss 0% there and 20% back, jitter 2ms that "
            "reorders, queue 50p; MSS 1460, reno");
}

TEST(ParseCommandLine, SaysWhatAValueMayBe) {
  EXPECT_EQ(Refusal({"--loss", "abc"}),
            "--loss is SHARE, such as 1% or 0.05%, not \"abc\"");
  EXPECT_EQ(Refusal({"--loss", "101%"}),
            "--loss is SHARE, such as 1% or 0.05%, not \"101%\"");
  EXPECT_EQ(Refusal({"--app", "ftp"}),
            "--app is bulk|echo|request|slow-reader|on-off, not \"ftp\"");
  EXPECT_EQ(Refusal({"--congestion", "vegas"}),
            "--congestion is reno, not \"vegas\"");
  EXPECT_EQ(Refusal({"--lose", "1%"}),
            "there is no flag --lose; --help lists them");
  EXPECT_EQ(Refusal({"5MB"}), "there is no flag 5MB; --help lists them");
}

TEST(ParseCommandLine, ASwitchTakesNoValue) {
  EXPECT_EQ(Refusal({"--reorder=no"}), "--reorder takes no value");
}

TEST(ParseCommandLine, RefusesWhatWouldMeanNothing) {
  EXPECT_EQ(Refusal({"--reorder"}), "--reorder means nothing without --jitter");
  EXPECT_EQ(Refusal({"--reorder", "--jitter", "0ms"}),
            "--reorder means nothing without --jitter");
  EXPECT_EQ(Refusal({"--queue", "9p", "--rate", "0Mbps"}),
            "--queue means nothing without a --rate");
  EXPECT_EQ(Refusal({"--ack-loss", "1%", "--back", "delay 5ms"}),
            "--ack-loss means nothing beside --back");
  EXPECT_EQ(Refusal({"--rtt", "9ms", "--back", "delay 5ms"}), "accepted");
  EXPECT_EQ(Refusal({"--turn", "1B/1KB"}),
            "--turn means nothing without --app request");
  EXPECT_EQ(Refusal({"--turn", "1B/1KB", "--app", "bulk"}),
            "--turn means nothing without --app request");
  EXPECT_EQ(Refusal({"--app", "request", "--turn", "1B/1KB"}), "accepted");
  EXPECT_EQ(Refusal({"--app", "slow-reader", "--read", "1B/1ms"}), "accepted");
  EXPECT_EQ(Refusal({"--burst", "1B/1ms"}),
            "--burst means nothing without --app on-off");
  EXPECT_EQ(
      Refusal({"--there", "delay 5ms", "--back", "delay 5ms", "--rtt", "9ms"}),
      "--rtt means nothing beside --there and --back");
}

TEST(ParseCommandLine, APathWithoutRateHasNoQueue) {
  EXPECT_EQ(Parsed({"--rate", "0Mbps"}).path,
            "any rate, RTT 30ms, loss 0% each way; MSS 1460, reno");
}

TEST(ParseCommandLine, RefusesWhatCannotBe) {
  const std::vector<std::string> kWrong[] = {
      {"--seeds", "0"},
      {"--jobs", "0"},
      {"--mss", "47"},
      {"--mss", "65496"},
      {"--queue", "0p"},
      {"--queue", "5GB"},
      {"--burst", "1KB/0ms"},
      {"--burst", "1KB"},
      {"--turn", "100B"},
      {"--turn", "0B/1B"},
      {"--bytes", "0B"},
      {"--plot"},
      {"--rtt"},
      {"--seed", "-1"},
      {"--bytes", "2000000MB"},
      {"--rate", "100"},
      {"--rtt", "3601s"},
      {"--jitter", "3601s"},
      {"--delayed-ack", "3601s"},
      {"--hold", "1%/3601s"},
      {"--burst", "1KB/3601s"},
      {"--limit", "0s"},
      {"--limit", "1000001s"},
  };
  for (const auto& args : kWrong) {
    EXPECT_THAT(Refusal(args), HasSubstr(args[0] + " is ")) << args.back();
  }
}

TEST(Usage, TellsEveryFlagWithItsUsualValue) {
  EXPECT_THAT(Usage(), HasSubstr("  --rate RATE, such as 100Mbps or 1.5Gbps\n"
                                 "      of the bottleneck, each way; 0Mbps: "
                                 "there is none; 100Mbps unless given\n"));
}

}  // namespace
}  // namespace tcpip::sim
