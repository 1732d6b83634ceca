// Pump: stdin to a stream and a stream to stdout, as netcat does. The end of
// stdin closes our direction, the end of the stream its own; both end the pump.
// At a terminal the end of the stream is enough.
#ifndef CMD_NETSTACKCTL_PUMP_H_
#define CMD_NETSTACKCTL_PUMP_H_

#include "absl/status/status.h"
#include "client/stream.h"

namespace netstack {

// Reads `in`, writes `out`; both stay open.
absl::Status Pump(Stream& stream, int in, int out);

}  // namespace netstack

#endif  // CMD_NETSTACKCTL_PUMP_H_
