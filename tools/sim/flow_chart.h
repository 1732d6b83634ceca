// The chart of a flow: what was sent and acknowledged, the windows and what is
// in flight, and the round-trip time, over time.
#ifndef TOOLS_SIM_FLOW_CHART_H_
#define TOOLS_SIM_FLOW_CHART_H_

#include <span>
#include <string>

#include "tcpip/base/time.h"
#include "tcpip/testing/flow_watch.h"
#include "tools/sim/svg_chart.h"

namespace tcpip::sim {

// `start` is where time begins, `length` how much of it is shown at least,
// events or not.
Chart FlowChart(std::span<const FlowEvent> events, Instant start,
                Duration length, const std::string& title,
                const std::string& subtitle);

}  // namespace tcpip::sim

#endif  // TOOLS_SIM_FLOW_CHART_H_
