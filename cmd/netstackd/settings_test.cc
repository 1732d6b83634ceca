#include "cmd/netstackd/settings.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace netstack {
namespace {

absl::Status Set(DaemonOptions& options, const char* name, const char* value) {
  return FindSetting(name)->set(options, value);
}

TEST(Settings, EachHasItsOwnNameAndAHelp) {
  std::set<std::string> names;
  for (const Setting& setting : Settings()) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_NE(std::string(setting.help), "") << setting.name;
    EXPECT_EQ(setting.list != nullptr, setting.kind == Kind::kList)
        << setting.name;
    EXPECT_EQ(FindSetting(setting.name), &setting);
  }
  EXPECT_EQ(FindSetting("no-such"), nullptr);
}

TEST(Settings, AnAddressIsThatOfAHostOnADevice) {
  DaemonOptions options;
  for (const char* text :
       {"0.0.0.0/0", "224.0.0.1/4", "255.255.255.255/32", "127.0.0.1/8", "::/0",
        "::1/128", "ff02::1/64", "10.0.0.0/24", "10.0.0.255/24"}) {
    EXPECT_FALSE(Set(options, "address", text).ok()) << text;
  }
  EXPECT_TRUE(options.address.empty());
  EXPECT_TRUE(Set(options, "address", "10.0.0.2").ok());
}

TEST(Settings, ASocketsPathFitsItsAddress) {
  DaemonOptions options;
  const std::string longest = "unix:///" + std::string(106, 'a');
  EXPECT_TRUE(Set(options, "listen", longest.c_str()).ok());
  const absl::Status status = Set(options, "listen", (longest + "a").c_str());
  EXPECT_NE(status.message().find("at most 107 bytes"), absl::string_view::npos)
      << status;
}

TEST(Settings, AnMtuIsTheDevicesOrOneOfIp) {
  DaemonOptions options;
  EXPECT_TRUE(Set(options, "mtu", "0").ok());
  EXPECT_TRUE(Set(options, "mtu", "1400").ok());
  EXPECT_EQ(options.mtu, 1400u);
  const absl::Status status = Set(options, "mtu", "10");
  EXPECT_NE(status.message().find("0, for what the device has"),
            absl::string_view::npos)
      << status;
  EXPECT_EQ(options.mtu, 1400u);
}

TEST(Settings, AListTakesEachValueOnceInWhateverForm) {
  const struct {
    const char* name;
    const char* value;
    const char* again;
    const char* other;
  } cases[] = {
      {"address", "10.0.0.2/24", "10.0.0.2/16", "10.0.0.3/24"},
      {"address", "fd00::2/64", "fd00:0::2/64", "fd00::3/64"},
      {"route", "10.0.0.0/8", "10.1.0.0/8", "10.0.0.0/16"},
      {"listen", "tcp://127.0.0.1:1", "tcp://127.0.0.1:1", "tcp://127.0.0.1:2"},
  };
  for (const auto& c : cases) {
    DaemonOptions options;
    EXPECT_TRUE(Set(options, c.name, c.value).ok()) << c.value;
    const absl::Status status = Set(options, c.name, c.again);
    EXPECT_NE(status.message().find("stands twice"), absl::string_view::npos)
        << c.again << ": " << status;
    EXPECT_TRUE(Set(options, c.name, c.other).ok()) << c.other;
  }
}

TEST(Settings, ASizeIsBytesOrHasAUnit) {
  DaemonOptions options;
  const std::pair<const char*, uint64_t> sizes[] = {{"1048576", 1 << 20},
                                                    {"1024K", 1 << 20},
                                                    {"1M", 1 << 20},
                                                    {"2G", 2ull << 30},
                                                    {"1T", uint64_t{1} << 40}};
  for (const auto& [text, bytes] : sizes) {
    EXPECT_TRUE(Set(options, "max-memory", text).ok()) << text;
    EXPECT_EQ(options.max_memory, bytes) << text;
  }
  for (const char* text :
       {"", "G", "0", "0G", "1048575", "1023K", "-1G", "1.5G", "1 G", "1X",
        "2000T", "99999999999999999999"}) {
    EXPECT_FALSE(Set(options, "max-memory", text).ok()) << text;
  }
}

}  // namespace
}  // namespace netstack
