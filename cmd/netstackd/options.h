// Options of netstackd: flags, and the TOML file they override.
//
// A file uses the flags' names as keys (`tun = "nst0"`, `address =
// ["10.0.0.2/24"]`). An unknown key or flag, a value of the wrong kind or out
// of range is an INVALID_ARGUMENT that names file, line and key, or the flag.
#ifndef CMD_NETSTACKD_OPTIONS_H_
#define CMD_NETSTACKD_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cmd/netstackd/settings.h"

namespace netstack {

// `args` without the program's name.
absl::StatusOr<DaemonOptions> ParseDaemonOptions(
    const std::vector<std::string>& args);

// Applies the text of a configuration file; `name` is for messages.
absl::Status ApplyConfigText(const std::string& name, const std::string& text,
                             DaemonOptions& options);

std::string DaemonHelp();

}  // namespace netstack

#endif  // CMD_NETSTACKD_OPTIONS_H_
