// What a script of ours says about itself to the runner, in comments at its
// top that other runners read over:
//
//   // profile: linux
//   // expected-fail: part 5: the peer's reordering is not adapted to
//   // not-on kernel: our delayed ACK is 5 ms in the netstack profile
//   // only: ipv4
#ifndef CONFORMANCE_DIRECTIVES_H_
#define CONFORMANCE_DIRECTIVES_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "conformance/host_config.h"

namespace conformance {

struct Directives {
  std::optional<Profile> profile;
  // Why it cannot pass yet; "" for no such thing. A pass is an error then.
  std::string expected_fail;
  // Why the kernel differs on purpose; "" when both have to agree.
  std::string not_on_kernel;
  // The one kind of packets and sockets it is about; unset: any.
  std::optional<IpMode> only;
};

// Of the comment lines before anything else. INVALID_ARGUMENT when a directive
// has no text or names no profile or mode.
absl::StatusOr<Directives> ReadDirectives(std::string_view script);

}  // namespace conformance

#endif  // CONFORMANCE_DIRECTIVES_H_
