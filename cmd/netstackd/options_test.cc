#include "cmd/netstackd/options.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace netstack {
namespace {

using Args = std::vector<std::string>;
using tcpip::Duration;

bool Says(const absl::Status& status, absl::string_view text) {
  return status.code() == absl::StatusCode::kInvalidArgument &&
         status.message().find(text) != absl::string_view::npos;
}

DaemonOptions Parse(const Args& args) {
  const auto options = ParseDaemonOptions(args);
  EXPECT_TRUE(options.ok()) << options.status();
  return options.ok() ? *options : DaemonOptions();
}

absl::Status Apply(const std::string& text) {
  DaemonOptions options;
  return ApplyConfigText("file.toml", text, options);
}

TEST(DaemonOptions, DefaultsAreThoseOfTheHelp) {
  const DaemonOptions options = Parse({});
  EXPECT_EQ(options.tun, "nst0");
  EXPECT_TRUE(options.tun_offload);
  EXPECT_EQ(options.listen, Args{"unix:///run/netstack/netstack.sock"});
  EXPECT_EQ(options.drain_timeout, Duration::Seconds(10));
  EXPECT_FALSE(options.check);
  const std::string help = DaemonHelp();
  for (const char* text : {"[nst0]", "[unix:///run/netstack/netstack.sock]",
                           "[10s]", "[65536]", "-c, --config FILE"}) {
    EXPECT_NE(help.find(text), std::string::npos) << text;
  }
}

TEST(DaemonOptions, EveryFlagIsTaken) {
  const DaemonOptions options = Parse({"--tun=nst%d",
                                       "--tun-fd",
                                       "5",
                                       "--tun-offload",
                                       "off",
                                       "--mtu",
                                       "1400",
                                       "--address",
                                       "10.0.0.2/24",
                                       "--address",
                                       "fd00::2/64",
                                       "--route",
                                       "10.0.0.0/8",
                                       "--any-address",
                                       "--any-source",
                                       "--listen",
                                       "unix:///tmp/s",
                                       "--listen",
                                       "tcp://127.0.0.1:7000",
                                       "--max-streams=9",
                                       "--max-memory=512M",
                                       "--drain-timeout",
                                       "500ms",
                                       "--log-level",
                                       "debug",
                                       "--pid-file",
                                       "/tmp/pid",
                                       "--ready-fd",
                                       "3",
                                       "--check"});
  EXPECT_EQ(options.tun, "nst%d");
  EXPECT_EQ(options.tun_fd, 5);
  EXPECT_FALSE(options.tun_offload);
  EXPECT_EQ(options.mtu, 1400u);
  EXPECT_EQ(options.address, (Args{"10.0.0.2/24", "fd00::2/64"}));
  EXPECT_EQ(options.route, Args{"10.0.0.0/8"});
  EXPECT_TRUE(options.any_address);
  EXPECT_TRUE(options.any_source);
  EXPECT_EQ(options.listen, (Args{"unix:///tmp/s", "tcp://127.0.0.1:7000"}));
  EXPECT_EQ(options.max_streams, 9u);
  EXPECT_EQ(options.max_memory, uint64_t{512} << 20);
  EXPECT_EQ(options.drain_timeout, Duration::Milliseconds(500));
  EXPECT_EQ(options.log_level, "debug");
  EXPECT_EQ(options.pid_file, "/tmp/pid");
  EXPECT_EQ(options.ready_fd, 3);
  EXPECT_TRUE(options.check);
}

TEST(DaemonOptions, ShardsNeedADeviceOfSeveralQueues) {
  EXPECT_EQ(Parse({}).shards, 1u);
  EXPECT_EQ(Parse({"--shards=2"}).shards, 2u);
}

TEST(DaemonOptions, SwitchTakesItsValueInThreeForms) {
  EXPECT_FALSE(Parse({"--tun-offload=off"}).tun_offload);
  EXPECT_FALSE(Parse({"--tun-offload", "off"}).tun_offload);
  EXPECT_TRUE(Parse({"--any-address"}).any_address);
  EXPECT_TRUE(Parse({"--any-address", "--check"}).any_address);
}

TEST(DaemonOptions, HelpAndVersion) {
  EXPECT_TRUE(Parse({"-h"}).help);
  EXPECT_TRUE(Parse({"--help"}).help);
  EXPECT_TRUE(Parse({"--version"}).version);
}

TEST(DaemonOptions, TimesHaveUnits) {
  const struct {
    const char* text;
    Duration want;
  } cases[] = {{"0", Duration::Zero()},
               {"7", Duration::Seconds(7)},
               {"7s", Duration::Seconds(7)},
               {"2m", Duration::Seconds(120)},
               {"1ms", Duration::Milliseconds(1)}};
  for (const auto& c : cases) {
    EXPECT_EQ(Parse({"--drain-timeout", c.text}).drain_timeout, c.want)
        << c.text;
  }
}

TEST(DaemonOptions, BadFlagsAreNamed) {
  const struct {
    Args args;
    const char* says;
  } cases[] = {
      {{"--tunn", "x"}, "--tunn: unknown flag"},
      {{"nst0"}, "nst0 is not a flag"},
      {{"--"}, "--: unknown flag"},
      {{"--tun"}, "--tun: needs a value"},
      {{"--config"}, "--config: needs a value"},
      {{"--check=off"}, "--check: takes no value"},
      {{"--tun", "a-name-too-long-for-a-device"},
       "--tun: tun device \"a-name-"},
      {{"--tun", "a b"}, "--tun: tun device \"a b\": not an interface name"},
      {{"--tun-fd", "-1"}, "--tun-fd: '-1' is not a number"},
      {{"--tun-offload=maybe"}, "--tun-offload: 'maybe' is not on or off"},
      {{"--mtu", "100"},
       "--mtu: '100' is not 0, for what the device has, or from 576"},
      {{"--mtu", "70000"}, "--mtu: '70000'"},
      {{"--address", "10.0.0"}, "--address: '10.0.0' is not an address"},
      {{"--route", "10.0.0.0/33"}, "--route: '10.0.0.0/33'"},
      {{"--listen", "/tmp/s"}, "--listen: '/tmp/s' is not unix:///PATH"},
      {{"--listen", "tcp://localhost"}, "--listen: 'tcp://localhost'"},
      {{"--max-streams", "0"}, "--max-streams: '0'"},
      {{"--max-memory", "1X"}, "--max-memory: '1X' is not a size"},
      {{"--shards", "0"}, "--shards: '0' is not a number from 1 to 64"},
      {{"--shards", "2", "--tun-fd", "5"}, "--shards: --tun-fd is one queue"},
      {{"--drain-timeout", "1h"}, "--drain-timeout: '1h' is not a time"},
      {{"--drain-timeout", "s"}, "--drain-timeout: 's' is not a time"},
      {{"--drain-timeout", "4000000000m"}, "at most a day"},
      {{"--log-level", "loud"}, "--log-level: 'loud' is not debug"},
      {{"--config", "/no/such/file"},
       "--config: cannot read '/no/such/file': ENOENT"},
      {{"--config", "/"}, "--config: cannot read '/': EISDIR"},
      {{"--config", "/dev/zero"}, "--config: '/dev/zero' is larger than"},
      {{"--mtu", "1000", "--address", "fd00::2/64"},
       "--mtu: 1000 is too small for the address fd00::2/64"},
  };
  for (const auto& c : cases) {
    const absl::Status status = ParseDaemonOptions(c.args).status();
    EXPECT_TRUE(Says(status, c.says)) << c.says << " but: " << status;
  }
}

// [fault X34] Without TLS nobody else on the network may use these sockets.
TEST(DaemonOptions, OnlyLoopbackIsServedOverTcp) {
  for (const char* url :
       {"tcp://0.0.0.0:7000", "tcp://[::]:7000", "tcp://192.0.2.1:7000"}) {
    const absl::Status status = ParseDaemonOptions({"--listen", url}).status();
    EXPECT_TRUE(Says(status, "only loopback")) << status;
  }
  EXPECT_TRUE(ParseDaemonOptions({"--listen", "tcp://[::1]:7000"}).ok());
}

TEST(ConfigFile, HasTheFlagsNamesAsKeys) {
  DaemonOptions options;
  const absl::Status status = ApplyConfigText("file.toml", R"(
tun = "nst7"
tun-offload = false
mtu = 1400
address = ["10.0.0.2/24", "fd00::2/64"]
route = "10.0.0.0/8"
drain-timeout = "2m"
)",
                                              options);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(options.tun, "nst7");
  EXPECT_FALSE(options.tun_offload);
  EXPECT_EQ(options.mtu, 1400u);
  EXPECT_EQ(options.address, (Args{"10.0.0.2/24", "fd00::2/64"}));
  EXPECT_EQ(options.route, Args{"10.0.0.0/8"});
  EXPECT_EQ(options.drain_timeout, Duration::Seconds(120));
}

