// Options of netstackd: flags, and the TOML file they override.
//
// A file uses the flags' names as keys (`tun = "nst0"`, `address =
// ["10.0.0.2/24"]`). An unknown key or flag, a value of the wrong kind or out
// of range is an INVALID_ARGUMENT that names file, line and key, or the flag.
#ifndef CMD_NETSTACKD_OPTIONS_H_
#define CMD_NETSTACKD_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tcpip/base/time.h"

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
  uint32_t max_streams = 65536;
  tcpip::Duration drain_timeout = tcpip::Duration::Seconds(10);
  std::string log_level = "info";
  std::string pid_file;
  std::optional<int> ready_fd;

  // What to do instead of running.
  bool help = false;
  bool version = false;
  bool check = false;  // read and judge the configuration, then exit
};

// `args` without the program's name.
absl::StatusOr<DaemonOptions> ParseDaemonOptions(
    const std::vector<std::string>& args);

// Applies the text of a configuration file; `name` is for messages.
absl::Status ApplyConfigText(const std::string& name, const std::string& text,
                             DaemonOptions& options);

std::string DaemonHelp();

}  // namespace netstack

#endif  // CMD_NETSTACKD_OPTIONS_H_
