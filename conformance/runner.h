// Runs one script against one host: walks through its events, lets the host's
// time pass up to each, injects, calls, compares.
//
// One thread, no sleeping: time passes only inside Host. Bounded by the
// script's length and its last time; what the script does not wait for is not
// waited for.
#ifndef CONFORMANCE_RUNNER_H_
#define CONFORMANCE_RUNNER_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "conformance/host.h"
#include "conformance/host_config.h"
#include "conformance/outcome.h"
#include "conformance/packet_compare.h"
#include "conformance/script.h"
#include "tcpip/base/time.h"

namespace conformance {

// How far an event may be from its time: the larger of the two.
struct Tolerance {
  tcpip::Duration fixed;
  uint32_t per_mille = 0;  // of the time since the event before
};
inline constexpr Tolerance kExact = {};
// What the original tool allows.
inline constexpr Tolerance kUsual = {tcpip::Duration::Milliseconds(4), 125};

struct RunOptions {
  // Packets that no event expects fail the script, at its end the latest.
  bool strict = true;
  Tolerance tolerance = kExact;
  CompareRules compare = {};
  // A packet of the script is one packet of the host; else it may be several.
  bool strict_segments = false;

  HostConfig host = {};
  uint16_t bind_port = 8080;      // what "..." stands for in bind
  uint16_t connect_port = 8080;   // and in connect
  uint32_t remote_isn_shift = 0;  // see FlowBookOptions
  bool trace = false;
};

// Makes the host for a script, whose settings are in.
using HostFactory =
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<Host>>(const HostConfig&)>;

// `options` are those of the command line; the script's own option lines give
// what they leave open.
Outcome Run(const Script& script, const RunOptions& options,
            HostFactory make_host);

}  // namespace conformance

#endif  // CONFORMANCE_RUNNER_H_
