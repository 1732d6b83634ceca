// The settings of scripts, by the names of sysctl: one table says which keys
// configure the host under test, which are let pass because they name what it
// does anyway, and anything else is a reason to skip the script.
#ifndef CONFORMANCE_SETTINGS_H_
#define CONFORMANCE_SETTINGS_H_

#include <string>

#include "absl/status/status.h"
#include "conformance/host_config.h"

namespace conformance {

struct Setting {
  std::string key;  // "net.ipv4.tcp_sack"
  std::string value;
  friend bool operator==(const Setting&, const Setting&) = default;
};

// UNIMPLEMENTED when the host cannot be set so; INVALID_ARGUMENT when the value
// makes no sense.
absl::Status Apply(const Setting& setting, HostConfig& config);

}  // namespace conformance

#endif  // CONFORMANCE_SETTINGS_H_