TEST(ConfigFile, ErrorsNameFileLineAndKey) {
  const struct {
    const char* text;
    const char* says;
  } cases[] = {
      {"mtu = 1400\ntunn = \"x\"\n", "file.toml:2: tunn: unknown key"},
      {"\n\nmtu = \"1400\"\n", "file.toml:3: mtu: must be a whole number"},
      {"mtu = 5\n", "file.toml:1: mtu: '5' is not 0, for what the device"},
      {"tun = 5\n", "file.toml:1: tun: must be a string"},
      {"tun-offload = \"on\"\n", "file.toml:1: tun-offload: must be true"},
      {"address = [5]\n", "file.toml:1: address: must be a string"},
      {"address = [\"x\"]\n", "file.toml:1: address: 'x' is not an address"},
      {"address = [\n  \"10.0.0.2/24\",\n  \"x\",\n]\n",
       "file.toml:3: address: 'x'"},
      {"max-memory = 1.5\n", "file.toml:1: max-memory: must be a size"},
      {"drain-timeout = true\n", "file.toml:1: drain-timeout: must be a time"},
      {"check = true\n", "file.toml:1: check: is a flag only"},
      {"[tun]\nname = \"x\"\n", "file.toml:1: tun: must be a string"},
      {"mtu = 1400\nmtu = \n", "file.toml:2: "},
  };
  for (const auto& c : cases) {
    const absl::Status status = Apply(c.text);
    EXPECT_TRUE(Says(status, c.says)) << c.says << " but: " << status;
  }
}

TEST(ConfigFile, AnEmptyOneChangesNothing) {
  EXPECT_EQ(Parse({"--config", "/dev/null"}).tun, "nst0");
}

TEST(ConfigFile, FlagsOverrideItWhereverTheyStand) {
  const std::string path = testing::TempDir() + "/netstackd.toml";
  FILE* file = fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  fputs("tun = \"nst7\"\nmtu = 1400\naddress = [\"10.0.0.2/24\"]\n", file);
  fclose(file);
  const DaemonOptions options =
      Parse({"--mtu", "1300", "--address", "10.9.0.2/24", "-c", path,
             "--address", "10.9.1.2/24"});
  EXPECT_EQ(options.tun, "nst7");
  EXPECT_EQ(options.mtu, 1300u);
  EXPECT_EQ(options.address, (Args{"10.9.0.2/24", "10.9.1.2/24"}));
}

}  // namespace
}  // namespace netstack
