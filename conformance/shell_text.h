// What the shell texts of scripts ask for. No shell is ever run: a few programs
// are understood by what they would do, and any other is a reason to skip the
// script.
#ifndef CONFORMANCE_SHELL_TEXT_H_
#define CONFORMANCE_SHELL_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/settings.h"

namespace conformance {

// What one command text asks for; in the order of the fields.
struct ShellText {
  bool linux_profile = false;  // a script of defaults, which Linux suites run
  std::vector<Setting> settings;
  std::vector<std::string> expected_states;  // sockstat | grep STATE
  bool drop_connections = false;             // tcpdrop
};

// UNIMPLEMENTED, naming the command, for what is none of these.
absl::StatusOr<ShellText> ReadShell(std::string_view text);

}  // namespace conformance

#endif  // CONFORMANCE_SHELL_TEXT_H_
