// What the shell texts of scripts mean for the host under test. No shell is
// ever run: one table says which sysctl keys configure it, which are let pass
// because they name what it does anyway, and anything else is a reason to skip
// the script.
#ifndef CONFORMANCE_SETTINGS_H_
#define CONFORMANCE_SETTINGS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/host_config.h"

namespace conformance {

struct Setting {
  std::string key;  // "net.ipv4.tcp_sack"
  std::string value;
  friend bool operator==(const Setting&, const Setting&) = default;
};

// What one command text asks for; in the order of the fields.
struct ShellText {
  bool linux_profile = false;  // a script of defaults, which Linux suites run
  std::vector<Setting> settings;
  std::vector<std::string> expected_states;  // sockstat | grep STATE
  bool drop_connections = false;             // tcpdrop
};

// UNIMPLEMENTED, naming the command, for what is none of these.
absl::StatusOr<ShellText> ReadShell(std::string_view text);

// UNIMPLEMENTED when the host cannot be set so; INVALID_ARGUMENT when the value
// makes no sense.
absl::Status Apply(const Setting& setting, HostConfig& config);

}  // namespace conformance

#endif  // CONFORMANCE_SETTINGS_H_
