// How a script is run: what a person chooses on the command line and a script
// in its option lines.
#ifndef CONFORMANCE_RUN_OPTIONS_H_
#define CONFORMANCE_RUN_OPTIONS_H_

#include <cstdint>

#include "conformance/host_config.h"
#include "conformance/packet_compare.h"
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
  bool ip_is_given = false;       // host.ip is the person's, not the default
  uint16_t bind_port = 8080;      // what "..." stands for in bind
  uint16_t connect_port = 8080;   // and in connect
  uint32_t remote_isn_shift = 0;  // see FlowBookOptions
  bool trace = false;
};

// Strict: exact times, nothing that no event expects, timestamps that tick.
// Else as the original tool judges.
inline void SetStrict(bool strict, RunOptions& run) {
  run.strict = strict;
  run.tolerance = strict ? kExact : kUsual;
  run.compare.check_timestamps = strict;
}

}  // namespace conformance

#endif  // CONFORMANCE_RUN_OPTIONS_H_
