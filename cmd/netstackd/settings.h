// What can be set of netstackd, and the one table that says how: flags, the
// configuration file and --help all read it.
//
// A setter judges its value alone, and a list's value beside those before it;
// the message says what is wrong with the value, the caller adds whose it is.
#ifndef CMD_NETSTACKD_SETTINGS_H_
#define CMD_NETSTACKD_SETTINGS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tcpip/base/time.h"
#include "tcpip/transport/tcp/config.h"

namespace netstack {

struct DaemonOptions {
  std::string tun = "nst0";
  std::optional<int> tun_fd;
  bool tun_offload = true;
  uint32_t mtu = 0;                  // 0: ask the device
  std::vector<std::string> address;  // CIDR
  std::vector<std::string> route;    // CIDR; empty: everything through the TUN
  std::vector<std::string> listen = {"unix:///run/netstack/netstack.sock"};
  bool any_address = false;
  bool any_source = false;
  uint32_t max_streams = 65536;
  uint64_t max_memory = 0;  // bytes; 0: a quarter of the machine's
  uint32_t shards = 1;
  tcpip::tcp::EcnMode ecn = tcpip::tcp::EcnMode::kPassive;
  tcpip::Duration drain_timeout = tcpip::Duration::Seconds(10);
  std::string log_level = "info";
  std::string pid_file;
  std::optional<int> ready_fd;

  // What to do instead of running.
  bool help = false;
  bool version = false;
  bool check = false;  // read and judge the configuration, then exit
};

enum class Kind {
  kText,
  kList,  // may be repeated; a first value replaces the default
  kNumber,
  kSwitch,  // --flag, --flag on|off, --flag=on|off
  kTime,    // seconds, or with a unit: 500ms, 10s, 2m
  kSize,    // bytes, or with a unit: 512K, 64M, 2G
  kFlagOnly,
};

struct Setting {
  const char* name;
  Kind kind;
  const char* value;  // for the help text
  const char* help;
  std::function<absl::Status(DaemonOptions&, const std::string&)> set;
  // kList: where the values go.
  std::vector<std::string> DaemonOptions::*list = nullptr;
};

const std::vector<Setting>& Settings();
// nullptr when there is none of the name.
const Setting* FindSetting(std::string_view name);

bool IsSwitchValue(const std::string& text);

// A failure with the flag it belongs to in front; OK stays OK.
absl::Status OfFlag(std::string_view name, const absl::Status& status);

}  // namespace netstack

#endif  // CMD_NETSTACKD_SETTINGS_H_
