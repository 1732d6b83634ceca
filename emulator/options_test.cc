#include "emulator/options.h"

#include <string>
#include <vector>

#include "emulator/path_spec.h"
#include "gtest/gtest.h"

namespace emulator {
namespace {

absl::StatusOr<Options> Parse(std::vector<std::string> args) {
  return ParseOptions(args);
}

TEST(EmulatorOptions, ReadsEveryFlagInBothForms) {
  const auto options =
      Parse({"--left", "emu0", "--right=emu1", "--there", "delay 5ms, loss 1%",
             "--back=rate 8Mbit/s", "--seed", "7", "--stats-every=1s"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->left.name, "emu0");
  EXPECT_EQ(options->left.namespace_path, "");
  EXPECT_EQ(options->right.name, "emu1");
  EXPECT_EQ(ToText(options->there), "delay 5ms, loss 1%");
  EXPECT_EQ(ToText(options->back), "rate 8Mbit/s");
  EXPECT_EQ(options->seed, 7u);
  EXPECT_EQ(options->stats_every, tcpip::Duration::Seconds(1));
}

TEST(EmulatorOptions, DoesNothingToPacketsUnlessTold) {
  const auto options = Parse({"--left=a", "--right=b"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->there, PathConfig());
  EXPECT_EQ(options->back, PathConfig());
  EXPECT_EQ(options->stats_every, tcpip::Duration::Zero());
}

TEST(EmulatorOptions, BothWaysCanBeAlike) {
  const auto options = Parse({"--left=a", "--right=b", "--both", "delay 5ms"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(ToText(options->there), "delay 5ms");
  EXPECT_EQ(options->back, options->there);
}

TEST(EmulatorOptions, ADeviceMayBeInANamespaceByNameOrFile) {
  const auto options =
      Parse({"--left", "emu0@left", "--right", "emu1@/proc/7/ns/net"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->left.name, "emu0");
  EXPECT_EQ(options->left.namespace_path, "/run/netns/left");
  EXPECT_EQ(options->right.name, "emu1");
  EXPECT_EQ(options->right.namespace_path, "/proc/7/ns/net");
}

TEST(EmulatorOptions, ADeviceHasANameThatTheKernelTakes) {
  for (const char* bad :
       {"", "a/b", "a b", "0123456789abcdef", "emu0@", "0123456789abcdef@x"}) {
    EXPECT_FALSE(Parse({"--left", bad, "--right", "b"}).ok()) << bad;
  }
  EXPECT_TRUE(Parse({"--left", "0123456789abcde", "--right", "b"}).ok());
  // Two namespaces may have the same name in them.
  EXPECT_TRUE(Parse({"--left", "a@x", "--right", "a@y"}).ok());
}

TEST(EmulatorOptions, HelpNeedsNothingElse) {
  const auto options = Parse({"--help"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_TRUE(options->help);
}

TEST(EmulatorOptions, AnErrorNamesTheFlag) {
  const struct {
    std::vector<std::string> args;
    const char* message;
  } cases[] = {
      {{"--left", "a"}, "--right: is needed, see --help"},
      {{"--right", "a"}, "--left: is needed, see --help"},
      {{"--middle", "a"}, "--middle: no such flag, see --help"},
      {{"--left"}, "--left: needs a value"},
      {{"--left", "@x"},
       "--left: \"@x\": write it like emu0 or emu0@NAMESPACE, the name with "
       "at most 15 letters"},
      {{"--seed", "-1"},
       "--seed: \"-1\": is a whole number, from 0 to 18446744073709551615"},
      {{"--stats-every", "1"}, "--stats-every: \"1\": write it like \"7.5ms\""},
      {{"--stats-every", "0s"},
       "--stats-every: \"0s\": is from 100ms to 1000000s"},
      {{"--there", "loss 5"},
       "--there: \"loss 5\": write it like \"loss 1%\", from 0% to 100%"},
      {{"--seed=1", "--seed=2"}, "--seed: is given twice"},
      {{"--left=a", "--right=a"}, "--right: is the device that --left is"},
      {{"--left=a", "--right=b", "--both=loss 1%", "--back=loss 2%"},
       "--back: is said by --both already"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Parse(c.args).status().code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(Parse(c.args).status().message(), c.message);
  }
}

}  // namespace
}  // namespace emulator
